"""The protocol of panoptica against the package itself."""

from __future__ import annotations

import math
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

for name in ("plotly", "plotly.express", "plotly.graph_objects"):
    # panoptica draws with plotly, which is large, and names it in signatures; its numbers do not need it.
    sys.modules.setdefault(name, ModuleType(name)).__dict__.setdefault("Figure", object)
from panoptica import InputType, Metric, NaiveThresholdMatching, Panoptica_Evaluator  # noqa: E402

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

Volume = NDArray[np.uint8]
Case = tuple[Volume, Volume]
INSTANCE = [Metric.IOU, Metric.DSC, Metric.RVD, Metric.RVAE]
GLOBAL = [Metric.DSC, Metric.RVD, Metric.RVAE]


@pytest.fixture(scope="module")
def evaluator() -> Any:
    return Panoptica_Evaluator(
        expected_input=InputType.UNMATCHED_INSTANCE,
        instance_matcher=NaiveThresholdMatching(),
        instance_metrics=INSTANCE,
        global_metrics=GLOBAL,
        verbose=False,
        log_times=False,
    )


def volume(rng: np.random.Generator, shape: tuple[int, ...]) -> Volume:
    coarse = rng.integers(0, rng.integers(1, 6), [math.ceil(size / 2) for size in shape])
    fine = np.kron(coarse, np.ones((2,) * len(shape), dtype=int))
    return fine[tuple(slice(size) for size in shape)].astype(np.uint8)


def random_cases(rng: np.random.Generator) -> list[Case]:
    cases = []
    for _ in range(rng.integers(1, 4)):
        shape = tuple(rng.integers(1, 7, rng.integers(2, 4)).tolist())
        true, other = volume(rng, shape), volume(rng, shape)
        pred = np.where(rng.random(shape) < rng.choice([0, 0.5, 0.8, 1]), true, other)
        cases.append((true * (rng.random() < 0.9), pred * (rng.random() < 0.9)))
    return [(true.astype(np.uint8), pred.astype(np.uint8)) for true, pred in cases]


def degenerate_cases() -> list[list[Case]]:
    """Empty sides, one voxel, nothing matched, two candidates at exactly one half on either side."""
    blank, point = np.zeros((2, 2, 2), np.uint8), np.ones((1, 1, 1), np.uint8)
    whole, halves = np.ones((2, 2, 2), np.uint8), np.stack([np.full((2, 2), n, np.uint8) for n in (1, 2)])
    first, second = (np.where(halves == n, 1, 0).astype(np.uint8) for n in (1, 2))
    return [
        [(blank, whole)],
        [(whole, blank)],
        [(blank, blank)],
        [(point, point)],
        [(first, second)],
        [(whole, halves)],
        [(halves, whole)],
        [(whole, whole), (blank, blank), (blank, whole)],
    ]


def reference(evaluator: Any, cases: list[Case]) -> dict[str, float]:
    """The means over cases of the values that are numbers."""
    columns: dict[str, list[float]] = {}
    for true, pred in cases:
        for key, value in evaluator.evaluate(pred, true, verbose=False)["ungrouped"].to_dict().items():
            columns.setdefault(key, []).append(float(value))
    means = {}
    for key, values in columns.items():
        numbers = [value for value in values if not math.isnan(value)]
        means[key] = math.fsum(numbers) / len(numbers) if numbers else math.nan
    return means


def check(evaluator: Any, cases: list[Case]) -> None:
    true, pred = ({f"{at}": case[side] for at, case in enumerate(cases)} for side in (0, 1))
    run = sm.evaluate(true, pred, protocol="panoptica", engine="serial")
    assert run.modified == ()
    expected = reference(evaluator, cases)
    apart = any(first.any() and not ((first > 0) & (second > 0)).any() for first, second in cases)
    for key, row in shown(run).items():
        if apart and key in ("global_bin_rvd", "global_bin_rvae"):
            continue  # the named exception, tested below
        assert same(row["mean"], expected.get(key, math.nan)), (key, row, expected, cases)


def test_panoptica_equals_the_package(evaluator: Any) -> None:
    rng = np.random.default_rng(51)
    for _ in range(DATA_SETS):
        check(evaluator, random_cases(rng))


@pytest.mark.parametrize("at", range(len(degenerate_cases())))
def test_panoptica_equals_the_package_on_degenerate_cases(at: int, evaluator: Any) -> None:
    check(evaluator, degenerate_cases()[at])


def test_global_volume_errors_of_foregrounds_apart_are_an_exception(evaluator: Any) -> None:
    true, pred = np.array([[1, 1, 0, 0]], np.uint8), np.array([[0, 0, 0, 1]], np.uint8)
    result = evaluator.evaluate(pred, true, verbose=False)["ungrouped"].to_dict()
    assert math.isnan(result["global_bin_rvd"]) and math.isnan(result["global_bin_rvae"])
    rows = shown(sm.evaluate({"a": true}, {"a": pred}, protocol="panoptica", engine="serial"))
    assert (rows["global_bin_rvd"]["mean"], rows["global_bin_rvae"]["mean"]) == (-0.5, 0.5)


def test_the_package_inverts_matching_by_surface_dice() -> None:
    perfect = np.zeros((6, 6), np.uint8)
    perfect[1:5, 1:5] = 1
    assert Metric.NSD.decreasing and not Metric.DSC.decreasing
    assert not Metric.NSD.score_beats_threshold(1.0, 0.5)  # a perfect pair is refused
    assert Metric.NSD.score_beats_threshold(0.1, 0.5)  # a bad one is taken
    assert sm.surface_dice(perfect, perfect, tolerance=1).value == 1
