"""Hoover's index and classes against a search over all sets of segments."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.testing.strategies import void_pairs
from tests.metrics.partner_oracle import POLICIES, Element, Pair, families

THRESHOLDS = ("0.51", "0.6", "0.75", "0.8", "1")
Instance = tuple[str, frozenset[int], frozenset[int], Fraction]
KINDS = ("correct", "over_segmentation", "under_segmentation")


def groups(wholes: dict[int, Element], parts: dict[int, Element], least: Fraction) -> list[tuple[int, list[int]]]:
    result = []
    for number, whole in wholes.items():
        members = [k for k, part in parts.items() if whole & part and len(whole & part) >= least * len(part)]
        if len(members) > 1 and sum(len(whole & parts[k]) for k in members) >= least * len(whole):
            result.append((number, members))
    return result


def instances(true: dict[int, Element], pred: dict[int, Element], least: Fraction) -> list[Instance]:
    def quality(ts: list[int], hs: list[int]) -> Fraction:
        t, h = frozenset(chain(*(true[k] for k in ts))), frozenset(chain(*(pred[k] for k in hs)))
        return (Fraction(len(t & h), len(t)) + Fraction(len(t & h), len(h))) / 2

    result: list[Instance] = [
        ("correct", frozenset({i}), frozenset({j}), quality([i], [j]))
        for i, t in true.items()
        for j, h in pred.items()
        if t & h and len(t & h) >= least * len(t) and len(t & h) >= least * len(h)
    ]
    for i, hs in groups(true, pred, least):
        result.append(("over_segmentation", frozenset({i}), frozenset(hs), quality([i], hs)))
    for j, ts in groups(pred, true, least):
        result.append(("under_segmentation", frozenset(ts), frozenset({j}), quality(ts, [j])))
    return result


def without_conflicts(result: list[Instance]) -> list[Instance]:
    """Again and again the best of what is left, and away with everything that shares a segment with it."""
    left, kept = list(result), []
    while left:
        best = min(left, key=lambda i: (-i[3], KINDS.index(i[0]), sorted(i[1]), sorted(i[2])))
        kept.append(best)
        left = [i for i in left if not (i[1] & best[1] or i[2] & best[2])]
    return kept


@given(pair=void_pairs(), policy=st.sampled_from(POLICIES), threshold=st.sampled_from(THRESHOLDS), raw=st.booleans())
def test_index_and_classes(pair: Pair, policy: str, threshold: str, raw: bool) -> None:
    true, pred, _ = families(pair, policy)
    result = instances(true, pred, Fraction(threshold))
    table = sm.overlap(*pair)
    index = sm.hoover_index(table, threshold=threshold, policy=policy)
    correct = sum(kind == "correct" for kind, *_ in result)
    assert (index.numerator, index.denominator) == (len(true) - correct, len(true))
    kept = result if raw else without_conflicts(result)
    classes = sm.hoover_classes(table, threshold=threshold, policy=policy, raw=raw).parts
    assert [classes[kind] for kind in KINDS] == [sum(i[0] == kind for i in kept) for kind in KINDS]
    assert classes["missed"] == len(set(true) - {k for i in kept for k in i[1]})
    assert classes["noise"] == len(set(pred) - {k for i in kept for k in i[2]})


def test_a_split_that_fits_better_beats_the_correct_detection() -> None:
    true, pred = [[1] * 10], [[1] * 8 + [2] * 2]
    assert sm.hoover_classes(true, pred)["over_segmentation"] == 1
    raw = sm.hoover_classes(true, pred, raw=True)
    assert (raw["correct"], raw["over_segmentation"]) == (1, 1)


def test_the_threshold_is_read_as_written() -> None:
    true, pred = [[1] * 5], [[1] * 4 + [0]]
    assert sm.hoover_index(true, pred, threshold=0.8).value == 0.0
    assert sm.hoover_index(true, pred, threshold="0.80000000000000000001").value == 1.0
