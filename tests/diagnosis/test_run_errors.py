"""What single errors cost: the error is fixed element by element, the run is scored again, and the difference taken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import ndimage

import segmetry as sm
from segmetry.diagnosis.diagnosis_result import difference
from segmetry.diagnosis.element_errors import _boundary_kinds
from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.run_errors import RunError, errors_of
from segmetry.errors import OptionError
from segmetry.metrics.score import Score
from segmetry.protocols import PROTOCOLS
from tests.diagnosis.oracle import VOID, Brute, Scene
from tests.diagnosis.strategies import hows, scenes
from tests.profiles import examples
from tests.protocols.small_data_sets import small_data_set

WITHOUT_COSTS = {
    *("action", "brats", "brats-men", "brats-met", "change-points", "mots", "music", "music-hierarchy"),
    *("panoptic-nuscenes", "semantic-kitti", "sound-events", "superpixels", "vpq"),
}
"""Protocols whose headline needs the inputs in a way that no single error is a sum of."""


def fixed_alone(brute: Brute, error: RunError) -> Scene:
    """The scene after one error is fixed, with Python sets."""
    scene, home = brute.scene, list(brute.scene.pred)
    classes = None if scene.pred_class is None else dict(scene.pred_class)
    if error.kind == "class":
        classes[error.pred_ids[0]] = scene.true_class[error.true_ids[0]]  # type: ignore[index]
    elif error.kind in ("split", "merge", "missed", "spurious"):
        keep_true, keep_pred = set(error.true_ids), set(error.pred_ids)
        splits, merges, unexplained = brute.splits, brute.merges, brute.unexplained(())
        brute.splits = lambda: {t: parts for t, parts in splits().items() if t in keep_true}  # type: ignore[method-assign]
        brute.merges = lambda: {h: parts for h, parts in merges().items() if h in keep_pred}  # type: ignore[method-assign]
        one = ({t for t in unexplained[0] if t in keep_true}, {h for h in unexplained[1] if h in keep_pred})
        brute.unexplained = lambda _: one  # type: ignore[method-assign,assignment]
        getattr(brute, f"_{error.kind}")(home, classes, ())
    else:
        (t,), (h,) = error.true_ids, error.pred_ids
        partner = dict(brute.matched)
        for element in brute.h[h] - brute.t[t]:
            home[element] = partner.get(scene.true[element], 0)
        for element in brute.t[t]:
            home[element] = h
    return replace(scene, pred=tuple(home), pred_class=classes)


def score_of(scenes_: list[Scene], rule: str, policy: str, classes: Any) -> sm.Run:
    pairs = {f"i{at}": scene.segmentations() for at, scene in enumerate(scenes_)}
    sides = ({name: pair[at] for name, pair in pairs.items()} for at in (0, 1))
    return sm.evaluate(*sides, metrics="pq", rule=rule, policy=policy, classes=classes)


@examples(6)
@given(scenes(), scenes(), hows)
def test_the_cost_of_an_error_is_what_the_score_gains_if_it_alone_is_fixed(
    first: Scene, second: Scene, how: tuple[str, str, str]
) -> None:
    rule, policy, classes = how
    run = score_of([first, second], rule, policy, classes)
    found = errors_of(run)
    counts = run_reasons(run).counts()
    base = run.value()
    if base is None or base.reason is not None:
        return
    for kind, count in counts.items():
        assert sum(error.kind == kind for error in found) <= count["errors"]
    for error in found:
        both = [first, second]
        at = int(error.item[1:])
        both[at] = fixed_alone(Brute(both[at], rule, policy, classes), error)
        after = score_of(both, rule, policy, classes).value()
        assert after is not None
        assert error.cost == pytest.approx(100 * (after.value - base.value), abs=1e-9), error


def _runs_of_cells(protocol: str, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    random = np.random.default_rng(seed)
    sides: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for at in range(3):
        true = np.kron(random.integers(0, 7, (4, 5)), np.ones((3, 4), dtype=int))
        pred = np.where(random.random(true.shape) < 0.15, 0, np.roll(true, at, 1))
        for side, labels in zip(sides, (true, pred), strict=True):
            side[f"i{at}"] = labels
    return sides


@pytest.mark.parametrize("protocol", ["stardist", "cellpose", "hover-net", "sorted-ap", "skimage-voi", "ctc-seg"])
def test_every_headline_of_segments_is_scored_again(protocol: str) -> None:
    true, pred = _runs_of_cells(protocol, 5)
    run = sm.evaluate(true, pred, protocol=protocol)
    base, found = run.value(), [error for error in errors_of(run) if error.kind in ("missed", "spurious")]
    assert base is not None and found
    sign = -1 if protocol == "skimage-voi" else 1
    for error in found[:6]:
        changed = {name: labels.copy() for name, labels in pred.items()}
        if error.kind == "missed":
            changed[error.item][true[error.item] == error.true_ids[0]] = 900
        else:
            changed[error.item][pred[error.item] == error.pred_ids[0]] = 0
        after = sm.evaluate(true, changed, protocol=protocol).value()
        assert after is not None
        assert error.cost == pytest.approx(100 * sign * (after.value - base.value), abs=1e-9), error


@pytest.mark.parametrize("protocol", ["semantic", "nnunet", "torchmetrics-miou", "monai"])
@pytest.mark.parametrize("axes", [2, 3])
def test_a_part_of_a_class_map_is_put_right(protocol: str, axes: int) -> None:
    random = np.random.default_rng(axes)
    true, pred = {}, {}
    for at in range(3):
        labels = np.kron(random.integers(0, 4, (3, 4, 2)[:axes]), np.ones((4, 5, 4)[:axes], dtype=int))
        true[f"i{at}"] = labels
        pred[f"i{at}"] = np.where(random.random(labels.shape) < 0.1, 1, np.roll(labels, 2 + at, 1))
    run = sm.evaluate(true, pred, protocol=protocol)
    base, found = run.value(), errors_of(run)
    assert base is not None
    wrong = sum(int((true[name] != pred[name]).sum()) for name in true)
    assert sum(error.size for error in found) == wrong, "parts are all wrong elements, each once"
    assert min(error.size for error in found if error.span) >= 10
    for error in [*found[:5], *[error for error in found if not error.span][:3]]:
        a, b = (0 if name is None else int(name) for name in (error.true_class, error.pred_class))
        mask = (true[error.item] == a) & (pred[error.item] == b)
        parts, n = ndimage.label(mask, np.ones((3,) * axes))
        if error.span:
            chosen = parts == parts.ravel()[int(error.span[0])]
        else:
            sizes = ndimage.sum_labels(mask, parts, range(n + 1))
            chosen = (parts > 0) & (sizes[parts] < 10)
        assert int(chosen.sum()) == error.size
        changed = {name: labels.copy() for name, labels in pred.items()}
        changed[error.item][chosen] = a
        after = sm.evaluate(true, changed, protocol=protocol).value()
        assert after is not None
        assert error.cost == pytest.approx(100 * (after.value - base.value), abs=1e-9), error


def test_detections_are_removed_and_put_right() -> None:
    true, pred = small_data_set("coco-instances")
    run = sm.evaluate(true, pred, protocol="coco-instances")

    def ap50(truth: Any, found: Any) -> float:
        scored = sm.evaluate(
            truth, found, metrics="average_precision", options={"average_precision": {"thresholds": 0.5}}
        )
        return float(scored.summary()["average_precision"]["by_class"].value)

    base = ap50(true, pred)
    for error in errors_of(run):
        sides = [dict(true), dict(pred)]
        truth, found = true[error.item], pred[error.item]
        stack = found.dense()
        order = np.argsort(-np.asarray(found.scores), kind="stable")
        classes = [found.classes[one] for one in found.classes]
        if error.kind == "missed":
            kept = [at for at in range(3) if at != error.true_ids[0]]
            names = [truth.classes[one] for one in truth.classes]
            sides[0][error.item] = sm.Masks.from_dense(truth.dense()[kept], classes=[names[at] for at in kept])
        else:
            at = int(order[error.pred_ids[0]])
            if error.kind in ("classification", "localisation"):
                stack[at] = truth.dense()[error.true_ids[0]]
                classes[at] = error.true_class
            kept = [one for one in range(len(stack)) if one != at or error.kind in ("classification", "localisation")]
            sides[1][error.item] = sm.Masks.from_dense(
                stack[kept], classes=[classes[one] for one in kept], scores=np.asarray(found.scores)[kept]
            )
        assert error.cost == pytest.approx(100 * (ap50(*sides) - base), abs=1e-9), error


def test_wrong_speaker_time_adds_up_to_the_error_rate() -> None:
    true, pred = small_data_set("diarization")
    run = sm.evaluate(true, pred, protocol="diarization")
    value = run.value()
    assert value is not None
    assert sum(error.cost for error in errors_of(run)) == pytest.approx(100 * value.value, abs=1e-12)


def test_boundaries_and_entities_are_put_right_one_at_a_time() -> None:
    for protocol in ("text", "ner", "semeval13"):
        true, pred = small_data_set(protocol)
        run = sm.evaluate(true, pred, protocol=protocol)
        base = run.value()
        assert base is not None
        found = errors_of(run)
        assert len(found) > 2
        for error in found:
            side, truth = pred[error.item], true[error.item]
            if protocol == "text":
                places = set(side.boundaries.tolist())
                moved = {"moved": (1, 0), "missed": (None, 0), "spurious": (0, None)}[error.kind]
                places -= {int(error.span[moved[0]])} if moved[0] is not None else set()
                places |= {int(error.span[moved[1]])} if moved[1] is not None else set()
                fixed = sm.Spans.from_boundaries(sorted(places), side.n)
            else:
                spans = set(zip(side.starts.tolist(), side.stops.tolist(), side.class_list, strict=True))
                goal = tuple(map(int, error.span[:2]))
                if error.kind != "missed":
                    spans -= {(*map(int, error.span[2:]), error.pred_class)}
                if error.kind != "spurious":
                    spans = {one for one in spans if one[1] <= goal[0] or one[0] >= goal[1]}
                    spans |= {(*goal, error.true_class)}
                ordered = sorted(spans)
                fixed = sm.Spans(
                    [s[0] for s in ordered], [s[1] for s in ordered], truth.n, classes=[s[2] for s in ordered]
                )
            after = sm.evaluate(true, {**pred, error.item: fixed}, protocol=protocol).value()
            assert after is not None
            assert error.cost == pytest.approx(100 * (after.value - base.value), abs=1e-9), error


def test_every_protocol_lists_its_errors_or_says_why_not() -> None:
    for name in sorted(PROTOCOLS):
        run = sm.evaluate(*small_data_set(name), protocol=name)
        if name in WITHOUT_COSTS:
            with pytest.raises(OptionError, match="single errors have no cost"):
                errors_of(run)
            continue
        found = errors_of(run)
        assert len(found) > 0, name
        places = [(error.item, error.error) for error in found]
        assert len(set(places)) == len(places), f"{name}: two errors have one address"
        assert [error.cost for error in found] == sorted((error.cost for error in found), reverse=True)


def test_void_elements_are_never_wrong_parts() -> None:
    true = sm.LabelArray.from_classes([[1] * 12 + [VOID] * 12], void=VOID)
    pred = sm.LabelArray.from_classes([[2] * 12 + [3] * 12])
    (error,) = errors_of(sm.evaluate({"a": true}, {"a": pred}, metrics="mean_iou"))
    assert (error.error, error.size) == ("c1-2-0", 12)


def test_the_example_of_difference() -> None:
    assert (difference(Score.of("pq", 1, 4), Score.of("pq", 1, 2)), difference(Score.of("pq", 0, 0), None)) == (
        0.25,
        None,
    )


def test_the_example_of_boundary_kinds() -> None:
    assert list(_boundary_kinds({5, 9}, {6, 20}, 2)) == [("moved", 5, 6), ("missed", 9, None), ("spurious", None, 20)]
