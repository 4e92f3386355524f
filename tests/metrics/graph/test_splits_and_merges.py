"""Graph metrics against their definitions over sets: splits and merges, objects and parts, DetEval."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.testing.strategies import void_pairs
from tests.metrics.partner_oracle import POLICIES, Element, Pair, families

Family = dict[int, Element]
SHARES = tuple(Fraction(k, 10) for k in range(1, 11))


def cover(inside: Element, of: Element) -> Fraction:
    return Fraction(len(inside & of), len(of))


@given(
    pair=void_pairs(),
    policy=st.sampled_from(POLICIES),
    rule=st.sampled_from((None, "theta_and", "iou(above=0.2)", "coverage(min_above=0,max_above=0)")),
)
def test_splits_and_merges(pair: Pair, policy: str, rule: str | None) -> None:
    true, pred, _ = families(pair, policy)
    accepts: dict[str | None, Callable[[Element, Element], bool]] = {
        None: lambda t, h: (
            min(cover(h, t), cover(t, h)) > Fraction(1, 10) and max(cover(h, t), cover(t, h)) > Fraction(1, 2)
        ),
        "theta_and": lambda t, h: len(t & h) > max(len(t - h), len(h - t)),
        "iou(above=0.2)": lambda t, h: Fraction(len(t & h), len(t | h)) > Fraction(1, 5),
        "coverage(min_above=0,max_above=0)": lambda t, h: bool(t & h),
    }
    edges = [(i, j) for i, t in true.items() for j, h in pred.items() if t & h and accepts[rule](t, h)]
    degree_true = {i: sum(e[0] == i for e in edges) for i in true}
    degree_pred = {j: sum(e[1] == j for e in edges) for j in pred}
    options = {"policy": policy} | ({} if rule is None else {"rule": rule})
    splits, merges = (getattr(sm, key)(sm.overlap(*pair), **options) for key in ("n_splits", "n_merges"))
    assert (
        splits.details
        == merges.details
        == {
            "matched": sum(degree_true[i] == 1 == degree_pred[j] for i, j in edges),
            "missed": sum(degree == 0 for degree in degree_true.values()),
            "false_alarms": sum(degree == 0 for degree in degree_pred.values()),
            "splits": sum(degree > 1 for degree in degree_true.values()),
            "merges": sum(degree > 1 for degree in degree_pred.values()),
        }
    )
    assert (splits.value, merges.value) == (splits.details["splits"], splits.details["merges"])


def objects_and_parts(own: Family, other: Family, gamma: Fraction, part: Fraction, weight: Fraction) -> Fraction:
    total = Fraction(0)
    for r in own.values():
        if any(cover(q, r) > gamma and cover(r, q) > gamma for q in other.values()):
            total += 1
        elif any(cover(q, r) > gamma and cover(r, q) > part for q in other.values()):
            total += weight
        else:
            total += sum((cover(q, r) for q in other.values() if cover(r, q) > gamma), Fraction(0))
    return total


@given(
    pair=void_pairs(),
    policy=st.sampled_from(POLICIES),
    gammas=st.tuples(st.sampled_from(SHARES), st.sampled_from(SHARES), st.sampled_from(SHARES)),
)
def test_objects_and_parts(pair: Pair, policy: str, gammas: tuple[Fraction, Fraction, Fraction]) -> None:
    true, pred, _ = families(pair, policy)
    names = ("object_above", "part_above", "part_weight")
    for values in (gammas, (Fraction("0.95"), Fraction("0.25"), Fraction("0.1"))):
        options = {"policy": policy, **dict(zip(names, values, strict=True))}
        expected = {
            "precision": objects_and_parts(pred, true, *values) / len(pred) if pred else None,
            "recall": objects_and_parts(true, pred, *values) / len(true) if true else None,
        }
        check_precision_recall_f("objects_and_parts", pair, options, expected["precision"], expected["recall"])


def check_precision_recall_f(
    name: str,
    pair: Pair,
    options: dict[str, object],
    precision: Fraction | float | None,
    recall: Fraction | float | None,
) -> None:
    result = {
        part: getattr(sm, f"{name}_{part}")(sm.overlap(*pair), **options) for part in ("precision", "recall", "f")
    }
    for part, value in (("precision", precision), ("recall", recall)):
        assert result[part].value == pytest.approx(math.nan if value is None else float(value), rel=1e-14, nan_ok=True)
    if precision is None and recall is None:
        assert not result["f"].is_defined
    else:
        p, r = float(precision or 0), float(recall or 0)
        assert result["f"].value == pytest.approx(2 * p * r / (p + r) if p + r else 0.0, rel=1e-14)


PRICES: dict[str | None, Callable[[int], float]] = {
    None: lambda _: 0.8,
    "1/3": lambda _: 1 / 3,
    "logarithmic": lambda k: 1 / (1 + math.log(k)),
}
"""The value of a segment with k parts, by the option ``fragmentation``."""


def deteval(
    true: Family, pred: Family, t_r: Fraction, t_p: Fraction, price: Callable[[int], float]
) -> tuple[list[float], list[float]]:
    """Roles by definition: one-to-one first; of the rest, splits and merges; the best role counts."""
    edges = {(i, j) for i, t in true.items() for j, h in pred.items() if cover(h, t) >= t_r and cover(t, h) >= t_p}
    single = {
        (i, j)
        for i, j in edges
        if not any((i, k) in edges for k in pred if k != j) and not any((k, j) in edges for k in true if k != i)
    }
    free_true = {i: t for i, t in true.items() if i not in {e[0] for e in single}}
    free_pred = {j: h for j, h in pred.items() if j not in {e[1] for e in single}}
    worth_true = {i: float(i not in free_true) for i in true}
    worth_pred = {j: float(j not in free_pred) for j in pred}

    for i, t in free_true.items():
        pieces = [j for j, h in free_pred.items() if t & h and cover(t, h) >= t_p]
        if len(pieces) > 1 and sum(cover(free_pred[j], t) for j in pieces) >= t_r:
            worth_true[i] = max(worth_true[i], price(len(pieces)))
            worth_pred |= dict.fromkeys(pieces, 1.0)
    for j, h in free_pred.items():
        wholes = [i for i, t in free_true.items() if t & h and cover(h, t) >= t_r]
        if len(wholes) > 1 and sum(cover(free_true[i], h) for i in wholes) >= t_p:
            worth_pred[j] = max(worth_pred[j], price(len(wholes)))
            worth_true |= dict.fromkeys(wholes, 1.0)
    return list(worth_true.values()), list(worth_pred.values())


@given(
    pair=void_pairs(),
    policy=st.sampled_from(POLICIES),
    thresholds=st.tuples(st.sampled_from(SHARES), st.sampled_from(SHARES)),
)
def test_deteval(pair: Pair, policy: str, thresholds: tuple[Fraction, Fraction]) -> None:
    true, pred, _ = families(pair, policy)
    for t_r, t_p, fragmentation in (
        (*thresholds, None),
        (*thresholds, "logarithmic"),
        (Fraction("0.8"), Fraction("0.4"), "1/3"),
    ):
        of_true, of_pred = deteval(true, pred, t_r, t_p, PRICES[fragmentation])
        precision = math.fsum(of_pred) / len(pred) if pred else None
        recall = math.fsum(of_true) / len(true) if true else None
        options = {"t_r": t_r, "t_p": t_p, "policy": policy, "fragmentation": fragmentation}
        check_precision_recall_f("deteval", pair, options, precision, recall)


@given(pair=void_pairs(), thresholds=st.tuples(st.sampled_from(SHARES), st.sampled_from(SHARES)))
def test_deteval_as_the_seed_writes_it(pair: Pair, thresholds: tuple[Fraction, Fraction]) -> None:
    true, pred, _ = families(pair, "none")
    t_r, t_p = thresholds
    edges = [(i, j) for i, t in true.items() for j, h in pred.items() if cover(h, t) >= t_r and cover(t, h) >= t_p]

    def worth(side: int, number: int) -> float:
        degree = sum(e[side] == number for e in edges)
        if degree != 1:
            return 1 / (1 + math.log(degree)) if degree else 0.0
        partner = next(e[1 - side] for e in edges if e[side] == number)
        return float(sum(e[1 - side] == partner for e in edges) == 1)

    precision = math.fsum(worth(1, j) for j in pred) / len(pred) if pred else None
    recall = math.fsum(worth(0, i) for i in true) / len(true) if true else None
    check_precision_recall_f(
        "deteval", pair, {"t_r": t_r, "t_p": t_p, "variant": "seed", "policy": "none"}, precision, recall
    )
    if t_r > Fraction(1, 2):
        assert not any(sum(e[0] == i for e in edges) > 1 for i in true), "no splits on disjoint segments"


def test_a_perfect_result_is_one_and_not_two() -> None:
    true = np.array([[1, 1, 2, 2, 3]])
    assert [sm.objects_and_parts_precision(true, true).value, sm.objects_and_parts_recall(true, true).value] == [
        1.0,
        1.0,
    ]


def test_sizes_beyond_the_products_of_int64() -> None:
    n = 2**60
    table = sm.OverlapTable.from_rows([(1, 1, n // 2), (1, 2, n // 2 - 1)], {1: n})
    assert sm.deteval_recall(table, t_r=1).value == 0.0
    assert sm.deteval_recall(table, t_r="0.999999999999").value == 0.8


def test_wrong_options_are_rejected() -> None:
    with pytest.raises(OptionError, match="variant is 'printed'; expected 'original' or 'seed'"):
        sm.deteval_f([[1]], [[1]], variant="printed")
    with pytest.raises(OptionError, match=r"fragmentation is 2; expected a number in \(0, 1\]"):
        sm.deteval_f([[1]], [[1]], fragmentation=2)
    with pytest.raises(OptionError, match=r"t_r is 0; expected a number in \(0, 1\]"):
        sm.deteval_f([[1]], [[1]], t_r=0)
    with pytest.raises(OptionError, match=r"object_above is 2; expected a number in \[0, 1\]"):
        sm.objects_and_parts_f([[1]], [[1]], object_above=2)
