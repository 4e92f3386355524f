"""Protocols on files against the programs that read the same files, fifty data sets each in make test-all.

Sides may be empty, classes on one side only, scores tied, and ids beyond 2⁵³; lines end as on Windows or on Unix. A
byte order mark, which some of the programs do not read, is in our copy alone.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections import defaultdict
from importlib.metadata import files as files_of
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest
from nervaluate.evaluator import Evaluator
from numpy.typing import NDArray
from pyannote.core import Annotation, Timeline
from pyannote.database.util import load_rttm, load_uem
from pyannote.metrics.diarization import DiarizationErrorRate, JaccardErrorRate
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import IOB2

import segmetry as sm
from segmetry.protocols.cells.cellpose import THRESHOLDS
from tests.peers.protocols import test_ctc_seg, test_lvis, test_semeval13, test_stardist
from tests.peers.protocols.coco_data_sets import DataSet, random_data_set
from tests.peers.protocols.entity_data import TYPES, corpora
from tests.peers.protocols.test_cellpose import aji, average_precisions, mean
from tests.peers.protocols.test_diarization import has_one_best_map
from tests.peers.protocols.test_lvis import REFERENCE, federated, reference
from tests.peers.protocols.test_mots import CLASSES, CLEAR, FIELDS, METRICS, has_tie, predicted, video
from tests.peers.protocols.test_music import NMI, tracks
from tests.peers.protocols.test_stardist import STARDIST
from tests.profiles import count
from tests.protocols.references.cell_images import pair
from tests.protocols.references.table_values import same, shown
from tests.protocols.references.test_diarization import Recording, recordings
from tests.protocols.references.test_sound_events import (
    event_reference,
    events,
    expected,
    one_matching,
    segment_reference,
)
from tests.readers.formats.test_mots import lines

with contextlib.redirect_stdout(io.StringIO()):  # it prints which data sets it cannot import
    from trackeval.datasets.kitti_mots import KittiMOTS

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

FILES = count(1 / 4)
"""Data sets of each protocol: 50 in make test-all."""
LARGE = 2**60
CELLS = "cellpose", "stardist", "ctc-seg"


lvis = test_lvis.lvis
"""The package, as a fixture."""


def write_lines(folder: Path, name: str, rows: list[str], at: int) -> tuple[Path, Path]:
    """Write the file of the program, and ours: the same bytes, in every third data set after a byte order mark."""
    content = "".join(row + ("\r\n" if at % 2 else "\n") for row in rows).encode()
    paths = folder / "program" / name, folder / "ours" / name
    for path, start in zip(paths, (b"", b"\xef\xbb\xbf" if at % 3 == 0 and content else b""), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(start + content)
    return paths


def tags_in(path: Path) -> list[list[str]]:
    """The last column of a CoNLL file by sentence, as programs that take lists of tags are given it."""
    sentences = path.read_text().strip().split("\n\n")
    return [[line.split()[-1] for line in sentence.splitlines()] for sentence in sentences]


def conll(side: list[list[str]]) -> list[str]:
    return [row for sentence in side for row in (*(f"token {tag}" for tag in sentence), "")]


def test_ner_and_semeval13_on_conll_files(tmp_path: Path) -> None:
    for at, corpus in enumerate(corpora(7, cases=FILES)):
        if at % 10 == 9:
            corpus = corpus[0], [["O"] * len(sentence) for sentence in corpus[1]]
        if at % 10 == 8:
            corpus = [["O"] * len(sentence) for sentence in corpus[0]], corpus[1]
        pairs = [write_lines(tmp_path, f"{n}.conll", conll(side), at) for n, side in enumerate(corpus)]
        read = tags_in(pairs[0][0]), tags_in(pairs[1][0])
        sides = [sm.SpanLines.from_tags(side, scheme="bio", malformed="drop") for side in read]
        if any(side.starts.size for side in sides):
            rows = shown(sm.evaluate(pairs[0][1], pairs[1][1], protocol="ner", engine="serial"))
            for average in ("micro", "macro", "weighted"):
                *values, _ = precision_recall_fscore_support(*read, average=average, scheme=IOB2)
                for heading, value in zip(("precision", "recall", "F1"), values, strict=True):
                    assert same(rows[average][heading], float(value)), (average, heading, rows, read)
        sides = [sm.SpanLines.from_tags(side, scheme="bio", malformed="keep") for side in read]
        if any(side.starts.size for side in sides):
            rows = shown(sm.evaluate(pairs[0][1], pairs[1][1], protocol="semeval13", engine="serial"))
            overall = Evaluator(*read, tags=list(TYPES), loader="list").evaluate()["overall"]
            for schema, name in test_semeval13.PEER.items():
                for heading, field in test_semeval13.FIELDS.items():
                    assert same(rows[schema][heading], float(getattr(overall[name], field))), (schema, heading, read)


def rttm(data: list[Recording], side: int) -> list[str]:
    return [
        f"SPEAKER talk{at} 1 {start / 10} {(stop - start) / 10} <NA> <NA> {name} <NA> <NA>"
        for at, recording in enumerate(data)
        for start, stop, name in recording[side]  # type: ignore[union-attr]
    ]


def loaded(path: Path) -> dict[str, Annotation]:
    found: dict[str, Annotation] = load_rttm(path) if path.stat().st_size else {}
    return found


def test_diarization_on_rttm_and_uem_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(58)
    compared = 0
    while compared < FILES:
        data = recordings(rng)
        if compared % 10 == 9:
            data = [(true, [], parts) for true, _, parts in data]
        if all(parts is None for *_, parts in data) or compared % 2:
            data = [(true, pred, None) for true, pred, _ in data]
        else:
            data = [(true, pred, parts or [(0, 60)]) for true, pred, parts in data]
        paired = compared % 10 == 9 or any(true and pred for true, pred, _ in data)
        if not (paired and any(true for true, *_ in data)):
            continue  # nothing in common: a named error
        true, pred = (
            write_lines(tmp_path, f"{side}.rttm", rttm(data, n), compared) for n, side in enumerate(("true", "pred"))
        )
        rows = [
            f"talk{at} 1 {start / 10} {stop / 10}" for at, (*_, parts) in enumerate(data) for start, stop in parts or ()
        ]
        uem = write_lines(tmp_path, "all.uem", rows, compared)
        rates = DiarizationErrorRate(), JaccardErrorRate()
        sides, regions = (loaded(true[0]), loaded(pred[0])), load_uem(uem[0]) if rows else {}
        for name in sorted({*sides[0], *sides[1]}):
            region: Timeline | None = regions.get(name)
            for rate in rates:
                rate(sides[0].get(name, Annotation()), sides[1].get(name, Annotation()), uem=region)
        options = {"read": {"uem": str(uem[1])}} if rows else {}
        run = sm.evaluate(true[1], pred[1], protocol="diarization", engine="serial", **options)  # type: ignore[arg-type]
        row = shown(run)["all recordings"]
        compared += 1
        if rates[0]["total"] < 1e-9:
            assert row["DER"] is None
            continue
        assert row["DER"] == pytest.approx(abs(rates[0]), abs=1e-9), (data, row)
        if all(has_one_best_map(*recording) for recording in data):
            assert row["JER"] == pytest.approx(abs(rates[1]), abs=1e-9), (data, row)


def test_music_on_lab_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(72)
    for at in range(FILES):
        data, folder = tracks(rng), tmp_path / str(at)
        found: dict[str, list[float]] = defaultdict(list)
        for number, track in enumerate(data):
            sides: list[Any] = []
            for name, listed in zip(("true", "pred"), track, strict=True):
                rows = ["# start end label", *(f"{a / 8}\t{b / 8}\t{label}" for a, b, label in listed)]
                path, _ = write_lines(folder / name, f"{number}.lab", rows, at)
                sides += mir_eval.io.load_labeled_intervals(str(path))
            with np.errstate(all="ignore"):
                scores = dict(mir_eval.segment.evaluate(*sides))
            if abs(scores["Mutual Information"]) < 1e-12 and scores[NMI] != 1:
                scores[NMI] = 0.0  # a named exception
            for heading, score in scores.items():
                found[heading] += [] if math.isnan(score) else [score]
        run = sm.evaluate(folder / "true" / "ours", folder / "pred" / "ours", protocol="music", engine="serial")
        for heading, row in shown(run).items():
            value = np.mean(found[heading]) if found[heading] else None
            assert row["mean"] == pytest.approx(value, abs=1e-9), (heading, data)


def test_sound_events_on_lists_without_a_header(tmp_path: Path) -> None:
    """Against the definitions of sed_eval, whose package needs dcase_util."""
    rng = np.random.default_rng(62)
    at = 0
    while at < FILES:
        data = [(true, events(rng, true)) for true in (events(rng) for _ in range(rng.integers(1, 4)))]
        if at % 10 == 9:
            data = [(true, []) for true, _ in data]
        rows = [
            [
                "\t".join([f"/audio/{number}.wav", *map(str, event)])
                for number, recording in enumerate(data)
                for event in recording[side]
            ]
            for side in (0, 1)
        ]
        named = [{row.split("\t")[0] for row in side} for side in rows]
        if not named[0] or not (named[0] & named[1] or at % 10 == 9):
            continue
        paths = [write_lines(tmp_path, f"{n}.txt", side, at)[1] for n, side in enumerate(rows)]
        at += 1
        options = {key: {"collar": 0.25} for key in ("event_based_f1", "event_based_error_rate")}
        table = shown(sm.evaluate(*paths, protocol="sound-events", options=options, engine="serial"))
        for kind, sums in (("event", event_reference(data, "optimal")), ("segment", segment_reference(data))):
            scores, rates = expected(*sums)
            for heading in scores:
                assert same(table[f"{kind}-based F1"][heading], scores[heading]), (kind, heading, data)
                if kind == "segment" or heading != "overall" or one_matching(data):
                    assert same(table[f"{kind}-based error rate"][heading], rates[heading]), (kind, heading, data)


def twelve_numbers(true: Path, pred: Path) -> list[float]:
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO(str(true))
        if json.loads(pred.read_text()):
            found = coco.loadRes(str(pred))
        else:  # loadRes fails for []
            found = COCO()
            found.dataset = {**coco.dataset, "annotations": []}
            found.createIndex()
        evaluation = COCOeval(coco, found, "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [math.nan if value == -1 else float(value) for value in evaluation.stats]


def renumbered(data: DataSet) -> None:
    """Give images and annotations ids beyond 2⁵³."""
    for image in data.truth["images"]:
        image["id"] += LARGE
    for one in data.truth["annotations"]:
        one["id"] += LARGE
    for one in (*data.truth["annotations"], *data.results):
        one["image_id"] += LARGE


def test_coco_instances_on_files(tmp_path: Path) -> None:
    for at in range(FILES):
        data = random_data_set(5000 + at)
        if at % 10 == 9:
            data.results = []
        if at % 10 == 8:
            data.truth["annotations"] = []
        if at % 3 == 0:
            renumbered(data)
        (true, own_true), (pred, own_pred) = (
            write_lines(tmp_path, f"{name}.json", [json.dumps(content, indent=1)], at)
            for name, content in (("true", data.truth), ("pred", data.results))
        )
        run = sm.evaluate(own_true, own_pred, protocol="coco-instances", engine="serial")
        ours = [row[1].value for row in run.protocol_table().rows]  # type: ignore[union-attr]
        values = [math.nan if value is None else value for value in ours]
        assert values == pytest.approx(twelve_numbers(true, pred), abs=1e-12, nan_ok=True), at


def data_set_of(folder: Path, lengths: dict[str, int]) -> KittiMOTS:
    config = {"GT_FOLDER": str(folder / "gt"), "TRACKERS_FOLDER": str(folder / "trackers"), "TRACKERS_TO_EVAL": ["t"]}
    with contextlib.redirect_stdout(io.StringIO()):
        return KittiMOTS({**config, "SEQ_INFO": lengths, "PRINT_CONFIG": False, "OUTPUT_FOLDER": str(folder)})


def test_mots_on_text_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(83)
    compared = 0
    while compared < FILES:
        true = video(rng, int(rng.integers(1, 5)), int(rng.integers(10, 60)))
        videos = {"0001": (true, predicted(rng, true) * (compared % 10 != 9))}
        if not true.any() or has_tie(videos):
            continue
        folder = tmp_path / str(compared)
        for name, place, labels in zip(("gt", "t"), ("gt/label_02", "trackers/t/data"), videos["0001"], strict=True):
            theirs, _ = write_lines(folder / name, "0001.txt", lines(labels), compared)
            (folder / place).mkdir(parents=True)
            theirs.rename(folder / place / "0001.txt")
        data_set = data_set_of(folder, {"0001": len(true)})
        raw = data_set.get_raw_seq_data("t", "0001")
        run = sm.evaluate(folder / "gt" / "ours", folder / "t" / "ours", protocol="mots", engine="serial")
        rows = shown(run)
        for cls in CLASSES.values():
            data = data_set.get_preprocessed_seq_data(raw, cls)
            if not data["num_gt_dets"] + data["num_tracker_dets"]:
                continue
            hota, clear, identity = (metric.combine_sequences({"a": metric.eval_sequence(data)}) for metric in METRICS)
            row = {heading: float(np.mean(hota[field])) for heading, field in FIELDS.items()}
            row |= {h: float(clear[field]) if data["num_gt_dets"] else math.nan for h, field in CLEAR.items()}
            row["IDF1"] = float(identity["IDF1"])
            for heading, value in row.items():
                assert same(rows[cls][heading], value), (cls, heading, rows, row, videos)
        compared += 1


def scattered(rng: np.random.Generator, image: NDArray[np.int64]) -> NDArray[np.int64]:
    """Replace the labels of an image by ids beyond 2⁵³, in any order."""
    ids = np.concatenate([[0], LARGE + rng.permutation(int(image.max(initial=0)))])
    renamed: NDArray[np.int64] = ids[image]
    return renamed


def test_cell_protocols_on_folders_of_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(54)
    for at in range(FILES):
        images = [pair(rng) for _ in range(rng.integers(1, 3))]
        if at % 10 == 9:
            images = [(true, 0 * pred) for true, pred in images]
        folders = tmp_path / f"true{at}", tmp_path / f"pred{at}"
        for number, both in enumerate(images):
            for folder, image in zip(folders, both, strict=True):
                folder.mkdir(exist_ok=True)
                np.save(folder / f"{number}.npy", scattered(rng, image) if at % 3 == 0 else image)
        tables = {name: shown(sm.evaluate(*folders, protocol=name, engine="serial")) for name in CELLS}
        (row,) = tables["cellpose"].values()
        by_image = [average_precisions(*image) for image in images]
        for place, threshold in enumerate(THRESHOLDS):
            assert same(row[f"AP@{threshold}"], mean([values[place] for values in by_image])), (row, images)
        assert same(row["AJI"], mean([aji(*image) for image in images])), (row, images)
        limits = test_stardist.THRESHOLDS
        found = STARDIST.matching_dataset(*zip(*images, strict=True), thresh=limits, show_progress=False)
        for row, peer in zip(tables["stardist"].values(), found, strict=True):
            for heading, name in test_stardist.COUNTS.items():
                assert same(row[heading], getattr(peer, name)), (heading, row, peer, images)
            assert row["PQ"] == pytest.approx(peer.panoptic_quality, rel=1e-6, abs=1e-7)
        (row,) = tables["ctc-seg"].values()
        for heading, value in test_ctc_seg.reference(images).items():
            assert same(row[heading], value), (heading, row, images)


def test_lvis_on_files(tmp_path: Path, lvis: Any) -> None:
    for at in range(FILES):
        data = federated(7000 + at)
        if at % 3 == 0:
            renumbered(data)
        true, pred = (
            write_lines(tmp_path, f"{name}.json", [json.dumps(content)], at)[1]
            for name, content in (("true", data.truth), ("pred", data.results))
        )
        rows = shown(sm.evaluate(true, pred, protocol="lvis", engine="serial")).values()
        if not data.results:  # the package fails
            assert {row["value"] for row in rows} <= {0.0, None}
            continue
        for row, value, name in zip(rows, reference(lvis, data, tmp_path), REFERENCE, strict=True):
            assert same(row["value"], value), (at, name)


@pytest.mark.parametrize("package", ["mir_eval", "nervaluate", "pyannote.metrics", "trackeval", "seqeval"])
def test_installed_programs_bring_no_data_sets_of_their_own(package: str) -> None:
    """Their fixtures are in their repositories, not in what pip installs; one that appears here is to be run."""
    data = (".lab", ".rttm", ".uem", ".conll", ".ann", ".jams", ".npz")
    installed = files_of(package)
    assert installed and not [file for file in installed if file.suffix in data or "fixtures" in file.parts]
