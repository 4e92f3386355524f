"""Mutual information and its relatives against their definitions, written out over blocks of elements."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions

Partition = list[frozenset[Hashable]]
Pair = tuple[sm.LabelArray, sm.LabelArray]


def entropy(blocks: Partition, n: int) -> float:
    return math.fsum(-len(block) / n * math.log(len(block) / n) for block in blocks)


def information(true: Partition, pred: Partition, n: int) -> float:
    cells = [(len(t & h), len(t), len(h)) for t in true for h in pred if t & h]
    return math.fsum(s / n * math.log(n * s / (a * b)) for s, a, b in cells)


def elements(partition: Partition) -> int:
    return sum(map(len, partition))


def average(name: str, first: float, second: float) -> float:
    return {
        "arithmetic": (first + second) / 2,
        "geometric": math.sqrt(first * second),
        "min": min(first, second),
        "max": max(first, second),
    }[name]


@given(
    pair=void_pairs(),
    background=st.sampled_from(sorted(BACKGROUNDS)),
    name=st.sampled_from(("arithmetic", "geometric", "min", "max")),
)
def test_information_scores_equal_their_definitions(pair: Pair, background: str, name: str) -> None:
    true, pred = as_partitions(*pair, background)
    n, table = elements(true), sm.overlap(*pair)
    result = {
        key: getattr(sm, key)(table, background=background)
        for key in ("mutual_information", "homogeneity", "completeness", "v_measure")
    }
    result["nmi"] = sm.nmi(table, background=background, average=name)
    if not n:
        assert not any(score.is_defined for score in result.values())
        return
    shared, of_true, of_pred = information(true, pred, n), entropy(true, n), entropy(pred, n)

    def share(bottom: float, *, defined: bool) -> float:
        return shared / bottom if defined else math.nan

    several = len(true) > 1, len(pred) > 1
    expected = {
        "mutual_information": shared / math.log(2),
        "homogeneity": share(of_true, defined=several[0]),
        "completeness": share(of_pred, defined=several[1]),
        "v_measure": share((of_true + of_pred) / 2, defined=any(several)),
        "nmi": share(
            average(name, of_true, of_pred), defined=all(several) if name in ("geometric", "min") else any(several)
        ),
    }
    for key, value in expected.items():
        assert result[key].value == pytest.approx(value, abs=1e-13, nan_ok=True), key
        assert result[key].is_defined or result[key].reason


def expected_information(true: list[int], pred: list[int], n: int) -> float:
    """Every possible overlap of every two blocks, with its exact probability."""
    terms = []
    for a in true:
        for b in pred:
            ways = math.comb(n, b)
            for x in range(max(1, a + b - n), min(a, b) + 1):
                chance = Fraction(math.comb(a, x) * math.comb(n - a, b - x), ways)
                terms.append(float(chance * x / n) * math.log(Fraction(n * x, a * b)))
    return math.fsum(terms)


@given(
    pair=void_pairs(),
    background=st.sampled_from(sorted(BACKGROUNDS)),
    name=st.sampled_from(("arithmetic", "geometric", "min", "max")),
)
def test_ami_subtracts_the_full_expectation(pair: Pair, background: str, name: str) -> None:
    true, pred = as_partitions(*pair, background)
    n = elements(true)
    result = sm.ami(sm.overlap(*pair), background=background, average=name)
    if not n:
        assert not result.is_defined
        return
    chance = expected_information([len(t) for t in true], [len(h) for h in pred], n)
    bottom = average(name, entropy(true, n), entropy(pred, n)) - chance
    if abs(bottom) < 1e-12:
        assert not result.is_defined
        assert "chance alone is perfect" in (result.reason or "")
    else:
        assert result.value == pytest.approx((information(true, pred, n) - chance) / bottom, abs=1e-11)


def test_worked_numbers_of_the_linear_chapter() -> None:
    true, pred = sm.Spans.from_masses([5, 3, 5]), sm.Spans.from_masses([4, 4, 5])
    assert sm.v_measure(true, pred).value == pytest.approx(0.831279, abs=1e-6)
    assert sm.nmi(true, pred, average="geometric").value == pytest.approx(0.831312, abs=1e-6)
    assert sm.ami(true, pred).value == pytest.approx(0.790611, abs=1e-6)
    assert sm.ami(true, pred, average="max").value == pytest.approx(0.781905, abs=1e-6)


def test_ami_at_two_to_the_forty_elements() -> None:
    n = 2**40
    sizes = dict.fromkeys(range(4), n // 4)
    shuffled = sm.OverlapTable.from_rows([(t, h, n // 16) for t in range(4) for h in range(4)], sizes, sizes)
    assert sm.mutual_information(shuffled).value == 0.0
    # Independent blocks are a little worse than chance: I = 0, and E[I] is about (4-1)(4-1)/2n.
    assert sm.ami(shuffled).value == pytest.approx(-(9 / 2 / n) / math.log(4), rel=1e-6, abs=0)
    assert sm.ami(sm.OverlapTable.from_rows([(t, t, n // 4) for t in range(4)])).value == 1.0


def test_beta_weighs_completeness() -> None:
    true, pred = [[1, 1, 2, 2]], [[1, 2, 3, 3]]
    h, c = sm.homogeneity(true, pred).value, sm.completeness(true, pred).value
    for beta in (0.0, 0.5, 2.0):
        assert sm.v_measure(true, pred, beta=beta).value == pytest.approx((1 + beta) * h * c / (beta * h + c))
    with pytest.raises(OptionError, match="beta is -1; expected a number"):
        sm.v_measure(true, pred, beta=-1)


def test_an_unknown_average_is_rejected() -> None:
    with pytest.raises(OptionError, match="average is 'mean'; expected one of arithmetic, geometric, min, max"):
        sm.ami([[1, 2]], [[1, 1]], average="mean")
