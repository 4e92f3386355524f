"""ZoneMap against a slow twin over sets, zones overlapping or not, with classes or without."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.candidates import Candidates
from segmetry.errors import KindError, OptionError
from segmetry.metrics.graph.zonemap import links_by_force
from segmetry.testing.strategies import mask_pairs, set_pairs, void_pairs
from tests.metrics.partner_oracle import POLICIES, Element, Pair, families
from tests.oracle import as_sets

Family = Mapping[int, Element]
HALF = Fraction(1, 2)


def force(t: Element, h: Element) -> Fraction:
    return Fraction(len(t & h), len(h)) ** 2 + Fraction(len(t & h), len(t)) ** 2


def linked(true: Family, pred: Family) -> list[tuple[set[int], set[int]]]:
    """Groups as sets of true and of pred ids; a link joins two groups unless both sides would have several zones."""
    links = []
    for i, t in true.items():
        for j, h in pred.items():
            if t & h:
                links.append((-force(t, h), -len(t & h), i, j))
    groups: list[tuple[set[int], set[int]]] = [({i}, set()) for i in true] + [(set(), {j}) for j in pred]
    for *_, i, j in sorted(links):
        first = next(g for g in groups if i in g[0])
        second = next(g for g in groups if j in g[1])
        joined = first[0] | second[0], first[1] | second[1]
        if min(len(joined[0]), len(joined[1])) == 1:
            groups = [g for g in groups if g is not first and g is not second] + [joined]
    return groups


def error_area(
    true: Family,
    pred: Family,
    share: Fraction = HALF,
    classes: tuple[dict[int, str], dict[int, str]] | None = None,
    weight: Fraction = HALF,
    form: str = "pieces",
) -> Fraction:
    area, divided, wrong = Fraction(0), Fraction(0), 0
    for ts, hs in linked(true, pred):
        links = [(force(true[i], pred[j]), len(true[i] & pred[j])) for i in ts for j in hs]
        shared = [overlap for _, overlap in links]
        if len(ts) == 1:
            centre, members = true[min(ts)], [pred[j] for j in hs]
        else:
            centre, members = pred[min(hs)], [true[i] for i in ts]
            if not ts:
                area += len(centre)
                continue
        union: frozenset[Hashable] = frozenset().union(*members)
        area += len(centre - union) + sum(len(m - centre) for m in members)
        if shared and form == "pieces":
            divided += share * len(shared) * (sum(shared) - max(links)[1])
        elif shared:
            divided += share * (sum(shared) - max(shared))
        if classes is not None:
            wrong += sum(len(true[i] & pred[j]) for i in ts for j in hs if classes[0][i] != classes[1][j])
    return area + (divided if classes is None else (1 - weight) * divided + weight * wrong)


def check(result: object, area: Fraction, true: Family) -> None:
    assert isinstance(result, sm.Score)
    total = sum(map(len, true.values()))
    if total:
        assert result.value == float(100 * area / total)
    else:
        assert result.reason == "no true area"


@given(
    pair=void_pairs(),
    policy=st.sampled_from(POLICIES),
    share=st.sampled_from(("0", "1/3", "1/2", "1")),
    form=st.sampled_from(("pieces", "area")),
)
def test_disjoint_zones(pair: Pair, policy: str, share: str, form: str) -> None:
    true, pred, _ = families(pair, policy)
    result = sm.zonemap(sm.overlap(*pair), policy=policy, split_merge=share, form=form)
    check(result, error_area(true, pred, Fraction(share), form=form), true)
    kinds = [(len(ts), len(hs)) for ts, hs in linked(true, pred)]
    assert result.details["splits"] == sum(t == 1 and h > 1 for t, h in kinds)
    assert result.details["merges"] == sum(t > 1 and h == 1 for t, h in kinds)
    assert result.details["matches"] == sum(t == 1 and h == 1 for t, h in kinds)
    assert result.details["misses"] == sum(h == 0 for t, h in kinds)
    assert result.details["false_alarms"] == sum(t == 0 for t, h in kinds)


@given(pair=set_pairs(disjoint=False))
def test_overlapping_sets(pair: tuple[sm.Sets, sm.Sets]) -> None:
    true, pred = (as_sets(side) for side in pair)
    check(sm.zonemap(*pair), error_area(true, pred), true)


@given(pair=mask_pairs())
def test_overlapping_masks(pair: tuple[sm.Masks, sm.Masks]) -> None:
    true, pred = ({k: s for k, s in as_sets(side).items() if s} for side in pair)
    check(sm.zonemap(*pair), error_area(true, pred), true)


@given(
    pair=void_pairs(),
    names=st.lists(st.sampled_from("ab"), min_size=8, max_size=8),
    weight=st.sampled_from(("0", "1/2", "1")),
)
def test_wrong_classes(pair: Pair, names: list[str], weight: str) -> None:
    classes = dict(enumerate(names[:4], start=1)), dict(enumerate(names[4:], start=1))
    first, second = (
        sm.LabelArray(side.labels, void=255, classes=named) for side, named in zip(pair, classes, strict=True)
    )
    true, pred, _ = families(pair, "none")
    result = sm.zonemap(first, second, class_weight=weight, policy="none")
    check(result, error_area(true, pred, classes=classes, weight=Fraction(weight)), true)
    check(sm.zonemap(first, second, classes="ignore", policy="none"), error_area(true, pred), true)


def test_one_piece_more_costs_one_share_more() -> None:
    """α·n·(all but the strongest link): the value of the public programs, 50 for one zone in two halves."""
    assert sm.zonemap([[1, 1, 1, 1]], [[1, 1, 2, 2]]).value == 50.0
    assert sm.zonemap([[1, 1, 1, 1]], [[1, 2, 3, 4]]).value == 100 * 0.5 * 4 * 3 / 4
    with pytest.raises(OptionError, match="form is 'alt'; expected 'pieces' or 'area'"):
        sm.zonemap([[1]], [[1]], form="alt")


def test_the_strongest_link_is_free_and_not_the_largest_overlap() -> None:
    """The link of the small zone, which lies inside the true one, has the force 1/9 + 1; the other 4/9 + 1/25."""
    table = sm.OverlapTable.from_rows([(1, 1, 4), (1, 2, 2)], {1: 6}, {1: 20, 2: 2})
    assert sm.zonemap(table).value == 100 * (16 + 0.5 * 2 * 4) / 6
    assert sm.zonemap(table, form="area").value == 100 * (16 + 0.5 * 2) / 6


@pytest.mark.parametrize("weight", ["0", "1/2", "1"])
def test_missing_everything_is_a_hundred_with_classes(weight: str) -> None:
    true = sm.LabelArray([[1, 1, 2, 2]], classes={1: "a", 2: "b"})
    nothing = sm.LabelArray([[0, 0, 0, 0]], classes={})
    assert sm.zonemap(true, nothing, class_weight=weight).value == 100.0


def test_it_is_not_bounded_by_a_hundred() -> None:
    assert sm.zonemap([[1, 0, 0, 0]], [[0, 2, 2, 2]]).value == 400.0


def test_ties_are_counted_only_where_they_decide() -> None:
    assert sm.zonemap([[1, 1, 2, 2]], [[1, 1, 2, 2]]).details["ties"] == 0
    crossed = sm.zonemap([[1, 1, 2, 2]], [[3, 4, 3, 4]])
    assert crossed.details["ties"] == 2
    assert crossed.value == 100 * (2 + 0.5 * 2 + 2) / 4


def test_a_table_of_overlapping_zones_is_not_enough_for_a_split() -> None:
    true = sm.Sets([{1, 2, 3, 4}])
    pred = sm.Sets([{1, 2, 3}, {3, 4}])
    assert sm.zonemap(true, pred, form="area").value == 100 * (0 + 0.5 * 2) / 4
    assert sm.zonemap(true, pred).value == 100 * (0 + 0.5 * 2 * 2) / 4
    with pytest.raises(KindError, match="union needs the segmentations; found only their overlap table"):
        sm.zonemap(sm.overlap(true, pred))


def test_large_areas_stay_exact() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, n - 1), (1, 2, 1)])
    assert sm.zonemap(table).numerator == 100
    assert sm.zonemap(table, form="area").numerator == 50
    assert sm.zonemap(table, form="area").value == 50 / n
    assert np.isfinite(sm.zonemap(table).value)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
def test_links_are_ordered_and_tied_exactly_whatever_their_size(rows: list[tuple[int, int, int]]) -> None:
    shared, missed, spurious = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    at = np.arange(shared.size)
    small = links_by_force(Candidates(at, at, shared, missed, spurious))
    forces = [Fraction(s, s + p) ** 2 + Fraction(s, s + m) ** 2 for s, m, p in rows]
    assert small[0].tolist() == sorted(at.tolist(), key=lambda k: (-forces[k], -rows[k][0], k))
    ordered = [forces[k] for k in small[0].tolist()]
    assert small[1].tolist() == [False, *(a == b for a, b in pairwise(ordered))]
    large = links_by_force(Candidates(at, at, shared << 40, missed << 40, spurious << 40))
    assert [part.tolist() for part in large] == [part.tolist() for part in small]
