"""What every metric promises by its declaration, as checks that raise AssertionError.

A third party tests a metric with::

    from segmetry.testing.contracts import check_declaration, check_defined, check_examples, check_pair

    check_declaration(my_metric)
    check_examples(my_metric)
    check_defined(my_metric)

    @given(pairs_for(my_metric.kinds))
    def test_contract(pair):
        check_pair(my_metric, *pair)
"""

from __future__ import annotations

import json
import math
import re
from inspect import Parameter
from typing import Any

import numpy as np
from hypothesis import given, settings

from segmetry._base.bibliography import Reference, is_key, references
from segmetry.metrics.declare import METRICS, Metric
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.score import Counts, Result, Score
from segmetry.overlaps.merge_tables import merge
from segmetry.overlaps.overlap import overlap
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.labels import LabelArray
from segmetry.testing.strategies import pairs_for

TOLERANCE = 1e-12


def check_declaration(found: Metric) -> None:
    """The facts are complete and consistent with each other."""
    assert re.fullmatch(r"[a-z][a-z0-9_]*", found.key), f"{found.key}: keys are snake_case"
    for field in ("symbol", "family", "formula", "summary", "notes"):
        assert getattr(found, field).strip(), f"{found.key} declares no {field}"
    assert found.formula.count("{") == found.formula.count("}"), f"{found.key}: unbalanced braces in the formula"
    assert found.summary.endswith("."), f"{found.key}: the summary is a sentence"
    assert found.citation, f"{found.key} cites nothing"
    for citation in found.citation:
        known = isinstance(citation, Reference) or not is_key(citation) or citation in references()
        assert known, f"{found.key}: references.bib has no entry {citation!r}; add it, or cite in plain text"
    low, high = found.bounds
    assert low < high, f"{found.key}: empty bounds {found.bounds}"
    assert set(found.aggregation) in ({"mean"}, {"mean", "pooled"}), f"{found.key}: aggregation {found.aggregation}"
    assert found.examples, f"{found.key} shows no example"
    assert not (found.symmetric and found.swaps_with), f"{found.key} is symmetric, so it swaps with itself"
    if found.swaps_with is not None:
        assert METRICS[found.swaps_with].swaps_with == found.key, f"{found.swaps_with} does not name {found.key} back"
    if found.value_if_equal is not None and found.better == "higher" and not math.isinf(high):
        assert found.value_if_equal == high, f"{found.key}: a perfect prediction does not reach the upper bound"
    if found.value_if_equal is not None and found.better == "lower" and not math.isinf(low):
        assert found.value_if_equal == low, f"{found.key}: a perfect prediction does not reach the lower bound"


def check_examples(found: Metric) -> None:
    """The examples give the declared values."""
    for example in found.examples:
        result = found(example.true, example.pred, **example.options)
        if isinstance(result, Counts):
            assert dict(result.parts) == dict(example.value), f"{found.key}: {result} instead of {example.value}"
        else:
            _assert_close(found.key, result.value, math.nan if example.value is None else float(example.value))


def check_defined(metric: Metric, examples: int = 100) -> None:
    """The metric is defined on at least a tenth of the generated pairs; otherwise the other checks say nothing."""
    defined: list[bool] = []

    @settings(max_examples=examples, derandomize=True, database=None, deadline=None)
    @given(pairs_for(metric.kinds, metric.dimensions, metric.least_length))
    def collect(pair: tuple[Any, Any]) -> None:
        defined.append(compute(metric, *pair).is_defined)

    collect()
    assert 10 * sum(defined) >= len(defined), f"{metric.key} is defined on {sum(defined)} of {len(defined)} pairs"


def check_pair(found: Metric, true: Any, pred: Any) -> None:
    """Everything the declaration says about one pair of segmentations, or about annotations (then ``pred`` is None)."""
    if isinstance(true, Annotations):
        check_annotations(found, true)
        return
    result = compute(found, true, pred)
    check_result(found, result)
    if found.symmetric:
        _assert_same(found.key, compute(found, pred, true), result)
    if found.swaps_with is not None:
        _assert_same(found.key, compute(METRICS[found.swaps_with], pred, true), result)
    check_perfect(found, true)
    if isinstance(true, LabelArray):
        check_relabelling(found, true, pred, result)
        if found.needs in FROM_TABLE:
            check_blocks(found, true, pred, result)


def check_annotations(found: Metric, items: Annotations) -> None:
    """Inside the bounds; the same bits under other names and orders; perfect where all coders agree."""
    result = compute(found, items, None)
    check_result(found, result)
    renamed = {
        f"other {item}": {f"other {coder}": by_coder[coder] for coder in reversed(items.annotators)}
        for item, by_coder in reversed(list(items.items.items()))
    }
    other = compute(found, Annotations(renamed), None)
    assert other.as_dict() == result.as_dict(), f"{found.key}: {other} under other names, {result} before"
    unanimous = {item: dict.fromkeys(by_coder, next(iter(by_coder.values()))) for item, by_coder in items.items.items()}
    agreed = compute(found, Annotations(unanimous), None)
    if isinstance(agreed, Score) and agreed.is_defined and found.value_if_equal is not None:
        _assert_close(found.key, agreed.value, found.value_if_equal)


def check_result(found: Metric, result: Result) -> None:
    """A value inside the bounds, or undefined with a reason; never infinite, never a silent NaN; and it is JSON."""
    json.dumps(result.as_dict(), allow_nan=False)
    if isinstance(result, Counts):
        return
    assert result.key == found.key, f"{found.key} calls its score {result.key}"
    if not result.is_defined:
        assert math.isnan(result.value) and result.reason, f"{found.key}: undefined without a reason"
        return
    low, high = found.bounds
    assert math.isfinite(result.value), f"{found.key} is {result.value}"
    assert low - TOLERANCE <= result.value <= high + TOLERANCE, f"{found.key} is {result.value}, outside {found.bounds}"
    if "pooled" in found.aggregation:
        assert result.numerator is not None and result.denominator is not None, f"{found.key} cannot be pooled"
    if found.is_count:
        assert result.denominator == 1, f"{found.key} counts, but has the denominator {result.denominator}"


def check_perfect(found: Metric, true: Any) -> None:
    """A segmentation compared with itself scores ``perfect``, or is undefined."""
    result = compute(found, true, true)
    if isinstance(result, Score) and result.is_defined and found.value_if_equal is not None:
        _assert_close(found.key, result.value, found.value_if_equal)


def check_relabelling(found: Metric, true: LabelArray, pred: LabelArray, result: Result) -> None:
    """Other ids, the same value (where the declaration breaks ties by id, only if nothing was tied)."""
    if found.ties_by_id and _ties(result):
        return
    other = compute(found, _relabelled(true, 7), _relabelled(pred, -5))
    if found.ties_by_id and _ties(other):
        return
    _assert_same(found.key, other, result)


def _ties(result: Result) -> int:
    facts = result.details if isinstance(result, Score) else result.parts
    return int(facts.get("ties", 0))


def check_blocks(found: Metric, true: LabelArray, pred: LabelArray, result: Result) -> None:
    """Counted in blocks and merged in another order, the same bits."""
    parts: list[OverlapTable] = [
        overlap(LabelArray(t, outside=true.outside), LabelArray(p, outside=pred.outside))
        for t, p in zip(np.array_split(true.labels.ravel(), 3), np.array_split(pred.labels.ravel(), 3), strict=True)
        if t.size
    ]
    merged = found(merge(parts[::-1]), **required_options(found))
    if isinstance(result, Score) and isinstance(merged, Score):
        same = merged.value == result.value or (math.isnan(merged.value) and math.isnan(result.value))
        assert same, f"{found.key}: {merged.value!r} in blocks, {result.value!r} in one piece"
    else:
        assert merged.as_dict() == result.as_dict(), f"{found.key} differs in blocks"


def compute(found: Metric, true: Any, pred: Any) -> Result:
    """The metric with the options it requires, taken from its first example."""
    return found(true, pred, **required_options(found))


def required_options(found: Metric) -> dict[str, Any]:
    """Values for options without a default."""
    wanted = [name for name, default in found.options.items() if default is Parameter.empty]
    return {name: found.examples[0].options[name] for name in wanted}


def _relabelled(found: LabelArray, factor: int) -> LabelArray:
    """Segment ids 1, 2, … in another order; outside stays outside."""
    labels, positions = np.unique(found.labels, return_inverse=True)
    inside = ~np.isin(labels, found.outside)
    fresh = np.zeros(labels.size, dtype=np.int64)
    fresh[inside] = np.argsort(np.argsort(labels[inside].astype(object) * factor % 11, kind="stable")) + 100
    return LabelArray(fresh[positions].reshape(found.labels.shape))


def _assert_same(key: str, found: Result, expected: Result) -> None:
    if isinstance(found, Counts) or isinstance(expected, Counts):
        assert found.as_dict() == expected.as_dict(), f"{key}: {found} instead of {expected}"
    else:
        _assert_close(key, found.value, expected.value)


def _assert_close(key: str, found: float, expected: float) -> None:
    same = math.isnan(found) and math.isnan(expected)
    assert same or math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE), (
        f"{key}: {found!r} instead of {expected!r}"
    )
