"""Drop-ins against the packages they stand for, on random data: the same names, signatures and results."""

from __future__ import annotations

import copy
import inspect
import json
import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry.compat
from segmetry.errors import DataWarning, OptionError, UnknownNameError
from tests.peers.protocols.coco_data_sets import random_data_set
from tests.peers.protocols.single_modules import module_of

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning"),
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*(NE tag|ill-defined|constant)"),
]


def outcome(call: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result, or the type of the error."""
    try:
        return call(*copy.deepcopy(args), **options)
    except Exception as problem:  # noqa: BLE001 - errors are compared, too
        return type(problem)


def same_parameters(ours: Any, theirs: Any, names: list[str]) -> None:
    for name in names:
        own, other = (inspect.signature(getattr(module, name)).parameters for module in (ours, theirs))
        assert list(own) == list(other), name
        for parameter, of_other in zip(own.values(), other.values(), strict=True):
            assert parameter.kind == of_other.kind, (name, parameter)
            if of_other.default is not inspect.Parameter.empty:
                assert parameter.default == of_other.default or not of_other.default, (name, parameter)


def test_nltk_windows() -> None:
    from nltk.metrics import segmentation as theirs

    from segmetry.compat import nltk as ours

    same_parameters(ours, theirs, ["pk", "windowdiff"])
    rng = np.random.default_rng(1)
    for _ in range(1500):
        n = int(rng.integers(0, 40))
        sides: list[Any] = ["".join(rng.choice(["0", "1"], n, p=[1 - p, p])) for p in rng.random((1, 1)).repeat(2)]
        if rng.random() < 0.3:
            sides = [list(side) for side in sides]
        for k in (0, 1, 2, n // 2, n, n + 1, n + 2, -1):
            for options in ({}, {"boundary": "0"}):
                assert outcome(ours.pk, *sides, k, **options) == outcome(theirs.pk, *sides, k, **options)
            for weighted in (False, True):
                expected = outcome(theirs.windowdiff, *sides, k, weighted=weighted)
                assert outcome(ours.windowdiff, *sides, k, weighted=weighted) == expected
        assert outcome(ours.pk, *sides) == outcome(theirs.pk, *sides)


def test_seqeval() -> None:
    import seqeval.metrics as theirs
    from seqeval import scheme as schemes
    from seqeval.metrics import sequence_labeling

    from segmetry.compat import seqeval as ours

    scores = ["precision_score", "recall_score", "f1_score"]
    same_parameters(ours, theirs, [*scores, "accuracy_score", "performance_measure", "classification_report"])
    same_parameters(ours, sequence_labeling, ["get_entities", "precision_recall_fscore_support"])
    rng, known = np.random.default_rng(2), {"IOB1": "BIO", "IOB2": "BIO", "IOBES": "BIOES", "BILOU": "BILOU"}
    for _ in range(250):
        letters = list(str(rng.choice(["BIO", "BIOES", "BIO.X", "BILOU"])))
        types, suffix = [["A"], ["A", "B", "C-D"]][rng.integers(2)], bool(rng.random() < 0.3)

        def tag(letters: list[str] = letters, types: list[str] = types, *, suffix: bool = suffix) -> str:
            letter, name = str(rng.choice([*letters, *"OOO"])), str(rng.choice(types))
            plain = letter if letter == "O" or rng.random() < 0.05 else None
            return plain or (f"{name}-{letter}" if suffix else f"{letter}-{name}")

        true = [[tag() for _ in range(rng.integers(0, 8))] for _ in range(rng.integers(1, 6))]
        pred = [[one if rng.random() < 0.7 else tag() for one in line] for line in true]
        for tags in (true, true[0]):
            expected = outcome(sequence_labeling.get_entities, tags, suffix)
            assert outcome(ours.get_entities, tags, suffix) == expected
        for name in ("accuracy_score", "performance_measure"):
            assert outcome(getattr(ours, name), true, pred) == outcome(getattr(theirs, name), true, pred)
        strict = [{"mode": "strict", "scheme": getattr(schemes, n)} for n in known if set(letters) <= set(known[n])]
        for options in ({}, *strict):
            for average in ("micro", "macro", "weighted", None):
                given = {
                    **options,
                    "suffix": suffix,
                    "average": average,
                    "zero_division": ["warn", 0, 1][rng.integers(3)],
                }
                for name in scores:
                    found, expected = (outcome(getattr(m, name), true, pred, **given) for m in (ours, theirs))
                    assert found is expected or np.array_equal(found, expected, equal_nan=True), (true, pred, given)
            for as_dict in (False, True):
                given = {**options, "suffix": suffix, "output_dict": as_dict, "digits": 4}
                expected = outcome(theirs.classification_report, true, pred, **given)
                if expected is not ValueError:  # where there is no entity at all
                    found = outcome(ours.classification_report, true, pred, **given)
                    assert str(found) == str(expected), (true, pred, given)
        for beta in (0.5, 2.0, math.inf):
            function = "precision_recall_fscore_support"
            found, expected = (
                outcome(getattr(m, function), true, pred, beta=beta, suffix=suffix) for m in (ours, sequence_labeling)
            )
            assert all(map(np.array_equal, found, expected))


def test_medpy() -> None:
    from medpy.metric import binary as theirs

    from segmetry.compat import medpy as ours

    counts = ["dc", "jc", "precision", "recall", "sensitivity", "specificity", "true_negative_rate", "ravd"]
    counts += ["true_positive_rate", "positive_predictive_value"]
    distances, parts = ["hd", "hd95", "asd", "assd", "obj_asd", "obj_assd"], ["obj_fpr", "obj_tpr"]
    same_parameters(ours, theirs, [*counts, *distances, *parts, "volume_correlation", "volume_change_correlation"])
    rng = np.random.default_rng(3)
    for _ in range(200):
        axes = int(rng.integers(1, 4))
        shape, density = tuple(rng.integers(1, 9, axes).tolist()), rng.random()
        pair = [(rng.random(shape) < density) * 3 for _ in range(2)]
        spacing = [None, 2.5, rng.uniform(0.1, 3, axes).tolist()][rng.integers(3)]
        connectivity = int(rng.integers(1, axes + 1))
        for names, options in ((counts, ()), (distances, (spacing, connectivity)), (parts, (connectivity,))):
            for name in names:
                found, expected = (outcome(getattr(module, name), *pair, *options) for module in (ours, theirs))
                if expected is ZeroDivisionError or (isinstance(expected, float) and math.isnan(expected)):
                    # 0/0: newer versions of numpy keep MedPy from seeing it; parts there are none of.
                    assert found in (0.0, 1.0) or math.isnan(found), name
                else:
                    assert found is expected or found == pytest.approx(expected, rel=1e-13), (name, pair)
    stacks = [rng.random((6, 40)) < rng.random((6, 1)) for _ in range(2)]
    for name in ("volume_correlation", "volume_change_correlation"):
        assert getattr(ours, name)(*stacks) == pytest.approx(getattr(theirs, name)(*stacks))


def test_surface_distance() -> None:
    import surface_distance as theirs

    from segmetry.compat import surface_distance as ours

    rng = np.random.default_rng(4)
    reduced = {
        "compute_average_surface_distance": (),
        "compute_robust_hausdorff": (95,),
        "compute_surface_overlap_at_tolerance": (1.1,),
        "compute_surface_dice_at_tolerance": (1.1,),
    }
    same_parameters(ours, theirs, ["compute_surface_distances", "compute_dice_coefficient", *reduced])
    for _ in range(150):
        axes = int(rng.integers(2, 4))
        shape, density = rng.integers(2, 9, axes), rng.uniform(0.05, 1)
        true, pred = (rng.random(shape) < density for _ in range(2))
        if not (true.any() and pred.any()):
            continue
        spacing = rng.uniform(0.2, 3, axes).tolist()
        found, expected = (module.compute_surface_distances(true, pred, spacing) for module in (ours, theirs))
        assert found.keys() == expected.keys()
        for name, column in expected.items():
            if name.startswith("distances"):
                assert found[name] == pytest.approx(column, rel=1e-13)
            assert found[name].sum() == pytest.approx(column.sum(), rel=1e-12)
        for name, options in reduced.items():
            values = (getattr(module, name)(own, *options) for module, own in ((ours, found), (theirs, expected)))
            assert next(values) == pytest.approx(next(values), rel=1e-12), name
        assert ours.compute_dice_coefficient(true, pred) == theirs.compute_dice_coefficient(true, pred)
    for wrong in (
        (true, pred, [1]),
        (true.astype(int), pred, spacing),
        (true[0, 0], pred[0, 0], [1.0] * true[0, 0].ndim),
    ):
        assert outcome(ours.compute_surface_distances, *wrong) is ValueError
    empty = ours.compute_surface_distances(np.zeros((3, 3), bool), np.eye(3) > 0, [1, 1])
    assert empty["distances_gt_to_pred"].size == 0 and np.isinf(empty["distances_pred_to_gt"]).all()
    assert ours.compute_robust_hausdorff(empty, 95) == math.inf


def as_rows(result: Any) -> list[dict[str, Any]]:
    return [one._asdict() for one in (result if isinstance(result[0], tuple) else [result])]


def test_stardist() -> None:
    pytest.importorskip("tqdm")
    jit = {"jit": lambda **_: lambda function: function, "njit": None}
    theirs = module_of("stardist", "matching.py", numba=jit, **{"csbdeep.utils": {"_raise": _raise}, "csbdeep": {}})

    from segmetry.compat import stardist as ours

    same_parameters(ours, theirs, ["matching", "matching_dataset", "matching_dataset_lazy"])
    rng = np.random.default_rng(5)
    for _ in range(200):
        n, kind = int(rng.integers(1, 14)), rng.choice(["u1", "i4", "i8"])
        true = np.kron(rng.integers(0, n, (6, 6)), np.ones((2, 2), int)).astype(kind)
        pred = (np.where(rng.random(true.shape) < 0.3, rng.integers(0, n, true.shape), true) * 3).astype(kind)
        given = {
            "thresh": [0, None, 0.1, 0.5, 0.9, (0.5, 0.7)][rng.integers(6)],
            "criterion": str(rng.choice(["iou", "iot", "iop"])),
        }
        for images in ((true, pred), (true, true * 0), (true * 0, pred)):
            for report in (False, True):
                found, expected = (outcome(m.matching, *images, **given, report_matches=report) for m in (ours, theirs))
                for own, other in zip(as_rows(found), as_rows(expected), strict=True):
                    assert list(own) == list(other)
                    matched = [
                        {row["matched_pairs"][at] for at in row["matched_tps"]} for row in (own, other) if report
                    ]
                    zero = given["thresh"] in (0, None)  # pairs of cells that share nothing: any will do
                    assert not report or zero or matched[0] == matched[1]
                    for name in set(own) - {"matched_pairs", "matched_scores", "matched_tps"}:
                        assert own[name] == pytest.approx(other[name], rel=1e-6) if name != "criterion" else True
        if given["thresh"] is not None:
            for by_image in (False, True):
                options = {**given, "by_image": by_image, "show_progress": False, "parallel": by_image}
                sides = [true, pred, true * 0], [pred, pred, true]
                found, expected = (m.matching_dataset(*sides, **options) for m in (ours, theirs))
                for own, other in zip(as_rows(found), as_rows(expected), strict=True):
                    assert list(own) == list(other)
                    del own["criterion"], other["criterion"]
                    assert own == pytest.approx(other, rel=1e-6)
    for wrong in ((true, pred[1:]), (true - 5.0, pred), (true.astype(int) - 50, pred)):
        assert outcome(ours.matching, *wrong) is ValueError
    assert outcome(ours.matching, true, pred, criterion="dice") is ValueError


def _raise(problem: Exception) -> None:
    raise problem


def test_panopticapi(coco_panoptic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against what the package computed for these files: it is in no registry."""
    from segmetry.compat.panopticapi import pq_compute

    expected = json.loads((coco_panoptic / "expected_panopticapi.json").read_text())
    files = str(coco_panoptic / "truth.json"), str(coco_panoptic / "pred.json")
    found = pq_compute(*files, gt_folder=str(coco_panoptic / "truth"))
    for name in ("All", "Things", "Stuff"):
        assert found[name] == pytest.approx({key: expected[name][key] for key in ("pq", "sq", "rq", "n")}, abs=1e-12)
    for label, values in found["per_class"].items():
        assert values == pytest.approx({key: expected["per_class"][str(label)][key] for key in values}, abs=1e-12)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["|", "PQ", "SQ", "RQ", "N"]
    numbers = [f"{100 * expected['All'][key]:.1f}" for key in ("pq", "sq", "rq")]
    assert lines[2].split() == ["All", "|", *numbers, str(expected["All"]["n"])]


def test_masks_of_pycocotools() -> None:
    from pycocotools import mask as theirs

    from segmetry.compat.pycocotools import mask as ours

    rng = np.random.default_rng(6)
    for _ in range(300):
        shape = (*rng.integers(1, 30, 2).tolist(), int(rng.integers(1, 4)))
        block = int(rng.integers(1, 6))
        stack = np.asfortranarray((rng.random(shape).repeat(block, 0) < rng.random()).astype(np.uint8))
        other = np.asfortranarray((rng.random(stack.shape) < 0.5).astype(np.uint8))
        encoded, expected = ours.encode(stack), theirs.encode(stack)
        assert encoded == expected
        assert ours.encode(stack[:, :, 0]) == theirs.encode(np.asfortranarray(stack[:, :, 0]))
        assert np.array_equal(ours.decode(expected), stack) and np.array_equal(ours.decode(expected[0]), stack[:, :, 0])
        assert (
            ours.area(expected).tolist() == theirs.area(expected).tolist()
            and ours.area(expected[0]) == stack[..., 0].sum()
        )
        assert ours.toBbox(expected).tolist() == theirs.toBbox(expected).tolist()
        truths, crowd = theirs.encode(other), rng.integers(0, 2, shape[2]).tolist()
        assert np.array_equal(ours.iou(expected, truths, crowd), theirs.iou(expected, truths, crowd))
        for intersect in (0, 1):
            assert ours.merge(expected, intersect) == theirs.merge(expected, intersect)
        boxes = [rng.uniform(0, 20, (n, 4)).round(1).tolist() for n in (3, 4)]
        crowd = rng.integers(0, 2, 4).tolist()
        assert np.array_equal(ours.iou(*boxes, crowd), theirs.iou(*boxes, crowd))
        counts = rng.multinomial(30, [0.2] * 5).tolist()
        plain = {"size": [5, 6], "counts": counts}
        assert ours.frPyObjects([plain], 5, 6) == theirs.frPyObjects([plain], 5, 6)
        outline = [(rng.random(8) * 20).tolist()]
        assert ours.frPyObjects(outline, 20, 20) == theirs.frPyObjects(outline, 20, 20)
    assert ours.iou([], [[0, 0, 1, 1]], [0]) == []


def both(seed: int, *, boxes: bool) -> tuple[Any, Any, str]:
    import pycocotools.coco
    import pycocotools.cocoeval

    from segmetry.compat import pycocotools as ours

    data = random_data_set(seed, boxes=boxes)
    if not data.results:
        data.results.append(
            {"image_id": data.truth["images"][0]["id"], "category_id": 1, "score": 0.3, "bbox": [0, 0, 9, 9]}
        )
        boxes = True
    if seed % 7 == 0 and data.truth["annotations"]:
        data.truth["annotations"][-1]["id"] = 0
    made = []
    for coco, evaluation in ((ours.COCO, ours.COCOeval), (pycocotools.coco.COCO, pycocotools.cocoeval.COCOeval)):
        truth = coco()
        truth.dataset = copy.deepcopy(data.truth)
        truth.createIndex()
        made.append(evaluation(truth, truth.loadRes(copy.deepcopy(data.results)), "bbox" if boxes else "segm"))
    return made[0], made[1], "bbox" if boxes else "segm"


@pytest.mark.parametrize("boxes", [False, True])
def test_evaluation_of_pycocotools(boxes: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(60):
        ours, theirs, _ = both(seed, boxes=boxes)
        printed = []
        for evaluation in (ours, theirs):
            if seed % 3 == 0:
                evaluation.params.useCats = 0
            if seed % 5 == 0:
                evaluation.params.maxDets, evaluation.params.iouThrs = [1, 2, 5], np.array([0.3, 0.5, 0.8, 1.0])
            evaluation.evaluate()
            evaluation.accumulate()
            capsys.readouterr()
            evaluation.summarize()
            printed.append(capsys.readouterr().out)
        assert printed[0] == printed[1]
        assert np.array_equal(ours.stats, theirs.stats)
        assert ours.eval["counts"] == theirs.eval["counts"]
        for name in ("precision", "recall", "scores"):
            assert np.array_equal(ours.eval[name], theirs.eval[name]), (seed, name)
        assert len(ours.evalImgs) == len(theirs.evalImgs)
        for own, other in zip(ours.evalImgs, theirs.evalImgs, strict=True):
            assert (own is None) == (other is None)
            for name in other or ():
                assert np.array_equal(own[name], other[name]), (seed, name)
        for key, overlaps in theirs.ious.items():
            assert np.array_equal(np.asarray(ours.ious[key]), np.asarray(overlaps))


def test_index_of_pycocotools(tmp_path: Path) -> None:
    for seed in range(30):
        ours, theirs, _ = both(seed, boxes=False)
        true, other = ours.cocoGt, theirs.cocoGt
        (tmp_path / "truth.json").write_text(json.dumps(true.dataset))
        assert type(true)(tmp_path / "truth.json").imgs == other.imgs
        ids = list(other.imgs)
        for options in (
            {},
            {"imgIds": ids[:1]},
            {"imgIds": ids[0]},
            {"catIds": [1]},
            {"areaRng": [40, 2000]},
            {"iscrowd": True},
        ):
            assert true.getAnnIds(**options) == other.getAnnIds(**options)
        for options in ({}, {"imgIds": ids[:1]}, {"catIds": [1]}, {"imgIds": ids, "catIds": [1]}):
            assert sorted(true.getImgIds(**options)) == sorted(other.getImgIds(**options))
        for options in ({}, {"catNms": ["class 1"]}, {"catNms": "class 1"}, {"catIds": [2]}):
            assert true.getCatIds(**options) == other.getCatIds(**options)
        assert true.loadImgs(ids[0]) == other.loadImgs(ids[0]) and true.loadCats([1]) == other.loadCats([1])
        assert true.loadAnns(true.getAnnIds()) == other.loadAnns(other.getAnnIds())
        for own, one in zip(ours.cocoDt.anns.values(), theirs.cocoDt.anns.values(), strict=True):
            assert own.keys() == one.keys() and all(np.array_equal(own[name], one[name]) for name in own)
            assert np.array_equal(ours.cocoDt.annToMask(own), theirs.cocoDt.annToMask(one))
    rows = np.array([[ids[0], 1, 2, 3, 4, 0.5, 1]])
    assert true.loadRes(rows).anns == other.loadRes(rows.copy()).anns
    with pytest.raises(AssertionError, match="do not correspond"):
        true.loadRes([{"image_id": -1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}])


def test_a_patched_package_is_computed_here_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    import pycocotools.cocoeval

    theirs = pycocotools.cocoeval.COCOeval
    with segmetry.compat.patch("pycocotools"):
        from pycocotools.coco import COCO
        from pycocotools.mask import encode

        assert {pycocotools.cocoeval.COCOeval.__module__, COCO.__module__} == {"segmetry.compat.pycocotools"}
        assert encode.__module__ == "segmetry.compat.coco_rle"
    assert pycocotools.cocoeval.COCOeval is theirs
    import nltk

    whole = nltk.windowdiff
    with segmetry.compat.patch("nltk"):
        assert nltk.windowdiff.__module__ == "segmetry.compat.nltk"  # handed on by two modules
    assert nltk.windowdiff is whole
    with segmetry.compat.patch("panopticapi"):  # which is not installed
        from panopticapi.evaluation import pq_compute

        assert pq_compute.__module__ == "segmetry.compat.panopticapi"
    assert "panopticapi" not in sys.modules and "panopticapi.evaluation" not in sys.modules
    with pytest.raises(UnknownNameError, match="no drop-in for 'cv2'; expected one of pycocotools"):
        segmetry.compat.patch("cv2")


def faults() -> dict[str, tuple[Callable[[], Any], str]]:
    from segmetry.compat import medpy, nltk, pycocotools, seqeval, stardist, surface_distance

    def coco(change: dict[str, Any], **params: Any) -> None:
        truth = pycocotools.COCO()
        box = {"bbox": [0.0, 0.0, 4.0, 4.0], "image_id": 1, "category_id": 1}
        truth.dataset = {
            "images": [{"id": 1, "height": 9, "width": 9}],
            "categories": [{"id": 1, "name": "a"}],
            "annotations": [{**box, "id": 1, "area": 16, "iscrowd": 0, **change}],
        }
        truth.createIndex()
        segment = {"size": [9, 9], "counts": [0, 5, 76]}
        evaluation = pycocotools.COCOeval(truth, truth.loadRes([{**box, "score": 1, "segmentation": segment}]), "bbox")
        vars(evaluation.params).update(params)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()

    lines = [["B-A", "O"]]
    half = {"distances_gt_to_pred": np.array([0.1 + 0.2]), "surfel_areas_gt": np.ones(1)}
    half |= {"distances_pred_to_gt": np.array([0.3]), "surfel_areas_pred": np.ones(1)}
    return {
        "nltk.k": (lambda: nltk.pk("000001000000", "000000000000"), "window of 6 gaps.*is 3, and Pk is"),
        "medpy.dc": (lambda: medpy.dc([0, 0], [0, 0]), "dc of nothing is 1; 0/0 is undefined"),
        "medpy.obj_fpr": (lambda: medpy.obj_fpr([1, 0, 1, 0], [1, 0, 0, 0]), r"without a partner, 0; .* is 0\.5"),
        "medpy.obj_tpr": (
            lambda: medpy.obj_tpr([1, 0, 1, 0], [1, 0, 0, 0]),
            "divides by the 2 predicted parts; of the 1",
        ),
        "surface_distance.tolerance": (
            lambda: surface_distance.compute_surface_dice_at_tolerance(half, 0.3),
            "but for the rounding of its last bit",
        ),
        "seqeval.strict": (lambda: seqeval.f1_score(lines, lines, mode="strict"), "does nothing without scheme="),
        "seqeval.weight": (lambda: seqeval.f1_score(lines, lines, sample_weight=[2]), "counts every line once"),
        "seqeval.fn": (lambda: seqeval.performance_measure([["B-A"]], [["B-B"]]), "1 more tags are missed"),
        "stardist.threshold": (
            lambda: stardist.matching(np.array([[1, 0]]), np.array([[0, 1]]), thresh=0),
            "counts cells without a common pixel as matched for thresh=0; 0 pairs share one",
        ),
        "coco.id": (lambda: coco({"id": 0}), "match of a truth whose id is 0 as a miss"),
        "coco.area": (lambda: coco({}), "takes 16, the area of its box.*the mask has 5"),
        "coco.maxDets": (lambda: coco({}, maxDets=[1, 2, 5]), r"-1 where maxDets has none \(5 here\)"),
    }


@pytest.mark.parametrize("fault", list(faults()))
def test_a_known_fault_is_said_once_with_the_right_value(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from segmetry.compat import patched

    call, words = faults()[fault]
    monkeypatch.setattr(patched, "_said", {other for other in faults() if other != fault})
    with pytest.warns(DataWarning, match=words):
        call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()


def test_what_the_drop_in_of_coco_does_not_have_is_said() -> None:
    from segmetry.compat.pycocotools import COCOeval

    with pytest.raises(OptionError, match="iouType is 'keypoints'; expected 'segm' or 'bbox'"):
        COCOeval(iouType="keypoints")
    ours, _, _ = both(1, boxes=True)
    with pytest.raises(RuntimeError, match=r"evaluate\(\) first"):
        ours.accumulate()
    ours.evaluate()
    ours.params.areaRng = [[0, 5]]
    with pytest.raises(OptionError, match="areaRng has changed since evaluate"):
        ours.accumulate()
