"""Every remedy that an error of the Python interface names is tried: following it makes the error go away."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.adapters.epoch import check_follows_from_tables
from segmetry.errors import SegmetryError
from segmetry.evaluation.reopen import loaders_of
from segmetry.kernels.contour_bands import boundary_band
from segmetry.kernels.label_arrays import as_label_array
from segmetry.metrics.tally_quotient import segment_counts
from segmetry.overlaps.merge_tables import merge
from segmetry.protocols.protocol import PROTOCOLS, declare_protocol
from segmetry.report.page import write_report
from segmetry.segmentation.pair import SegmentationPair
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import Summary, summarise
from tests.face.advice import Case, case

A = np.array([[1, 1, 2, 2]])
B = np.array([[1, 1, 1, 2]])
CLASSES = {1: "car", 2: "sky"}
labelled = partial(sm.LabelArray, classes=CLASSES)
OVERLAPPING = np.array([[[1, 1, 0]], [[0, 1, 1]]], bool)
SPLIT = np.array([[3, 3, 4, 4]])
NARROW, WIDE = np.array([[1, 1, 1, 2]]), np.array([[3, 4, 4, 4]])
WHOLE = np.array([[5, 5, 5, 5]])


def numbered(labels: object) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].reshape(np.shape(labels)) + 1


def evaluated(true: object = A, pred: object = B, metrics: str = "pq", **options: object) -> sm.Run:
    return sm.evaluate({"a": true}, {"a": pred}, metrics=metrics, **options)


def run_file(folder: Path, name: str, true: object = A, pred: object = B, **options: object) -> Path:
    """A run of files whose item is called a."""
    path = folder / f"{name}.segm"
    sides = folder / name / "a.npy", folder / name / "pred" / "a.npy"
    if not path.exists():
        sides[1].parent.mkdir(parents=True)
        for side, labels in zip(sides, (true, pred), strict=True):
            np.save(side, labels)
        sm.evaluate(*sides, metrics="pq", out=path, **options)
    return path


def with_photograph(folder: Path, name: str) -> Path:
    """A folder with one photograph of the shape of the items."""
    images = folder / f"images of {name}"
    images.mkdir(exist_ok=True)
    Image.new("RGB", (4, 1)).save(images / name)
    return images


def of_volumes() -> sm.Run:
    return evaluated(*(np.stack([labels.reshape(2, 2)] * 2) for labels in (A, B)))


def with_scan(folder: Path, name: str) -> Path:
    """A folder with one scan of the shape of the volumes."""
    images = folder / f"scan of {name}"
    images.mkdir(exist_ok=True)
    np.save(images / f"{name}.npy", np.arange(8.0).reshape(2, 2, 2))
    return images


TRACED = sm.Skeletons([[0, 0], [0, 30]], [[0, 1]], ["axon", "axon"])
TWO_LINES = sm.SpanLines.from_frame_labels([["a", "b", "b"], ["b", "b", "a"]])
LABELS = [
    case(
        "protocol= reads and counts both sides itself",
        lambda _: sm.score(sm.overlap(A, B), protocol="cremi"),
        lambda _: sm.score(A, B, protocol="cremi"),
    ),
    case(
        "state spacing and offset in the unit of the skeletons",
        lambda _: sm.expected_run_length(TRACED, [[1, 1, 1, 1]]),
        lambda _: sm.expected_run_length(TRACED, [[1, 1, 1, 1]], spacing=(1, 10)),
    ),
    case(
        "section_border applies to label arrays, but unions overlap; leave out one of them",
        lambda _: evaluated(read={"union": ["a=1,2", "b=2"], "section_border": 1}),
        lambda _: evaluated(read={"union": ["a=1,2", "b=2"]}),
        lambda _: evaluated(read={"section_border": 1}),
    ),
    case(
        "takes one line at a time; segmetry.evaluate(list(true), list(pred)) scores each line",
        lambda _: sm.pk(TWO_LINES, TWO_LINES),
        lambda _: sm.evaluate(list(TWO_LINES), list(TWO_LINES), metrics="pk"),
    ),
    case(
        "LabelArray(labels, allow_float=True) takes them",
        lambda _: sm.pq(A.astype(float), B),
        lambda _: sm.pq(sm.LabelArray(A.astype(float), allow_float=True), B),
    ),
    case(
        "number them first, ",
        lambda _: sm.pq(A.astype(str), B),
        lambda _: sm.pq(numbered(A.astype(str)), B),
        lambda _: sm.pq(numbered([["x", "y"]]), [[1, 2]]),
        lambda _: sm.pq(*[sm.Spans.from_tags(["B-PER", "O"])] * 2),
        lambda _: sm.pq(*[sm.Spans.from_frame_labels(["walk", "walk", "run"])] * 2),
        lambda _: sm.der(*[sm.TimeIntervals.from_seconds([(0, 2.5)])] * 2),
    ),
    case(
        "compares classes, and the segments carry none; if labels are classes, state --labels classes",
        lambda _: evaluated(metrics="mean_iou"),
        lambda _: evaluated(metrics="mean_iou", read={"labels": "classes", "outside": 0}),
        lambda _: evaluated(metrics="mean_iou", read={"labels": "classes", "outside": None}),
        lambda _: evaluated(labelled(A), labelled(B), metrics="mean_iou"),
    ),
    case(
        "are no stack of masks; expected (masks, height, width), or state --labels instances",
        lambda _: evaluated(read={"labels": "masks"}),
        lambda _: evaluated(np.stack([A, B]), np.stack([A, A]), read={"labels": "masks"}),
        lambda _: evaluated(read={"labels": "instances"}),
    ),
    case(
        "applies to label arrays, but labels is 'masks'; leave out one of them",
        lambda _: evaluated(np.stack([A, B]), np.stack([A, A]), read={"labels": "masks", "void": 255}),
        lambda _: evaluated(np.stack([A, B]), np.stack([A, A]), read={"labels": "masks"}),
        lambda _: evaluated(np.stack([A, B]), np.stack([A, A]), read={"void": 255}),
    ),
    case("labels are {}, expected integers", lambda _: as_label_array([0.5]), lambda _: as_label_array([1])),
    case(
        "(from_frame_labels takes labels of any kind, such as text, as classes)",
        lambda _: sm.Spans.from_labels(["a", "a", "b"]),
        lambda _: sm.Spans.from_frame_labels(["a", "a", "b"]),
    ),
    case(
        "labels are a masked array",
        lambda _: sm.LabelArray(np.ma.masked_equal(A, 2)),
        lambda _: sm.LabelArray(np.ma.masked_equal(A, 2).filled(255), void=255),
        lambda _: sm.LabelArray(np.ma.masked_equal(A, 2).filled(255), outside=255),
    ),
    case(
        "is declared both outside= and void=; choose one",
        lambda _: sm.LabelArray(A, outside=0, void=0),
        lambda _: sm.LabelArray(A, outside=0),
        lambda _: sm.LabelArray(A, outside=None, void=0),
    ),
    case(
        "if it is a segment allow_negative=True",
        lambda _: sm.pq([[-1, 1]], [[1, 1]]),
        lambda _: sm.pq(sm.LabelArray([[-1, 1]], outside=-1), [[1, 1]]),
        lambda _: sm.pq(sm.LabelArray([[-1, 1]], void=-1), [[1, 1]]),
        lambda _: sm.pq(sm.LabelArray([[-1, 1]], allow_negative=True), [[1, 1]]),
    ),
    case(
        "labels are a ragged list",
        lambda _: sm.LabelArray([[1], [1, 2]]),
        lambda _: sm.Sets([["a"], ["b", "c"]]),
        lambda _: sm.Spans.from_masses([1, 2]),
    ),
    case(
        "state it with the segmentation: LabelArray(labels, ",
        lambda _: sm.pq(A, B, void=255),
        lambda _: sm.pq(sm.LabelArray(A, void=255), B),
        lambda folder: sm.pq(sm.read(saved(folder), void=255), B),
        lambda _: sm.hausdorff(sm.LabelArray(A, spacing=(2, 1)), sm.LabelArray(B, spacing=(2, 1))),
        lambda _: sm.pq(sm.LabelArray(A, outside=0), B),
        lambda _: sm.pq(sm.LabelArray(A, allow_negative=True), B),
    ),
    case(
        "out names one run file, but every pair of annotators is a run; leave it out",
        lambda folder: sm.agreement_matrix({"a": {"x": A}, "b": {"x": B}}, out=folder / "run.segm"),
        lambda _: sm.agreement_matrix({"a": {"x": A}, "b": {"x": B}}),
    ),
    case(
        "has no option {}; {}",
        lambda _: sm.score(A, B, "pq", void=255),
        lambda _: sm.score(sm.LabelArray(A, void=255), B, "pq"),
    ),
    case(
        "has no class; classes= names",
        lambda _: sm.pq(sm.LabelArray(A, classes={1: "car"}), labelled(B)),
        lambda _: sm.pq(labelled(A), labelled(B)),
        lambda _: sm.pq(sm.LabelArray(A, classes={1: "car"}, outside=[0, 2]), labelled(B)),
    ),
    case(
        "nor stuff (",
        lambda _: sm.LabelArray.from_categories([[7, 9]], things={7}),
        lambda _: sm.LabelArray.from_categories([[7, 9]], things={7, 9}),
        lambda _: sm.LabelArray.from_categories([[7, 9]], things={7}, unknown="void"),
        lambda _: sm.LabelArray.from_categories([[7, 9]], things={7}, unknown="outside"),
    ),
    case(
        "is named both as a thing and as stuff; choose one",
        lambda _: sm.LabelArray.from_categories([[7]], things={7}, stuff={7}),
        lambda _: sm.LabelArray.from_categories([[7]], things={7}),
        lambda _: sm.LabelArray.from_categories([[7]], stuff={7}),
    ),
    case(
        "or compare without them: classes='ignore'",
        lambda _: sm.pq(labelled(A), B),
        lambda _: sm.pq(labelled(A), labelled(B)),
        lambda _: sm.pq(A, B),
        lambda _: sm.pq(labelled(A), B, classes="ignore"),
    ),
    case(
        "; segmetry.read(path) reads a file",
        lambda folder: SegmentationPair.of(saved(folder), A),
        lambda folder: SegmentationPair.of(sm.read(saved(folder)), A),
    ),
    case(
        "; segmetry.evaluate(true, pred) scores mappings from item names",
        lambda _: sm.pq({"a": A}, {"a": B}),
        lambda _: sm.evaluate({"a": A}, {"a": B}),
    ),
]


def saved(folder: Path) -> Path:
    np.save(folder / "saved.npy", A)
    return folder / "saved.npy"


def masks(**options: object) -> sm.Masks:
    return sm.Masks.from_dense(OVERLAPPING, **options)


KINDS = [
    case(
        "; expected tracks= that divide them",
        lambda _: sm.TimeIntervals([0, 0], [2, 3]).by_track(),
        lambda _: sm.TimeIntervals([0, 0], [2, 3], tracks=["ann", "bob"]).by_track(),
    ),
    case(
        "spans must be disjoint (overlapping segments: use TimeIntervals)",
        lambda _: sm.Spans([0, 1], [2, 3], 4),
        lambda _: sm.TimeIntervals([0, 1], [2, 3], 4),
    ),
    case("leave empty segments out", lambda _: sm.Sets([{1}, set()]), lambda _: sm.Sets([{1}])),
    case(
        "no masks and no shape; pass shape=(height, width)",
        lambda _: sm.Masks.from_rle([]),
        lambda _: sm.Masks.from_rle([], shape=(2, 3)),
    ),
    case(
        "needs a score for every mask; pass scores= to Masks",
        lambda _: sm.pq(masks(), masks(), resolve="by_score"),
        lambda _: sm.pq(masks(), masks(scores=[1, 0.5]), resolve="by_score"),
    ),
    case(
        "average precision needs a score for every predicted mask; pass scores= to Masks",
        lambda _: sm.average_precision(masks(), masks()),
        lambda _: sm.average_precision(masks(), masks(scores=[1, 0.5])),
    ),
    case(
        "resolve='by_score' needs masks with scores",
        lambda _: sm.pq(A, B, resolve="by_score"),
        lambda _: sm.pq(masks(), masks(scores=[1, 0.5]), resolve="by_score"),
    ),
    case(
        "Spans.from_labels an ordered label array",
        lambda _: sm.pk(A[0], B[0]),
        lambda _: sm.pk(sm.Spans.from_labels(A[0]), sm.Spans.from_labels(B[0])),
        lambda _: sm.pk(sm.Spans.from_masses([2, 2]), sm.Spans.from_masses([3, 1])),
    ),
    case(
        "or choose a metric of another family",
        lambda _: sm.adjusted_rand_index(masks(), masks(scores=[1, 0.5])),
        lambda _: sm.adjusted_rand_index(masks(scores=[1, 0.5]).painted(), masks(scores=[1, 0.5]), resolve="by_score"),
        lambda _: sm.pq(masks(), masks(), resolve="assign"),
    ),
    case(
        "so elements would count several times in a class table",
        lambda _: sm.overlap(masks(classes=["a", "b"]), masks(classes=["a", "b"])).by_class(),
        lambda _: sm.overlap(
            masks(classes=["a", "b"], scores=[1, 0.5]).painted(),
            masks(classes=["a", "b"], scores=[1, 0.5]),
            resolve="by_score",
        ).by_class(),
    ),
]
OPTIONS = [
    case(
        "expected both, such as absent=0 and n_classes=19",
        lambda _: sm.mean_iou(labelled(A), labelled(B), absent=1),
        lambda _: sm.mean_iou(labelled(A), labelled(B), absent=0, n_classes=19),
        lambda _: sm.mean_iou(labelled(A), labelled(B)),
    ),
    case(
        "give classes= on both sides to break a score down by class",
        lambda _: sm.break_down(sm.overlap(A, B).align(), by="class"),
        lambda _: sm.break_down(sm.overlap(labelled(A), labelled(B)).align(), by="class"),
    ),
    case(
        "is a crowd but has no class",
        lambda _: sm.pq(sm.LabelArray(A, crowd=1), B, policy="coco"),
        lambda _: sm.pq(sm.LabelArray(A, crowd=1, classes=CLASSES), labelled(B), policy="coco"),
        lambda _: sm.pq(sm.LabelArray(A, crowd=1), B, policy="coco", classes="ignore"),
    ),
    case(
        "'by_score' (paint masks in descending order of score) or 'keep' (keep all pairs)",
        lambda _: sm.pq(SPLIT, WHOLE, rule="tversky(alpha=0,beta=1,at_least=1/4)"),
        lambda _: sm.pq(SPLIT, WHOLE, rule="tversky(alpha=0,beta=1,at_least=1/4)", resolve="assign"),
        lambda _: sm.pq(SPLIT, WHOLE, rule="tversky(alpha=0,beta=1,at_least=1/4)", resolve="keep"),
        lambda _: sm.pq(masks(), masks(scores=[1, 0.5]), resolve="by_score"),
    ),
    case(
        "does not use an alignment, so resolve=",
        lambda _: sm.adjusted_rand_index(A, B, resolve="assign"),
        lambda _: sm.adjusted_rand_index(A, B),
    ),
    case("needs the option ", lambda _: sm.surface_dice(A, B), lambda _: sm.surface_dice(A, B, tolerance=1)),
    case(
        " needs {}; pass options={",
        lambda _: sm.score(A, B, "surface_dice"),
        lambda _: sm.score(A, B, "surface_dice", options={"surface_dice": {"tolerance": 1}}),
    ),
    case(
        "needs more than a tally; pass the alignment, its table, or the two segmentations",
        lambda _: sm.adjusted_rand_index(sm.overlap(A, B).align().tally),
        lambda _: sm.adjusted_rand_index(sm.overlap(A, B).align()),
        lambda _: sm.adjusted_rand_index(sm.overlap(A, B)),
        lambda _: sm.adjusted_rand_index(A, B),
    ),
    case(
        "this tally was made with rule",
        lambda _: sm.pq(sm.overlap(A, B).align().tally, rule="theta_and"),
        lambda _: sm.pq(sm.overlap(A, B), rule="theta_and"),
    ),
    case(
        "this alignment was made with rule",
        lambda _: sm.pq(sm.overlap(A, B).align(), rule="theta_and"),
        lambda _: sm.pq(sm.overlap(A, B), rule="theta_and"),
        lambda _: sm.pq(A, B, rule="theta_and"),
    ),
    case(
        "which is predefined as all classes; choose another name",
        lambda _: sm.score(labelled(A), labelled(B), "pq", groups={"all": ["car"]}),
        lambda _: sm.score(labelled(A), labelled(B), "pq", groups={"cars": ["car"]}),
    ),
    case(
        "groups= names groups of classes, but the segments carry none; give classes= on both sides",
        lambda _: sm.score(A, B, "pq", groups={"cars": ["car"]}),
        lambda _: sm.score(labelled(A), labelled(B), "pq", groups={"cars": ["car"]}),
    ),
    case(
        "things= names classes, but the segments carry none; pass classes= to LabelArray on both sides",
        lambda _: sm.stq(A[None], B[None], things=["car"]),
        lambda _: sm.stq(labelled(A[None]), labelled(B[None]), things=["car"]),
    ),
    case(
        "a class table needs the class of every segment; give classes= on both sides, such as",
        lambda _: sm.overlap(A, B).by_class(),
        lambda _: sm.overlap(labelled(A), labelled(B)).by_class(),
    ),
    case(
        "leave out pairs that share no elements",
        lambda _: sm.OverlapTable.from_rows([(1, 1, 0)]),
        lambda _: sm.OverlapTable.from_rows([(1, 1, 1)]),
    ),
    case(
        "give both sides the same spacing=",
        lambda _: sm.hausdorff(sm.LabelArray(A, spacing=(1, 2)), sm.LabelArray(B, spacing=(1, 3))),
        lambda _: sm.hausdorff(sm.LabelArray(A, spacing=(1, 2)), sm.LabelArray(B, spacing=(1, 2))),
    ),
    case(
        "is already a similarity; furthest= applies to",
        lambda _: sm.matched_shapes(A, B).weights("boundary_iou", furthest=3),
        lambda _: sm.matched_shapes(A, B).weights("boundary_iou"),
        lambda _: sm.matched_shapes(A, B).weights("hausdorff", furthest=3),
    ),
    case(
        "expected an integer number of steps for metric='chessboard'",
        lambda _: sm.boundary_iou(A, B, d=1.5, metric="chessboard"),
        lambda _: sm.boundary_iou(A, B, d=2, metric="chessboard"),
    ),
    case(
        "spacing has no meaning for the chessboard metric; leave it out or use 'euclidean'",
        lambda _: boundary_band(A, 1, metric="chessboard", spacing=(2, 1)),
        lambda _: boundary_band(A, 1, metric="chessboard"),
        lambda _: boundary_band(A, 2, metric="euclidean", spacing=(2, 1)),
    ),
    case(
        "axis is {}, but an image is not cut; leave axis out",
        lambda _: sm.look(A, B, axis=0),
        lambda _: sm.look(A, B),
    ),
    case(
        "choose a part by start= and stop=",
        lambda _: sm.draw_bars([sm.Spans.from_masses([1] * 9000)] * 2),
        lambda _: sm.draw_bars([sm.Spans.from_masses([1] * 9000)] * 2, start=0, stop=20),
    ),
]
EVALUATION = [
    case(
        "; expected two paths, two mappings from",
        lambda _: sm.evaluate(A.tolist(), {"a": A}),
        lambda _: sm.score(A.tolist(), A),
        lambda _: sm.evaluate([A], [B]),
    ),
    case(
        "evaluate takes a data set: evaluate([true], [pred]) is one of a single pair, segmetry.score compares it alone",
        lambda _: sm.evaluate(A, B),
        lambda _: sm.evaluate([A], [B]),
        lambda _: sm.score(A, B),
        lambda _: sm.evaluate(A, B, batch=True),
    ),
    case(
        "for one pair of nested lists use segmetry.score(true, pred), for several pass",
        lambda _: sm.evaluate([[1, 2]], [[1, 2]]),
        lambda _: sm.score([[1, 2]], [[1, 2]]),
        lambda _: sm.evaluate([np.array([[1, 2]])], [np.array([[1, 2]])]),
        lambda _: sm.evaluate({"a": [[1, 2]]}, {"a": [[1, 2]]}),
    ),
    case(
        "resume continues a run file and force replaces it; pass one of them",
        lambda folder: evaluated(out=folder / "r.segm", resume=True, force=True),
        lambda folder: evaluated(out=folder / "r.segm", resume=True),
        lambda folder: evaluated(out=folder / "r.segm", force=True),
    ),
    case(
        "resume continues a run file, but out names none; pass out='run.segm'",
        lambda _: evaluated(resume=True),
        lambda folder: evaluated(resume=True, out=folder / "run.segm"),
    ),
    case(
        "shard makes a part of a run, but out names no file; pass out='part.segm'",
        lambda _: evaluated(shard="1/1"),
        lambda folder: evaluated(shard="1/1", out=folder / "part.segm"),
    ),
    case(
        "but the serial engine does one thing at a time; choose threads or processes",
        lambda _: evaluated(engine="serial", jobs=2),
        lambda _: evaluated(engine="threads", jobs=2),
        lambda _: evaluated(engine="processes", jobs=2),
    ),
    case(
        "but true and pred contain segmentations; state it where they are made",
        lambda _: evaluated(sm.LabelArray(A), sm.LabelArray(B), read={"void": 255}),
        lambda _: evaluated(sm.LabelArray(A, void=255), sm.LabelArray(B)),
        lambda _: evaluated(sm.LabelArray.from_classes(A), sm.LabelArray.from_classes(B)),
    ),
    case(
        "; expected the same names on both sides, or pairing=",
        lambda _: sm.evaluate({"a_true": A}, {"a_pred": B}),
        lambda _: sm.evaluate({"a": A}, {"a": B}),
        lambda _: sm.evaluate({"a_true": A}, {"a_pred": B}, pairing={"strip": ["_true", "_pred"]}),
    ),
    case(
        "merge the parts with segmetry.merge_runs (segmetry merge), or pass partial=True",
        lambda folder: sm.Run.open(run_file(folder, "part", shard="1/1")).summary(),
        lambda folder: sm.Run.open(run_file(folder, "part", shard="1/1")).summary(partial=True),
        lambda folder: sm.merge_runs([run_file(folder, "part", shard="1/1")], folder / "merged.segm").summary(),
    ),
    case(
        "has no receipt; segmetry.seal('RUN') (segmetry verify RUN --seal) makes one",
        lambda folder: sm.verify(run_file(folder, "plain")),
        lambda folder: sm.verify(sm.seal(run_file(folder, "plain")) and folder / "plain.segm"),
    ),
    case(
        "a run in memory has no file for its receipt; save it first: run.save('run.segm')",
        lambda _: sm.seal(evaluated()),
        lambda folder: evaluated().save(folder / "saved.segm") or sm.seal(folder / "saved.segm"),
    ),
    case(
        "sample (--sample) counts items again, at least one; it needs true= and pred=",
        lambda folder: sm.verify(sm.seal(run_file(folder, "plain")) and folder / "plain.segm", sample=1),
        lambda folder: sm.verify(
            sm.seal(run_file(folder, "plain")) and folder / "plain.segm", sample=1, true={"a": A}, pred={"a": B}
        ),
    ),
    case(
        "as many runs have one truth and settings as another; like= (--like RUN) says which count",
        lambda folder: sm.leaderboard(two_truths(folder)),
        lambda folder: sm.leaderboard(two_truths(folder), like=folder / "first1.segm"),
    ),
    case(
        "no parts to merge; expected run files",
        lambda folder: sm.merge_runs([], folder / "x.segm"),
        lambda folder: sm.merge_runs([run_file(folder, "part", shard="1/1")], folder / "x.segm").summary(),
    ),
    case(
        "hand them over again as true= and pred=",
        lambda folder: loaders_of(reopened(folder)),
        lambda folder: loaders_of(reopened(folder), {"a": A}, {"a": B}),
    ),
    case(
        "true and pred say where pictures are drawn from, but maps asks for none; leave one out",
        lambda folder: evaluated().report(folder / "r.html", maps="none", true={"a": A}, pred={"a": B}),
        lambda folder: evaluated().report(folder / "r.html", maps="none"),
        lambda folder: reopened(folder).report(folder / "r.html", maps="all", true={"a": A}, pred={"a": B}),
    ),
    case(
        "expected 'all', 'none' or a number of items (--maps 100)",
        lambda folder: evaluated().report(folder / "r.html", maps="some"),
        lambda folder: evaluated().report(folder / "r.html", maps="all"),
        lambda folder: evaluated().report(folder / "r.html", maps="none"),
        lambda folder: evaluated().report(folder / "r.html", maps=100),
    ),
    case(
        "image_budget limits the photographs, but images asks for none; leave one out",
        lambda folder: evaluated().report(folder / "r.html", images="none", image_budget=5),
        lambda folder: evaluated().report(folder / "r.html", images="none"),
        lambda folder: evaluated().report(folder / "r.html", image_budget=5),
    ),
    case(
        "expected megabytes, more than 0 (--image-budget 20)",
        lambda folder: evaluated().report(folder / "r.html", image_budget=0),
        lambda folder: evaluated().report(folder / "r.html", image_budget=20),
    ),
    case(
        "expected the photographs of the items (--images DIR)",
        lambda folder: evaluated().report(folder / "r.html", images=folder / "absent"),
        lambda folder: evaluated().report(folder / "r.html", images=with_photograph(folder, "a.png")),
    ),
    case(
        "items has a scan: {} (--images DIR)",
        lambda folder: of_volumes().report(folder / "r.html", images=with_scan(folder, "b")),
        lambda folder: of_volumes().report(folder / "r.html", images=with_scan(folder, "a")),
    ),
    case(
        "items has a photograph",
        lambda folder: evaluated().report(folder / "r.html", images=with_photograph(folder, "b.png")),
        lambda folder: evaluated().report(folder / "r.html", images=with_photograph(folder, "a.png")),
    ),
    case(
        "no item has a value of {}; name one with item=",
        lambda _: sm.plots.overlay(evaluated(0 * A, 0 * A)),
        lambda _: sm.plots.overlay(evaluated(0 * A, 0 * A), item="a"),
    ),
    case(
        "rules= compares one run under several rules; rule= scores several runs under one rule",
        lambda _: sm.compare(evaluated(), evaluated(B), rules=["theta_plus", "theta_and"]),
        lambda _: sm.compare(evaluated(), rules=["theta_plus", "theta_and"]),
        lambda _: sm.compare(evaluated(), evaluated(pred=A), rule="theta_and"),
    ),
    case(
        "rule= and rules= exclude each other; rules= names every rule that is compared",
        lambda _: sm.compare(evaluated(), rule="theta_and", rules=["theta_plus", "theta_and"]),
        lambda _: sm.compare(evaluated(), rules=["theta_plus", "theta_and"]),
    ),
    case(
        "expected the result of segmetry.sensitivity, or the path",
        lambda folder: evaluated().report(folder / "r.html", sensitivity=5),
        lambda folder: evaluated().report(
            folder / "r.html", sensitivity=sm.sensitivity({"a": A}, {"a": B}, rules="theta_plus")
        ),
    ),
    case(
        "expected also the distance of a class that is on one side only",
        lambda _: sm.class_hausdorff95(A, B, both_empty=0),
        lambda _: sm.class_hausdorff95(A, B, both_empty=0, missing="diagonal"),
        lambda _: sm.class_hausdorff95(A, B, both_empty=0, missing=374),
    ),
    case(
        "weights='area' needs percentile='directed'",
        lambda _: sm.class_hausdorff95(A, B, weights="area", percentile="pooled"),
        lambda _: sm.class_hausdorff95(A, B, weights="area"),
        lambda _: sm.class_hausdorff95(A, B, percentile="pooled"),
    ),
    case(
        "so its elements would ",
        lambda _: sm.dice(masks(classes=["cell"] * 2), masks(classes=["cell"] * 2)),
        lambda _: sm.dice(masks(classes=["nucleus", "cell"]), masks(classes=["nucleus", "cell"])),
        lambda _: sm.dice(masks(scores=[1, 0.5]).painted(), masks(scores=[1, 0.5]), resolve="by_score"),
    ),
    case(
        "so the elements of the foreground would count twice",
        lambda _: sm.dice(masks(), masks(), foreground=True),
        lambda _: sm.dice(
            masks(scores=[1, 0.5]).painted(), masks(scores=[1, 0.5]), foreground=True, resolve="by_score"
        ),
    ),
    case(
        "predicted masks with scores become disjoint by resolve='by_score'",
        lambda _: sm.diagnose(evaluated(masks(), masks(scores=[1, 0.5]), resolve="keep")),
        lambda _: sm.diagnose(evaluated(masks(scores=[1, 0.5]).painted(), masks(scores=[1, 0.5]), resolve="by_score")),
    ),
]


def reopened(folder: Path) -> sm.Run:
    path = folder / "objects.segm"
    if not path.exists():
        evaluated(out=path)
    return sm.Run.open(path)


COMPARISON = [
    case(
        "metrics= names no metric; the runs contain",
        lambda _: sm.compare({"x": evaluated(), "y": evaluated(pred=A)}, metrics=[]),
        lambda _: sm.compare({"x": evaluated(), "y": evaluated(pred=A)}, metrics=["pq"], resamples=100),
    ),
    case(
        "; expected one each",
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x"]),
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x", "y"], resamples=100),
    ),
    case(
        "names= (--names) contains an empty name",
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x", ""]),
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x", "y"], resamples=100),
    ),
    case(
        "give them names= (--names) of their own",
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x", "x"]),
        lambda _: sm.compare(evaluated(), evaluated(pred=A), names=["x", "y"], resamples=100),
    ),
    case(
        "names= is for a list of runs; a mapping has names already",
        lambda _: sm.compare({"x": evaluated(), "y": evaluated(pred=A)}, names=["x", "y"]),
        lambda _: sm.compare({"x": evaluated(), "y": evaluated(pred=A)}, resamples=100),
    ),
    case(
        "if both contain the same truth, use truth='segments'",
        lambda folder: sm.compare(run_file(folder, "one"), run_file(folder, "two", A.astype(np.uint8), A)),
        lambda folder: sm.compare(
            run_file(folder, "one"), run_file(folder, "two", A.astype(np.uint8), A), truth="segments", resamples=100
        ),
    ),
    case(
        "name the narrower rule first",
        lambda _: sm.two_alignments(evaluated(NARROW, WIDE), "theta_and", "theta_plus"),
        lambda _: sm.two_alignments(evaluated(NARROW, WIDE), "theta_plus", "theta_and"),
    ),
]


class Frame:
    """Looks like a data frame of pandas with columns of several types."""

    columns = ("start", "stop", "label")

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([[0, 2, "a"], [2, 4, "b"]], dtype=object)


def square(side: float, at: float = 0.0) -> object:
    return pytest.importorskip("shapely").box(at, at, at + side, at + side)


def both_instances(**facts: object) -> sm.LabelArray:
    return sm.LabelArray.from_classes([[1, 2001]], instances_per_class=1000, **facts)


def hdf5_side(folder: Path, mode: str) -> object:
    h5py = pytest.importorskip("h5py")
    path = folder / f"{mode}.h5"
    if not path.exists():
        with h5py.File(path, "w") as file:
            file["labels"] = A
    return h5py.File(path, mode)["labels"]


def interrupted(folder: Path) -> Path:
    """A run of two items, an image and a volume, which are not scored together; it was interrupted after the first."""
    path = folder / "interrupted.segm"

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    if not path.exists():
        with pytest.raises(KeyboardInterrupt):
            two_items(path, progress=stop)
    return path


def summary_of(path: Path, **options: object) -> object:
    with sm.Run.open(path) as run:
        return run.summary(**options)


def two_items(path: Path, **options: object) -> sm.Run:
    true, pred = ({"a": image, "b": volume} for image, volume in ((A, A[None] + 5), (B, B[None] + 7)))
    return sm.evaluate(true, pred, metrics="pq", engine="serial", out=path, **options)


def resumed_after_change(folder: Path, labels: np.ndarray, name: str, **options: object) -> sm.Run:
    """Resume the run of two files after the first has changed."""
    source = interrupted(folder)
    path = folder / f"{name}.segm"
    path.write_bytes(source.read_bytes())
    true, pred = {"a": labels, "b": A[None] + 5}, {"a": B, "b": B[None] + 7}
    return sm.evaluate(true, pred, metrics="pq", engine="serial", out=path, **options)


def two_truths(folder: Path) -> Path:
    """Write two runs on each of two truths, with receipts."""
    for name, true in {"first": A, "second": B}.items():
        for at, pred in enumerate((A, B)):
            path = folder / f"{name}{at}.segm"
            sm.evaluate({"a": true, "b": true}, {"a": pred + 5, "b": B}, metrics="pq", out=path, force=True).close()
            sm.seal(path)
    return folder


def with_remains(folder: Path) -> Path:
    (folder / "gone.segm-journal").write_text("left over")
    return folder / "gone.segm"


def alignment(**options: object) -> sm.Alignment:
    return sm.overlap(labelled(A), labelled(B)).align(**options)


def data_set(true: object, pred: object, **facts: object) -> Summary:
    counts = segment_counts(sm.overlap(true, pred).align())
    return summarise(DataSet.of_segments(["a"], counts, "class", "none", ["pq"], **facts))


def write_pages(folder: Path, **options: object) -> None:
    write_report([evaluated(), evaluated(pred=A)], folder / "r.html", **options)


def under_protocol(name: str) -> sm.Run:
    """Evaluate by a changed copy of a protocol, which is declared if it has a name of its own."""
    changed = replace(PROTOCOLS["coco-panoptic"], name=name, metrics=("pq",))
    before = PROTOCOLS.snapshot()
    if name not in PROTOCOLS:
        declare_protocol(changed)
    try:
        return sm.evaluate({"a": labelled(A)}, {"a": labelled(B)}, protocol=changed)
    finally:
        PROTOCOLS.restore(before)


BOXES = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "score": 0.5}]
BOXED = {
    "images": [{"id": 1, "height": 4, "width": 4}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2], "area": 4}],
    "categories": [{"id": 1}],
}


def boxes(folder: Path) -> tuple[Path, Path]:
    """Annotations and results with boxes but no masks."""
    paths = folder / "boxed.json", folder / "boxes.json"
    for path, data in zip(paths, (BOXED, BOXES), strict=True):
        path.write_text(json.dumps(data))
    return paths


RARE = [
    case(
        "has boxes but no masks; compare boxes with iou_type='bbox'",
        lambda folder: sm.evaluate(*boxes(folder)),
        lambda folder: sm.evaluate(*boxes(folder), options={"iou_type": "bbox"}),
    ),
    case(
        "does not state the size of its images; read it together with the truth",
        lambda folder: sm.read(boxes(folder)[1])["1"],
        lambda folder: sm.evaluate(*boxes(folder), options={"iou_type": "bbox"}),
    ),
    case(
        "whose columns the errors of detections need; evaluate with metrics=",
        lambda folder: sm.detection_errors(
            sm.evaluate(*boxes(folder), metrics="ap50", options={"ap50": {"iou_type": "bbox"}})
        ),
        lambda folder: sm.detection_errors(
            sm.evaluate(*boxes(folder), metrics="average_precision", options={"iou_type": "bbox"})
        ),
    ),
    case(
        "the run has no {}; evaluate with metrics=",
        lambda folder: sm.recall_curves(
            sm.evaluate(*boxes(folder), metrics="ap50", options={"ap50": {"iou_type": "bbox"}})
        ),
        lambda folder: sm.recall_curves(
            sm.evaluate(*boxes(folder), metrics="average_precision", options={"iou_type": "bbox"})
        ),
    ),
    case(
        "needs the inputs again; evaluate them with it, such as --option ",
        lambda folder: sm.evaluate(*boxes(folder), options={"iou_type": "bbox"}).rescore(
            options={"ap": {"iou_type": "segm"}}
        ),
        lambda folder: sm.evaluate(*boxes(folder), options={"iou_type": "bbox"}).rescore(
            options={"ap": {"thresholds": "0.3"}}
        ),
        lambda folder: sm.evaluate(*boxes(folder), options={"iou_type": "bbox"}),
    ),
    case(
        "no metric that was named takes it; state it for one: METRIC.",
        lambda _: evaluated(metrics="pq", options={"t": "0.75"}),
        lambda _: evaluated(metrics="f1_at", options={"f1_at": {"t": "0.75"}}),
    ),
    case(
        "declare it under a name of its own (segmetry.plugins.declare_protocol)",
        lambda _: under_protocol("coco-panoptic"),
        lambda _: under_protocol("my-panoptic"),
    ),
    case(
        "pass the column of the labels, frame['label'].to_numpy()",
        lambda _: sm.pq(Frame(), A),
        lambda _: sm.LabelArray(numbered(["a", "a", "b"])),
        lambda _: sm.Spans([0, 2], [2, 4], 4),
    ),
    case(
        "are both {} with different options, and a result",
        lambda _: sm.score(A, B, "f1@50,f1@75"),
        lambda _: (sm.score(A, B, "f1@50"), sm.score(A, B, "f1@75")),
    ),
    case(
        "but equal labels are compared; pass foreground=True, or make both of them bool (mask > 0)",
        lambda _: sm.iou(np.array([[0, 255]]), np.array([[0, 1]])),
        lambda _: sm.iou(np.array([[0, 255]]), np.array([[0, 1]]), foreground=True),
        lambda _: sm.iou(np.array([[0, 255]]) > 0, np.array([[0, 1]]) > 0),
    ),
    case("no tables to merge; expected at least one", lambda _: merge([]), lambda _: merge([sm.overlap(A, B)])),
    case(
        "groups= names groups of classes, but the items are broken down by",
        lambda _: data_set(A, B, groups={"x": frozenset({"car"})}),
        lambda _: data_set(labelled(A), labelled(B), groups={"x": frozenset({"car"})}),
    ),
    case(
        "continue it with resume (--resume), or pass partial=True",
        lambda folder: summary_of(interrupted(folder)),
        lambda folder: summary_of(interrupted(folder), partial=True),
        lambda folder: two_items(interrupted(folder), resume=True).summary(),
    ),
    case(
        "; restore it, or start a new run",
        lambda folder: resumed_after_change(folder, A + 1, "changed", resume=True),
        lambda folder: resumed_after_change(folder, A, "restored", resume=True),
        lambda folder: resumed_after_change(folder, A + 1, "new", force=True),
    ),
    case(
        "put that file back, or delete this one, or choose another name",
        lambda folder: evaluated(out=with_remains(folder)),
        lambda folder: evaluated(out=folder / "another.segm"),
        lambda folder: (
            with_remains(folder),
            (folder / "gone.segm-journal").unlink(),
            evaluated(out=folder / "gone.segm"),
        ),
    ),
    case(
        "segmented only some of the items",
        lambda _: sm.Annotations.from_masses({"x": {"a": [2], "b": [1, 1], "c": [2]}, "y": {"a": [2], "b": [2]}}),
        lambda _: sm.Annotations.from_masses({"x": {"a": [2], "b": [1, 1], "c": [2]}}),
        lambda _: sm.Annotations.from_masses({"x": {"a": [2], "b": [1, 1]}, "y": {"a": [2], "b": [2]}}),
    ),
    case(
        "; leave it out of the region, or declare other labels",
        lambda _: evaluated(read={"union": {"x": [1, 2]}, "void": 2}),
        lambda _: evaluated(read={"union": {"x": [1]}, "void": 2}),
        lambda _: evaluated(read={"union": {"x": [1, 2]}, "void": 9}),
    ),
    case(
        "because masks have no void; leave out void=, or evaluate the regions one by one",
        lambda _: evaluated(read={"union": {"x": [1, 2], "y": [2]}, "void": 9}),
        lambda _: evaluated(read={"union": {"x": [1, 2], "y": [2]}}),
        lambda _: evaluated(read={"union": {"x": [1, 2]}, "void": 9}),
    ),
    case(
        "which means outside; if that is right state outside=",
        lambda _: both_instances().labels,
        lambda _: both_instances(outside=0).labels,
    ),
    case(
        "other processes can read a file on the disk that is open in mode 'r' ",
        lambda folder: evaluated(hdf5_side(folder, "r+"), engine="processes", jobs=1),
        lambda folder: evaluated(hdf5_side(folder, "r"), engine="processes", jobs=1),
        lambda folder: evaluated(hdf5_side(folder, "r+"), engine="threads"),
    ),
    case(
        "; expected one for each (--pred)",
        lambda folder: write_pages(folder, pred=[{"a": B}]),
        lambda folder: write_pages(folder, true={"a": A}, pred=[{"a": B}, {"a": A}]),
    ),
    case(
        "; state a coarser one (--precision)",
        lambda _: sm.Polygons([square(1e10)], precision=1e-9),
        lambda _: sm.Polygons([square(1e6)], precision=0.01),
    ),
    case(
        "expected the same coordinate reference system: reproject one side",
        lambda _: sm.overlap(sm.Polygons([square(4)], crs="EPSG:1"), sm.Polygons([square(4)], crs="EPSG:2")),
        lambda _: sm.overlap(sm.Polygons([square(4)], crs="EPSG:1"), sm.Polygons([square(4)], crs="EPSG:1")),
    ),
    case(
        "wide; areas are counted up to {}: state a coarser precision=",
        lambda _: sm.overlap(*(sm.Polygons([square(2.0**30)], precision=1) for _ in "ab")),
        lambda _: sm.overlap(*(sm.Polygons([square(2.0**30)], precision=100) for _ in "ab")),
    ),
    case(
        "but no spacing is stated; pass spacing=",
        lambda _: sm.LabelArray(A, unit="mm"),
        lambda _: sm.LabelArray(A, unit="mm", spacing=(2, 1)),
    ),
    case(
        "{} has no average {}; choose one of {} (average=, --average)",
        lambda _: sm.rule_sensitivity(evaluated(), evaluated(pred=A), average="by_class", resamples=100),
        lambda _: sm.rule_sensitivity(evaluated(), evaluated(pred=A), average="by_item", resamples=100),
        lambda _: sm.rule_sensitivity(evaluated(), evaluated(pred=A), average="pooled", resamples=100),
    ),
    case(
        "average='class' is a mean over classes, but the segments carry none; give classes= on both sides",
        lambda _: sm.pq(A, B, average="class"),
        lambda _: sm.pq(labelled(A), labelled(B), average="class"),
    ),
    case(
        "a tally has no classes to average over; pass the alignment or the table",
        lambda _: sm.pq(alignment().tally, average="class"),
        lambda _: sm.pq(alignment(), average="class"),
        lambda _: sm.pq(alignment().table, average="class"),
    ),
    case(
        "weights='area' needs percentile='directed' and points='surface'",
        lambda _: sm.hausdorff95(A, B, weights="area", points="all"),
        lambda _: sm.hausdorff95(A, B, weights="area", percentile="directed", points="surface"),
    ),
    case(
        "weights='area' measures surfaces in 1 to 3 axes; found {}: choose weights='elements'",
        lambda _: sm.surface_dice(A[None, None], B[None, None], tolerance=1),
        lambda _: sm.surface_dice(A[None, None], B[None, None], tolerance=1, weights="elements"),
    ),
]
KEPT = sm.Spans.from_masses([2, 1])
ALIGNED = [
    case(
        "rule= and pairs= exclude each other; pairs= are an alignment of your own",
        lambda _: sm.overlap(A, B).align("theta_and", pairs=[(1, 1)]),
        lambda _: sm.overlap(A, B).align("theta_and"),
        lambda _: sm.overlap(A, B).align(pairs=[(1, 1)]),
    ),
    case(
        " is not one-to-one, or its segmentations are unknown; expected one-to-one alignments of tables from",
        lambda _: sm.improves(*[(sm.overlap(A, B) + sm.overlap(A, B)).align()] * 2),
        lambda _: sm.improves(*[sm.overlap(KEPT, KEPT).align()] * 2),
    ),
]
ADAPTERS = [
    case(
        " (how labels are read) depends on positions, and only counts are kept over an epoch; apply it to the maps",
        lambda _: check_follows_from_tables({"metrics": "pq", "read": {"components": 4}}),
        lambda _: check_follows_from_tables({"metrics": "pq"}),
        lambda _: sm.evaluate([A], [B], metrics="pq", read={"components": 4}),
    ),
    case(
        " needs the segmentations, and only their overlaps are kept over an epoch; name metrics of overlaps, such",
        lambda _: check_follows_from_tables({"metrics": "pq,hausdorff"}),
        lambda _: check_follows_from_tables({"metrics": "pq,mean_iou,aji"}),
        lambda _: sm.evaluate([A], [B], metrics="hausdorff"),
    ),
]
CASES = [*LABELS, *KINDS, *OPTIONS, *EVALUATION, *COMPARISON, *RARE, *ALIGNED, *ADAPTERS]


@pytest.mark.parametrize("tried", CASES, ids=lambda tried: tried.words.strip()[:60])
def test_following_the_advice_makes_the_error_go_away(tried: Case, tmp_path: Path) -> None:
    with pytest.raises((SegmetryError, TypeError)) as error:
        tried.fails(tmp_path)
    parts = [part for part in tried.words.split("{}") if part]
    assert all(part in str(error.value) for part in parts), str(error.value)
    for follow in tried.works:
        follow(tmp_path)


@pytest.mark.peers
def test_a_data_frame_is_used_by_its_columns() -> None:
    import pandas as pd

    frame = pd.DataFrame({"label": [1, 1, 2], "start": [0, 1, 2], "stop": [1, 2, 3], "word": ["a", "b", "c"]})
    with pytest.raises(SegmetryError, match=r"labels are a DataFrame with the columns label, start, stop, word; .*"):
        sm.pq(frame, frame)
    assert sm.pq(frame["label"].to_numpy(), frame["label"]) == 1
    spans = sm.Spans(frame["start"], frame["stop"], 3)
    assert sm.pq(spans, spans) == 1
    assert sm.pq(numbered(frame["word"]), numbered(frame["word"])) == 1
