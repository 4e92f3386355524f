"""Checks that a metric keeps what its declaration states; each raises AssertionError if it does not.

Test a metric of your own with::

    from segmetry.testing.contracts import (
        check_declaration, check_defined, check_examples, check_count_quotient, check_pair, check_statistics
    )

    check_declaration(my_metric)
    check_examples(my_metric)
    check_defined(my_metric)
    check_count_quotient(my_metric)  # where it is a count quotient
    check_statistics(my_metric)  # where it is a metric of a data set

    @given(pairs_for(my_metric.kinds))
    def test_contract(pair):
        check_pair(my_metric, *pair)
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from inspect import Parameter
from typing import Any

import numpy as np
from hypothesis import given, settings

from segmetry._base import Reference, is_key, references
from segmetry.alignments import add_tallies, align
from segmetry.metrics import (
    BY_ITEM,
    FROM_TABLE,
    METRICS,
    POOLED,
    Counts,
    Metric,
    Reading,
    Result,
    Score,
    Statistics,
    as_metric_inputs,
    option_help,
    segment_counts,
)
from segmetry.overlaps import OverlapTable, merge, overlap
from segmetry.segmentation import Annotations, LabelArray
from segmetry.statistics import Stack
from segmetry.testing.strategies import pairs_for

# A few thousand rounding errors of doubles; formulas that differ by more differ in meaning.
TOLERANCE = 1e-12


def check_declaration(metric: Metric) -> None:
    """Check that the declaration is complete and consistent."""
    assert re.fullmatch(r"[a-z][a-z0-9_]*", metric.key), f"{metric.key}: keys are snake_case"
    for field in ("symbol", "family", "formula", "summary", "notes"):
        assert getattr(metric, field).strip(), f"{metric.key} declares no {field}"
    assert metric.formula.count("{") == metric.formula.count("}"), f"{metric.key}: unbalanced braces in the formula"
    assert metric.summary.endswith("."), f"{metric.key}: the summary is a sentence"
    assert metric.citation, f"{metric.key} cites nothing"
    for citation in metric.citation:
        known = isinstance(citation, Reference) or not is_key(citation) or citation in references()
        assert known, f"{metric.key}: references.bib has no entry {citation!r}; add it, or cite in plain text"
    low, high = metric.bounds
    assert low < high, f"{metric.key}: empty bounds {metric.bounds}"
    assert metric.examples, f"{metric.key} shows no example"
    assert not (metric.symmetric and metric.swaps_with), f"{metric.key} is symmetric, so it swaps with itself"
    if metric.swaps_with is not None:
        assert METRICS[metric.swaps_with].swaps_with == metric.key, (
            f"{metric.swaps_with} does not declare swaps_with={metric.key!r}"
        )
    for alias in metric.aliases:
        assert alias == alias.lower() and alias not in METRICS, (
            f"{metric.key}: the alias {alias!r} is taken or not lower"
        )
    for option in metric.options:
        words = metric.parameters.get(option) or option_help(metric.key, option)
        assert words, f"{metric.key}: say what the option {option!r} means: @metric(parameters={{{option!r}: …}})"
    if metric.value_if_equal is not None and metric.better == "higher" and not math.isinf(high):
        assert metric.value_if_equal == high, f"{metric.key}: a perfect prediction does not reach the upper bound"
    if metric.value_if_equal is not None and metric.better == "lower" and not math.isinf(low):
        assert metric.value_if_equal == low, f"{metric.key}: a perfect prediction does not reach the lower bound"


def check_examples(metric: Metric) -> None:
    """Check that the examples give the declared values."""
    for example in metric.examples:
        result = metric(example.true, example.pred, **example.options)
        if isinstance(result, Counts):
            assert dict(result.parts) == dict(example.value), f"{metric.key}: {result} instead of {example.value}"
        else:
            _assert_close(metric.key, result.value, math.nan if example.value is None else float(example.value))


def check_defined(metric: Metric, examples: int = 100) -> None:
    """Check that the metric is defined on at least a twentieth of the generated pairs: other checks need it."""
    pairs = _generated_pairs(metric.kinds, metric.dimensions, metric.least_length, examples)
    defined = [compute(metric, *pair).is_defined for pair in pairs]
    assert 20 * sum(defined) >= len(defined), f"{metric.key} is defined on {sum(defined)} of {len(defined)} pairs"


@cache
def _generated_pairs(
    kinds: tuple[str, ...], dimensions: tuple[int, int] | None, least_length: int, examples: int
) -> list[tuple[Any, Any]]:
    """Return the same pairs for all metrics that take the same kinds."""
    pairs: list[tuple[Any, Any]] = []

    @settings(max_examples=examples, derandomize=True, database=None, deadline=None)
    @given(pairs_for(kinds, dimensions, least_length))
    def collect(pair: tuple[Any, Any]) -> None:
        pairs.append(pair)

    collect()
    return pairs


def check_count_quotient(metric: Metric, examples: int = 10) -> None:
    """Check that the scores of tallies, and of tallies added, are those of the statistics that runs use."""
    quotient = metric.quotient
    assert quotient is not None, f"{metric.key} is not a count quotient: its formula has no @count_quotient"
    options, aggregation = required_options(metric), quotient.aggregation
    pairs = _generated_pairs(metric.kinds, metric.dimensions, metric.least_length, examples)
    pairs += [(example.true, example.pred) for example in metric.examples]
    alignments = [align(overlap(true, pred)) for true, pred in pairs]
    every = Statistics.concatenate([segment_counts(alignment) for alignment in alignments])
    for at, value in enumerate(aggregation.reading(metric.key, every, options, BY_ITEM).item_values().tolist()):
        of_tally = quotient(alignments[at].tally, **options)
        _assert_same_parts(of_tally, aggregation.reading(metric.key, every.item(at), options, POOLED).score())
        _assert_close(metric.key, value, of_tally.value)
    added = add_tallies([alignment.tally for alignment in alignments])
    _assert_same_parts(quotient(added, **options), aggregation.reading(metric.key, every, options, POOLED).score())


def _assert_same_parts(of_tally: Score, of_statistics: Score) -> None:
    """Raise an error unless numerators, denominators and reasons are equal; 1 is the denominator of a count."""
    one, other = (
        (score.value if score.is_defined else score.reason, score.numerator, score.denominator or 1)
        for score in (of_tally, of_statistics)
    )
    assert one == other, f"{of_statistics.key} is {one} of a tally, but {other} of the statistics of the same segments"


def check_statistics(metric: Metric, examples: int = 10) -> None:
    """Check values and those of classes: of one item, of items counted twice or left out, and in another order."""
    aggregation = metric.statistics
    assert aggregation is not None, f"{metric.key} is not a metric of a data set: it declares no statistics"
    options = required_options(metric)
    pairs = _generated_pairs(metric.kinds, metric.dimensions, metric.least_length, examples)
    items: list[Any] = []
    for true, pred in [(example.true, example.pred) for example in metric.examples] + pairs:
        inputs = as_metric_inputs(true, pred).give(metric.needs, metric.key)
        items.append(aggregation.collected(inputs, aggregation.collect_options(options)))
        alone = aggregation.reading(metric.key, items[-1], options).score()
        _assert_same(metric.key, compute(metric, true, pred), alone)
    statistics, average = Statistics.concatenate(items), aggregation.average_of(options)
    times = np.arange(len(items)) % 3
    samples = np.stack([times, np.ones_like(times), np.zeros_like(times), (times + 1) % 3], axis=1)
    readings = [
        Reading(metric.key, aggregation, statistics, options, average, each_class=each_class)
        for each_class in ((False, True) if aggregation.has_classes and aggregation.names(statistics) else (False,))
    ]
    stack = Stack(readings, len(items))
    whole = aggregation.reading(metric.key, statistics, options).score()
    if not aggregation.is_ranked:  # equal scores keep the order of the input
        backwards = statistics.select(range(len(items))[::-1])
        _assert_same(metric.key, aggregation.reading(metric.key, backwards, options).score(), whole)
    for at, value in enumerate(stack.without_each()[0][0].tolist()):
        others = statistics.select([other for other in range(len(items)) if other != at])
        _assert_close(metric.key, value, aggregation.reading(metric.key, others, options).score().value)
    values = stack.values(samples.astype(np.float64))
    for at, column in enumerate(samples.T):
        drawn = statistics.select(np.repeat(np.arange(len(items)), column))
        _assert_close(
            metric.key, float(values[0][0, at]), aggregation.reading(metric.key, drawn, options).score().value
        )
        for name, score in (
            aggregation.reading(metric.key, drawn, options).class_scores() if len(values) > 1 else {}
        ).items():
            _assert_close(metric.key, float(values[1][aggregation.names(statistics).index(name), at]), score.value)


def check_pair(metric: Metric, true: Any, pred: Any) -> None:
    """Check all properties on a pair of segmentations, or on annotations (then ``pred`` is None)."""
    if isinstance(true, Annotations):
        check_annotations(metric, true)
        return
    result = compute(metric, true, pred)
    check_result(metric, result)
    if metric.symmetric:
        _assert_same(metric.key, compute(metric, pred, true), result)
    if metric.swaps_with is not None:
        _assert_same(metric.key, compute(METRICS[metric.swaps_with], pred, true), result)
    check_perfect(metric, true)
    if isinstance(true, LabelArray):
        check_relabelling(metric, true, pred, result)
        if metric.needs in FROM_TABLE:
            check_blocks(metric, true, pred, result)


def check_annotations(metric: Metric, items: Annotations) -> None:
    """Check the bounds, that names and order change no bit, and the value where all annotators agree."""
    result = compute(metric, items, None)
    check_result(metric, result)
    renamed = {
        f"other {item}": {f"other {annotator}": by_annotator[annotator] for annotator in reversed(items.annotators)}
        for item, by_annotator in reversed(list(items.items.items()))
    }
    after = compute(metric, Annotations(renamed), None)
    assert after.to_dict() == result.to_dict(), f"{metric.key}: {after} under other names, {result} before"
    unanimous = {
        item: dict.fromkeys(by_annotator, next(iter(by_annotator.values())))
        for item, by_annotator in items.items.items()
    }
    agreed = compute(metric, Annotations(unanimous), None)
    if isinstance(agreed, Score) and agreed.is_defined and metric.value_if_equal is not None:
        _assert_close(metric.key, agreed.value, metric.value_if_equal)


def check_result(metric: Metric, result: Result) -> None:
    """Check that a result is inside the bounds, or undefined with a reason, never infinite, and valid JSON."""
    json.dumps(result.to_dict(), allow_nan=False)
    if isinstance(result, Counts):
        return
    assert result.key == metric.key, f"{metric.key}: the score has the key {result.key}"
    if not result.is_defined:
        assert math.isnan(result.value) and result.reason, f"{metric.key}: undefined without a reason"
        return
    low, high = metric.bounds
    assert math.isfinite(result.value), f"{metric.key} is {result.value}"
    assert low - TOLERANCE <= result.value <= high + TOLERANCE, (
        f"{metric.key} is {result.value}, outside {metric.bounds}"
    )
    if metric.pooled or metric.needs == "tally":
        assert result.numerator is not None and result.denominator is not None, (
            f"{metric.key} has no quotient to add up over items"
        )
    if metric.is_count:
        assert result.denominator == 1, f"{metric.key} is a count, but has the denominator {result.denominator}"


def check_perfect(metric: Metric, true: Any) -> None:
    """Check that a segmentation compared with itself scores ``value_if_equal``, or is undefined."""
    result = compute(metric, true, true)
    if isinstance(result, Score) and result.is_defined and metric.value_if_equal is not None:
        _assert_close(metric.key, result.value, metric.value_if_equal)


def check_relabelling(metric: Metric, true: LabelArray, pred: LabelArray, result: Result) -> None:
    """Check that other ids give the same value (where ties are broken by id, only if there are no ties).

    The same ids on both sides where these mean the same (``compares_labels``).
    """
    if metric.ties_by_id and _count_ties(result):
        return
    if metric.compares_labels:
        relabelled = compute(metric, *_renamed_alike(true, pred))
    else:
        relabelled = compute(metric, _with_other_ids(true, 7), _with_other_ids(pred, -5))
    if metric.ties_by_id and _count_ties(relabelled):
        return
    _assert_same(metric.key, relabelled, result)


def _count_ties(result: Result) -> int:
    values = result.details if isinstance(result, Score) else result.parts
    return int(values.get("ties", 0))


def check_blocks(metric: Metric, true: LabelArray, pred: LabelArray, result: Result) -> None:
    """Check that counting in blocks and merging in another order is bit-identical."""
    parts: list[OverlapTable] = [
        overlap(LabelArray(t, outside=true.outside), LabelArray(p, outside=pred.outside))
        for t, p in zip(np.array_split(true.labels.ravel(), 3), np.array_split(pred.labels.ravel(), 3), strict=True)
        if t.size
    ]
    merged = metric(merge(parts[::-1]), **required_options(metric))
    if isinstance(result, Score) and isinstance(merged, Score):
        same = merged.value == result.value or (math.isnan(merged.value) and math.isnan(result.value))
        assert same, f"{metric.key}: {merged.value!r} in blocks, {result.value!r} in one piece"
    else:
        assert merged.to_dict() == result.to_dict(), f"{metric.key} differs in blocks"


def compute(metric: Metric, true: Any, pred: Any) -> Result:
    """Compute the metric with the options it requires, taken from its first example."""
    return metric(true, pred, **required_options(metric))


def required_options(metric: Metric) -> dict[str, Any]:
    """Return values for the options without a default."""
    required = [name for name, default in metric.options.items() if default is Parameter.empty]
    return {name: metric.examples[0].options[name] for name in required}


def _renamed_alike(*sides: LabelArray) -> list[LabelArray]:
    """Return both sides with other ids that mean the same on both of them; elements outside stay outside."""
    known = sorted({label for side in sides for label in np.unique(side.labels).tolist()})
    return [
        LabelArray(
            np.array([0 if label in side.outside else known.index(label) + 100 for label in line]).reshape(side.domain)
        )
        for side in sides
        for line in [side.labels.ravel().tolist()]
    ]


def _with_other_ids(segmentation: LabelArray, factor: int) -> LabelArray:
    """Return the segments with ids 100, 101, … in another order; elements outside stay outside."""
    labels, positions = np.unique(segmentation.labels, return_inverse=True)
    inside = ~np.isin(labels, segmentation.outside)
    new_labels = np.zeros(labels.size, dtype=np.int64)
    new_labels[inside] = np.argsort(np.argsort(labels[inside].astype(object) * factor % 11, kind="stable")) + 100
    return LabelArray(new_labels[positions].reshape(segmentation.labels.shape))


def _assert_same(key: str, result: Result, expected: Result) -> None:
    if isinstance(result, Counts) or isinstance(expected, Counts):
        assert result.to_dict() == expected.to_dict(), f"{key}: {result} instead of {expected}"
    else:
        _assert_close(key, result.value, expected.value)


def _assert_close(key: str, value: float, expected: float) -> None:
    same = math.isnan(value) and math.isnan(expected)
    assert same or math.isclose(value, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE), (
        f"{key}: {value!r} instead of {expected!r}"
    )
