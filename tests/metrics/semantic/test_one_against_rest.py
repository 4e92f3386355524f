"""Metrics of one class against all others, by their definitions over sets of elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.semantic.element_counts import one_against_rest
from segmetry.metrics.statistics import Statistics
from segmetry.overlaps.item_tables import ItemTables
from tests.metrics.samples import sampled
from tests.metrics.semantic.class_data import Four, Item, data_sets, four_counts, mappings, sides
from tests.profiles import examples


def share(top: int, bottom: int) -> Fraction | None:
    return Fraction(top, bottom) if bottom else None


def sensitivity(n: Four) -> Fraction | None:
    return share(n.tp, n.tp + n.fn)


def specificity(n: Four) -> Fraction | None:
    return share(n.tn, n.tn + n.fp)


def both(n: Four, combine: Callable[[Fraction, Fraction], Fraction | None]) -> Fraction | None:
    rates = sensitivity(n), specificity(n)
    return None if rates[0] is None or rates[1] is None else combine(rates[0], rates[1])


def kappa(n: Four) -> Fraction | None:
    """(observed − expected)/(1 − expected) agreement."""
    total = sum(n)
    observed = Fraction(n.tp + n.tn, total)
    true, pred = Fraction(n.tp + n.fn, total), Fraction(n.tp + n.fp, total)
    expected = true * pred + (1 - true) * (1 - pred)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def correlation(n: Four) -> float | None:
    """The correlation of the two indicator variables."""
    true = [1] * (n.tp + n.fn) + [0] * (n.fp + n.tn)
    pred = [1] * n.tp + [0] * n.fn + [1] * n.fp + [0] * n.tn
    if len(set(true)) < 2 or len(set(pred)) < 2:
        return None
    return float(np.corrcoef(true, pred)[0, 1])


def f_beta(n: Four, beta: int) -> Fraction | None:
    precision, recall = share(n.tp, n.tp + n.fp) or Fraction(0), share(n.tp, n.tp + n.fn) or Fraction(0)
    if not n.tp:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


DEFINITIONS: dict[str, Callable[[Four], Any]] = {
    "true_positive_rate": sensitivity,
    "specificity": specificity,
    "positive_predictive_value": lambda n: share(n.tp, n.tp + n.fp),
    "negative_predictive_value": lambda n: share(n.tn, n.tn + n.fn),
    "class_accuracy": lambda n: share(n.tp + n.tn, sum(n)),
    "class_f_beta": lambda n: f_beta(n, 2),
    "matthews_correlation": correlation,
    "cohen_kappa": kappa,
    "youden_index": lambda n: both(n, lambda tpr, tnr: tpr + tnr - 1),
    "balanced_accuracy": lambda n: both(n, lambda tpr, tnr: (tpr + tnr) / 2),
    "positive_likelihood_ratio": lambda n: both(n, lambda tpr, tnr: None if tnr == 1 else tpr / (1 - tnr)),
}
OPTIONS = {"class_f_beta": {"beta": 2}}


def by_definition(key: str, items: Sequence[Item]) -> dict[str, float]:
    values = {name: DEFINITIONS[key](counts) for name, counts in four_counts(items).items()}
    return {name: float(value) for name, value in values.items() if value is not None}


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
@given(data_sets())
@examples(2)
def test_one_item_a_class_and_a_data_set(items: list[Item]) -> None:
    run = sm.evaluate(*mappings(items), metrics=list(DEFINITIONS), options=OPTIONS, engine="serial")
    summary = run.summary()
    for key in DEFINITIONS:
        of_items = [mean(list(by_definition(key, [item]).values())) for item in items]
        assert [math.nan if value is None else value for value in run.items()[key]] == [
            same(value) for value in of_items
        ]
        pooled = summary[key].over_data_set
        assert pooled is not None and pooled.value == same(mean(list(by_definition(key, items).values()))), key
        for name, row in summary.parts.items():
            value = row[key].over_data_set
            assert value is not None and value.value == same(by_definition(key, items).get(str(name), math.nan)), key


@given(data_sets())
def test_many_samples_at_once(items: list[Item]) -> None:
    counted = Statistics.concatenate([one_against_rest(ItemTables.of(sm.overlap(*sides(item)))) for item in items])
    times = np.random.default_rng(len(items)).integers(0, 4, (len(items), 3))
    for key in DEFINITIONS:
        values = sampled(key, counted, times, OPTIONS.get(key, {}))
        for value, column in zip(values.tolist(), times.T, strict=True):
            drawn = [item for item, count in zip(items, column.tolist(), strict=True) for _ in range(count)]
            assert value == same(mean(list(by_definition(key, drawn).values()))), key


def test_masks_without_classes_are_compared_by_label() -> None:
    true, pred = np.array([[True, True, False, False, False]]), np.array([[True, False, True, False, False]])
    assert sm.true_positive_rate(true, pred) == 1 / 2
    assert sm.specificity(true, pred) == 2 / 3
    assert sm.specificity(true * 3, pred * 7, foreground=True) == 2 / 3
    assert sm.class_f_beta(true, pred) == sm.dice(true, pred)


def test_a_beta_that_is_not_positive_is_rejected() -> None:
    with pytest.raises(OptionError, match="beta is 0; expected a positive number"):
        sm.class_f_beta([[1, 0]], [[1, 1]], beta=0)


def test_products_beyond_64_bits() -> None:
    table = sm.OverlapTable.from_rows([(1, 1, 2**40)], {1: 2**41}, {1: 2**41}, n_elements=2**45)
    tp, fn, tn = 2**40, 2**40, 2**45 - 3 * 2**40
    assert sm.matthews_correlation(table).value == same((tp * tn - fn * fn) / ((tp + fn) * (tn + fn)))
    assert sm.cohen_kappa(table).value == 2 * (tp * tn - fn * fn) / (2 * (tp + fn) * (tn + fn))
