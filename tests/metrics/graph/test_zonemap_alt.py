"""ZoneMapAlt against a slow twin that subtracts sets, as the definition does with areas."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.testing.strategies import void_pairs
from tests.metrics.graph.test_zonemap import Family, check, force
from tests.metrics.partner_oracle import POLICIES, Element, Pair, families

NOTHING: Element = frozenset()


def error_area(true: Family, pred: Family, least: Fraction, share: Fraction) -> Fraction:
    links = [(-force(t, h), -len(t & h), i, j) for i, t in true.items() for j, h in pred.items() if t & h]
    of_true: dict[int, list[int]] = {i: [] for i in true}
    of_pred: dict[int, list[int]] = {j: [] for j in pred}
    area = Fraction(0)
    for *_, i, j in sorted(links):
        t, h = true[i], pred[j]
        for other in of_pred[j]:
            t, h = t - true[other], h - true[other]
        for other in of_true[i]:
            t = t - pred[other]
        if t and Fraction(len(t & h), len(t)) > least:
            of_true[i].append(j)
            of_pred[j].append(i)
            pieces, wholes = len(of_true[i]), len(of_pred[j])
            times = {(True, True): 0, (True, False): wholes, (False, True): pieces, (False, False): pieces + wholes}
            area += share * times[pieces == 1, wholes == 1] * len(t & h)
    area += sum(len(t - NOTHING.union(*(pred[j] for j in of_true[i]))) for i, t in true.items())
    return area + sum(len(h - NOTHING.union(*(true[i] for i in of_pred[j]))) for j, h in pred.items())


@given(
    pair=void_pairs(),
    policy=st.sampled_from(POLICIES),
    least=st.sampled_from(("0", "0.2", "1/2", "0.9")),
    share=st.sampled_from(("0", "1/2", "1")),
)
def test_it_equals_its_definition(pair: Pair, policy: str, least: str, share: str) -> None:
    true, pred, _ = families(pair, policy)
    result = sm.zonemap_alt(sm.overlap(*pair), policy=policy, least_coverage=least, split_merge=share)
    check(result, error_area(true, pred, Fraction(least), Fraction(share)), true)


def test_two_pieces_cost_as_in_zonemap_and_three_more() -> None:
    for pieces, same in (([[1, 1, 2, 2]], True), ([[1, 1, 2, 3]], False)):
        pair = [[1, 1, 1, 1]], pieces
        assert (sm.zonemap_alt(*pair).value == sm.zonemap(*pair).value) == same


def test_classes_are_not_used() -> None:
    true, pred = (sm.LabelArray([[1, 1, 2]], classes={1: first, 2: "c"}) for first in "ab")
    assert sm.zonemap_alt(true, pred).value == 0


def test_what_it_does_not_take() -> None:
    with pytest.raises(InputError, match="zonemap_alt takes zones that do not overlap each other"):
        sm.zonemap_alt(sm.Sets([{1, 2}, {2, 3}]), sm.Sets([{1, 2}]))
    with pytest.raises(OptionError, match="least_coverage is 1; expected a number below 1"):
        sm.zonemap_alt([[1]], [[1]], least_coverage=1)
