"""Every community's number comes from one run, shares add up exactly, and the smallest sets of decisions are found."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, OptionError
from segmetry.protocols import PROTOCOLS
from segmetry.protocols.decisions import decisions_of, differences
from segmetry.receipts.reconciliation import _differences, _Numbers, _state, flat, neighbour_paths, seen_range
from tests.cli.running import Runner

CELLS = ("stardist", "cellpose", "dsb2018", "sorted-ap")
AJIS = ("hover-net", "cellpose")
CLASSES = ("semantic", "torchmetrics-miou", "voc", "cityscapes-semantic")
VOLUMES = ("cremi", "cremi-background", "snemi3d", "skimage-voi")
MEDICINE = ("nnunet", "monai", "metrics-reloaded")


def two_sides(seed: int, *, same_labels: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return images with misses, splits, and one image that is empty on a side."""
    rng, true, pred = np.random.default_rng(seed), {}, {}
    for at in range(6):
        labels = np.kron(rng.integers(0, 5, (6, 6)), np.ones((4, 4), dtype=int))
        noisy = np.where(rng.random(labels.shape) < 0.1 + 0.05 * at, 0, labels)
        noisy = np.where(rng.random(labels.shape) < 0.1, 3 if same_labels else 9, noisy)
        true[f"i{at}"], pred[f"i{at}"] = labels, np.zeros_like(noisy) if at == 5 else noisy
    return true, pred


def evaluated(protocol: str, sides: tuple[Any, Any], **options: Any) -> sm.Run:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sm.evaluate(*sides, protocol=protocol, **options)


def value_of(run: sm.Run, metric: str, protocol: str) -> float:
    """Return the value that a protocol prints of a metric: the first cell of it in its table."""
    declared = PROTOCOLS[protocol]
    cells = [declared.headline_cell, *(cell for _, cell in declared.cells.cells())]
    cell = next(cell for cell in cells if cell.metric == metric and cell.level != "class")
    from segmetry.protocols import value_of_cell

    found = value_of_cell(cell, run.data, run.class_names)
    assert found is not None
    return found.value


def pairs() -> list[tuple[str, str, str | None]]:
    named: list[tuple[str, str, str | None]] = [(*both, None) for both in permutations(CELLS, 2)]
    named += [(*both, "AJI") for both in permutations(AJIS, 2)]
    named += [(*both, "VOI split") for both in permutations(VOLUMES, 2)]
    named += [(*both, "ARAND") for both in permutations(("cremi", "snemi3d", "skimage-voi"), 2)]
    named += [(*both, None) for both in permutations(("semantic", "torchmetrics-miou"), 2)]
    return named + [(*both, "Dice") for both in permutations(MEDICINE, 2)]


@pytest.mark.parametrize(("yours", "theirs", "value"), pairs())
def test_their_number_is_that_of_their_protocol_and_shares_add_up(yours: str, theirs: str, value: str | None) -> None:
    true, pred = two_sides(3, same_labels=True)
    run = evaluated(yours, (true, pred))
    found = sm.reconcile(run, protocol=theirs, value=value, true=true, pred=pred)
    declared = PROTOCOLS[theirs]
    metric = run.cell(value).metric if value is not None else declared.headline_cell.metric
    assert found.theirs is not None and found.theirs.number is not None
    expected = value_of(evaluated(theirs, (true, pred)), metric, theirs)
    assert float(found.theirs.number) == expected
    assert sum(step.share for step in found.steps) == found.number - found.theirs.number
    assert float(found.number) == run.value(value).value
    last = found.theirs.number
    for step in found.steps:
        assert step.number == last + step.share
        last = step.number
    assert last == found.number


def test_a_step_is_the_number_of_a_run_with_that_decision_alone() -> None:
    """Against evaluating the data again under the settings of each step."""
    true, pred = two_sides(5)
    run = evaluated("dsb2018", (true, pred))
    found = sm.reconcile(run, protocol="cellpose")
    steps = {step.names: step for step in found.steps}
    assert set(steps) == {("thresholds",), ("strict",)}
    own = PROTOCOLS["dsb2018"].options["segment_accuracy"]
    theirs = {"thresholds": (0.5, 0.75, 0.9), "strict": False}
    ten = sm.evaluate(true, pred, metrics="segment_accuracy", classes="ignore").data
    assert float(steps["thresholds",].number) == ten.score("segment_accuracy", "by_item_of_classes").value
    both = sm.evaluate(
        true, pred, metrics="segment_accuracy", classes="ignore", options={"segment_accuracy": {**theirs, **own}}
    )
    assert both.settings.options["segment_accuracy"]["strict"] is True
    changed = {name: abs(value) for name, value in _gaps(true, pred, steps["thresholds",])}
    assert steps["thresholds",].item == max(changed, key=lambda name: changed[name])


def _gaps(true: dict[str, Any], pred: dict[str, Any], step: Any) -> list[tuple[str, float]]:
    first, second = (
        sm.evaluate(true, pred, metrics="segment_accuracy", classes="ignore", options={"thresholds": at})
        for at in (step.before[0], step.after[0])
    )
    both = [one.data.item_values("segment_accuracy") for one in (first, second)]
    return [(name, float(gap)) for name, gap in zip(first.names, both[0] - both[1], strict=True) if not np.isnan(gap)]


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_sets_are_those_of_brute_force(seed: int) -> None:
    true, pred = two_sides(seed)
    run = evaluated("stardist", (true, pred))
    numbers = _Numbers(run, run.cell(), None, None)
    state = _state(PROTOCOLS["dsb2018"], numbers)
    changes = _differences(numbers.own, state)
    rng = np.random.default_rng(seed)
    seen = f"{float(numbers.number(state) or 0) + float(rng.choice([0, 0, 0.2])):.3f}"
    found = sm.reconcile(run, protocol="dsb2018", number=seen).explanation
    assert found is not None
    least, most = seen_range(seen, True)
    for size in range(4):
        expected = []
        for names in combinations(changes, size):
            options = {name: changes[name][1] for name in names}
            value = _of_options(true, pred, options)
            if value is not None and least <= Fraction(value) <= most:
                expected.append(set(names))
        if expected:
            assert [set(one) for one in found.sets] == expected
            break
    else:
        assert found.sets == ()
        assert "no explanation" in found.words


def _of_options(true: dict[str, Any], pred: dict[str, Any], changed: dict[str, Any]) -> float | None:
    own = dict(PROTOCOLS["stardist"].options["segment_accuracy"])
    cell = PROTOCOLS["stardist"].headline_cell
    own |= {
        name: value for name, value in changed.items() if name in ("thresholds", "strict", "compare", "empty", "at")
    }
    undefined = changed.get("undefined", 0.0) if "undefined" in changed else 0.0
    try:
        run = sm.evaluate(
            true, pred, metrics="segment_accuracy", classes="ignore", undefined=undefined,
            options={"segment_accuracy": {name: value for name, value in own.items() if value is not None}},
        )  # fmt: skip
    except OptionError:
        return None
    score = run.data.score("segment_accuracy", changed.get("average", cell.average))
    show = changed.get("show", cell.show)
    if show == "value":
        return None if np.isnan(score.value) else score.value
    value = score.details.get("thresholds", {}).get(show[-1])
    return None if value is None or np.isnan(value) else float(value)


def test_a_tie_names_all_explanations_and_the_own_number_none() -> None:
    true, pred = two_sides(1)
    run = evaluated("dsb2018", (true, pred))
    own = f"{run.value().value:.4f}"
    assert "as it is" in sm.reconcile(run, number=own).explanation.words
    assert "no explanation" in sm.reconcile(run, protocol="cellpose", number="0.99999").explanation.words
    with pytest.raises(OptionError, match="expected one as it was printed"):
        sm.reconcile(run, number="about half")
    with pytest.raises(OptionError, match="there is no protocol or program 'coco'"):
        sm.reconcile(run, protocol="coco")


def test_all_communities_of_one_run(tmp_path: Path, segmetry: Runner) -> None:
    true, pred = two_sides(2)
    run = evaluated("dsb2018", (true, pred), out=tmp_path / "run.segm")
    found = {one.name: one for one in sm.reconcile(run).communities}
    for name in (*CELLS, "hover-net", "ctc-seg", "cvppp"):
        other = evaluated(name, (true, pred))
        assert float(found[name].number or 0) == other.value().value, name
    assert found["semantic"].why == "needs the inputs"
    shown = segmetry("reconcile", tmp_path / "run.segm")
    assert shown.code == 0 and "stardist" in shown.out


def test_the_command_writes_the_path(tmp_path: Path, segmetry: Runner) -> None:
    evaluated("dsb2018", two_sides(2), out=tmp_path / "run.segm").close()
    target = tmp_path / "path.json"
    shown = segmetry("reconcile", tmp_path / "run.segm", "--with", "stardist", "--number", "0.6", "--json", target)
    assert shown.code == 0, shown.err
    assert max(map(len, shown.lines)) <= 80
    data = json.loads(target.read_text())
    shares = [Fraction(step["exact_share"]) for step in data["steps"]]
    start = next(iter(data["steps"]))
    first = Fraction(start["exact_number"]) - Fraction(start["exact_share"])
    assert first + sum(shares) == Fraction(data["exact_number"])


def test_decisions_are_those_that_compute() -> None:
    """What is stated of a protocol is what its runs are computed with."""
    for name in (*CELLS, *VOLUMES, *MEDICINE, "semantic", "hover-net"):
        declared = PROTOCOLS[name]
        run = evaluated(name, two_sides(1, same_labels=True))
        stated = {one.name: one.value for one in decisions_of(declared)}
        used = flat(_Numbers(run, run.cell(), None, None).own)
        for decision, value in stated.items():
            if decision not in ("show", "average"):
                other = used[decision]
                assert (list(other) if isinstance(other, tuple) else other) == value, (name, decision)


def test_alternatives_of_options_are_accepted() -> None:
    true, pred = two_sides(1)
    for name in ("dsb2018", "hover-net", "sorted-ap"):
        for one in decisions_of(PROTOCOLS[name]):
            if one.kind == "option":
                for value in one.alternatives:
                    sm.evaluate(true, pred, metrics=one.metric, options={one.metric: {one.name: value}}).summary()


def test_differences_are_mutual() -> None:
    for first, second in product(("stardist", "cellpose", "dsb2018", "semantic", "coco-panoptic"), repeat=2):
        there, back = differences(PROTOCOLS[first], PROTOCOLS[second]), differences(PROTOCOLS[second], PROTOCOLS[first])
        assert there == {name: (own, other) for name, (other, own) in back.items()} or first == second
        assert bool(there) is (first != second)


def test_bars_are_the_path_on_a_line_from_0_to_1() -> None:
    run = evaluated("dsb2018", two_sides(2))
    paths = list(neighbour_paths(run))
    assert [path.theirs.name for path in paths if path.theirs] == ["cellpose", "stardist"]
    for path in paths:
        bars = path.bars()
        numbers = [path.theirs.number, *(step.number for step in path.steps), path.number]
        low, high = min(numbers), max(numbers)
        assert bars[0][0] == path.theirs.name and bars[-1][0] == "this run"
        for (_, _, share, start, stop), after in zip(
            bars[1:-1], (one for one in path.steps if one.matters), strict=True
        ):
            assert stop == pytest.approx(float((after.number - low) / (high - low)))
            assert start == pytest.approx(float((after.number - after.share - low) / (high - low)))
            assert share == path.cell.text(float(after.share), sign=True)
        assert {min(bar[3] for bar in bars), max(bar[4] for bar in bars)} <= {0.0, 1.0} or len(bars) > 2


def test_decisions_that_need_the_pixels_are_not_computed_for_the_report() -> None:
    run = evaluated("semantic", two_sides(2, same_labels=True))
    assert [path.theirs.name for path in neighbour_paths(run) if path.theirs] == []
