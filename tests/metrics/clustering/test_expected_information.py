"""The expectation in AMI against exact sums, where it sums overlaps and where it expands in moments."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.metrics.clustering.mutual_information import expected_mutual_information
from segmetry.overlaps.cross_table import Blocks

TOLERANCE = 1e-12


def blocks(*sizes: int) -> Blocks:
    return Blocks(np.array(sizes), np.ones(len(sizes), dtype=np.int64))


def exact(true: tuple[int, ...], pred: tuple[int, ...], n: int) -> float:
    """E[X·ln(X/μ)] with probabilities as exact fractions; x·ln(x/μ) − (x − μ) has the same mean and does not cancel."""
    terms: list[float] = []
    for a in true:
        for b in pred:
            low, high = max(0, a + b - n), min(a, b)
            mean = Fraction(a * b, n)
            chance = Fraction(math.comb(a, low) * math.comb(n - a, b - low), math.comb(n, b))
            for x in range(low, high + 1):
                apart = float(x - mean)
                relative = float((x - mean) / mean)
                log = math.log1p(relative) if x else 0.0
                terms.append(float(chance) * (x * log - apart) if x else float(chance * mean))
                chance *= Fraction((a - x) * (b - x), (x + 1) * (n - a - b + x + 1))
    return math.fsum(terms) / n


@st.composite
def partitions(draw: st.DrawFn, n: int) -> tuple[int, ...]:
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), min_size=1, max_size=4)))
    return tuple(np.diff([0, *cuts, n]).tolist())


@given(data=st.data(), n=st.integers(2, 60))
def test_small_partitions(data: st.DataObject, n: int) -> None:
    true, pred = data.draw(partitions(n)), data.draw(partitions(n))
    assert expected_mutual_information(blocks(*true), blocks(*pred), n) == pytest.approx(
        exact(true, pred, n), rel=TOLERANCE, abs=0
    )


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        ((285, 291), (287, 289)),  # μ from 142 to 146: both ways
        ((500, 500), (500, 500)),
        ((143, 857), (999, 1)),
        ((4000, 3000, 1000), (5000, 2999, 1)),
        ((15000, 5000), (10000, 10000)),
        ((19000, 1000), (700, 19300)),  # skewed
    ],
)
def test_on_both_sides_of_the_switch_to_moments(true: tuple[int, ...], pred: tuple[int, ...]) -> None:
    result = expected_mutual_information(blocks(*true), blocks(*pred), sum(true))
    assert result == pytest.approx(exact(true, pred, sum(true)), rel=TOLERANCE, abs=0)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2**39), (3, 2**20), (40, 2**26), (40, 2**36), (300, 2**39)])
def test_small_blocks_of_two_to_the_forty_elements(a: int, b: int) -> None:
    n = 2**40
    result = expected_mutual_information(blocks(a, n - a), blocks(b, n - b), n)
    assert result == pytest.approx(exact_pair_of_splits(a, b, n), rel=TOLERANCE, abs=0)


def exact_pair_of_splits(a: int, b: int, n: int) -> float:
    """Both sides have two blocks, and a is small: the four cells together, overlap by overlap."""
    terms: list[float] = []
    chance = Fraction(math.perm(n - b, a), math.perm(n, a))
    for x in range(a + 1):
        cells = ((x, a * b), (a - x, a * (n - b)), (b - x, (n - a) * b), (n - a - b + x, (n - a) * (n - b)))
        divergences = [_divergence(cell, Fraction(mean, n)) for cell, mean in cells]
        terms.append(float(chance) * math.fsum(divergences))
        if x < a:
            chance *= Fraction((a - x) * (b - x), (x + 1) * (n - a - b + x + 1))
    return math.fsum(terms) / n


def _divergence(x: int, mean: Fraction) -> float:
    """x·ln(x/m) − x + m by its power series where x is near m."""
    u = Fraction(x) / mean - 1
    if abs(u) > Fraction(1, 10):
        return float(x * Fraction(math.log1p(float(u)) if x else 0) - (x - mean))
    small = float(u)
    return float(mean) * math.fsum((-1) ** k * small**k / (k * (k - 1)) for k in range(2, 20))


@pytest.mark.parametrize("n", [2**40, 2**50, 2**62])
def test_quarters_of_huge_domains_follow_the_first_terms(n: int) -> None:
    """E[I] = (R−1)(C−1)/2n + O(1/n²): the correction is smaller than the tolerance here."""
    quarters = blocks(*[n // 4] * 4)
    assert expected_mutual_information(quarters, quarters, n) == pytest.approx(9 / 2 / (n - 1), rel=1e-10, abs=0)


def test_blocks_of_one_size_are_counted_together() -> None:
    many = Blocks(np.array([2, 1]), np.array([3, 4]))
    result = expected_mutual_information(many, blocks(4, 6), 10)
    assert result == pytest.approx(exact((2, 2, 2, 1, 1, 1, 1), (4, 6), 10), rel=TOLERANCE, abs=0)
