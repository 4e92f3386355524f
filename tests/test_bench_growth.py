"""The benchmark of growth recognises what grows too fast, and leaves out what is too small to measure."""

from __future__ import annotations

import pytest

from bench.growth.curves import Growth, decades, exponent
from bench.growth.inputs import TRUE_SIZE, run_of
from segmetry.run.run import Run

SIZES = decades(2, 4)


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0])
def test_the_exponent_of_a_power_is_that_power(power: float) -> None:
    assert exponent([(size, float(size) ** power) for size in SIZES], 0) == pytest.approx(power, abs=0.01)


def test_the_last_decade_decides() -> None:
    assert exponent([(10, 1.0), (100, 1.0), (1000, 100.0)], 0) == pytest.approx(2, abs=0.01)


def test_what_takes_no_time_has_no_exponent() -> None:
    assert exponent([(10, 1e-6), (100, 1e-4)], 0.002) is None


@pytest.mark.parametrize(("power", "expected"), [(1.0, True), (1.1, True), (1.3, False)])
def test_curves_are_proportional_up_to_a_margin(power: float, expected: bool) -> None:
    growth = Growth("x", "x", "items", "", [(size, size**power, 1.0) for size in SIZES])
    assert growth.is_proportional is expected


def test_runs_of_several_seeds_are_systems_on_one_truth() -> None:
    first, second = (Run.open(run_of(3, seed=seed)) for seed in (1, 2))
    assert first.truth_digests() == second.truth_digests()
    assert first.results_digest() != second.results_digest()
    assert [table.true.sizes.min() for _, table in first.tables()] == [TRUE_SIZE] * 3
    assert all((table.true.outside >= 0).all() for _, table in first.tables())
