"""Score many small items with one call: the crops of a batch, the texts of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from segmetry._base import FloatArray
from segmetry.alignments import MatchRule, Policy, as_policy, as_rule, void_policy
from segmetry.errors import KindError, SegmetryError, ShapeMismatchError
from segmetry.metrics.batches.line_boundaries import LineBoundaries, LinePairs
from segmetry.metrics.batches.stack_counts import stack_segments
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_names import MetricName, canonical_names
from segmetry.metrics.metric_selection import check_metric_options, select_metrics
from segmetry.metrics.score_many import score_pair_with
from segmetry.metrics.shared_options import PolicyName, RuleName
from segmetry.metrics.statistics import Statistics
from segmetry.overlaps import item_of
from segmetry.results import ResultTable, counted
from segmetry.segmentation import LabelArray, SegmentationPair, SpanLines, Spans, check_same_lines


@dataclass(frozen=True, eq=False, repr=False)
class BatchScores(Mapping[str, FloatArray]):
    """The values of every item by metric key, NaN where a metric is undefined.

    Parameters
    ----------
    columns : mapping of str to array
        One array per metric, one value per item.
    n_items : int
        The number of items.
    rule, policy : str
        The alignment rule and the policy they were computed under.
    """

    columns: Mapping[str, FloatArray]
    n_items: int
    rule: str
    policy: str

    def __getitem__(self, key: str) -> FloatArray:
        return self.columns[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def means(self) -> dict[str, float]:
        """Return the mean of each metric over the items where it is defined; NaN where it never is."""
        defined = {key: column[~np.isnan(column)] for key, column in self.columns.items()}
        return {key: float(column.mean()) if column.size else float("nan") for key, column in defined.items()}

    def __repr__(self) -> str:
        return f"BatchScores({counted(self.n_items, 'item')}: {', '.join(self.columns)}; rule {self.rule})"

    def __str__(self) -> str:
        return str(self._as_table())

    def _repr_html_(self) -> str:
        return self._as_table()._repr_html_()

    def _as_table(self) -> ResultTable:
        means = self.means()
        rows = [(key, means[key], int(np.count_nonzero(~np.isnan(column)))) for key, column in self.columns.items()]
        return ResultTable(repr(self), ("metric", "mean", "defined"), rows)


def score_batch(
    true: Any,
    pred: Any,
    metrics: Iterable[MetricName] | str = ("pq", "sq", "rq"),
    *,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> BatchScores:
    """Score every item of a batch; for many small items this is much faster than a call for each.

    Parameters
    ----------
    true, pred : array, LabelArray, SpanLines or sequence of Spans
        Label arrays (items, …) of one shape, whose background and void then hold for every item, or the lines of both
        sides.
    metrics : iterable of str or function, or str, default ('pq', 'sq', 'rq')
        Keys, aliases, functions or families of metrics that have one value per item.
    rule : MatchRule or str, optional
        The alignment rule, as for :func:`segmetry.score`.
    policy : Policy or str, optional
        How void elements and crowd segments are treated, as for :func:`segmetry.score`.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'pk': {'padded': True}}``.

    Returns
    -------
    BatchScores
        One array of values per metric, equal to ``score(true[i], pred[i], metrics)`` of every item; NaN where a metric
        is undefined. Segment counts of label arrays without classes, and window and boundary metrics of lines, are
        computed for all items together, other metrics item by item.

    Examples
    --------
    >>> crops = score_batch([[[1, 1, 2]], [[3, 3, 0]]], [[[1, 1, 1]], [[3, 3, 0]]])
    >>> crops["pq"].tolist(), crops.means()["rq"]
    ([0.4444444444444444, 1.0], 0.8333333333333333)
    >>> lines = [Spans.from_masses([5, 3, 5]), Spans.from_masses([2, 2])]
    >>> score_batch(lines, [Spans.from_masses([4, 4, 5]), Spans.from_masses([2, 2])], "pk")["pk"].tolist()
    [0.18181818181818182, 0.0]
    """
    batch = _batch_of(true, pred)
    names, stated = canonical_names(metrics, options)
    chosen = select_metrics(names, batch.kind, batch.axes)
    check_metric_options(stated, chosen)
    chosen_policy = as_policy(void_policy(has_void=batch.declares_void) if policy is None else policy)
    chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
    values = {
        metric.key: column
        for metric in chosen
        if (column := batch.values(metric, chosen_rule, chosen_policy, stated.get(metric.key, {}))) is not None
    }
    rest = [metric.key for metric in chosen if metric.key not in values]
    if rest:
        own = {key: options for key, options in stated.items() if key in rest}
        values |= _one_by_one(batch, rest, chosen_rule, chosen_policy, own)
    ordered = {metric.key: values[metric.key] for metric in chosen}
    return BatchScores(ordered, len(batch), chosen_rule.name, chosen_policy.name)


class _StackBatch:
    """A batch of label arrays."""

    kind = LabelArray.kind

    def __init__(self, true: LabelArray, pred: LabelArray) -> None:
        self.true, self.pred = true, pred
        self.axes = true.axes - 1
        self.declares_void = bool(true.void or pred.void)
        self._segments: Statistics | bool | None = False

    def __len__(self) -> int:
        return self.true.domain[0]

    def values(self, metric: Metric, rule: MatchRule, policy: Policy, options: Mapping[str, Any]) -> FloatArray | None:
        """Return the column of a metric that follows from segment counts; None for any other."""
        if metric.quotient is None:
            return None
        if self._segments is False:
            self._segments = stack_segments(self.true, self.pred, rule, policy)
        if not isinstance(self._segments, Statistics):
            return None
        return metric.quotient.aggregation.item_values(self._segments, {**metric.options, **options})

    def items(self) -> Iterable[Any]:
        """Yield both sides of every item."""
        return ((item_of(self.true, at), item_of(self.pred, at)) for at in range(len(self)))


class _LineBatch:
    """A batch of lines."""

    kind, axes, declares_void = Spans.kind, None, False

    def __init__(self, true: SpanLines | Sequence[Spans], pred: SpanLines | Sequence[Spans]) -> None:
        self.true, self.pred = true, pred

    def __len__(self) -> int:
        return len(self.true)

    @cached_property
    def boundaries(self) -> LinePairs:
        return LinePairs(LineBoundaries.of(self.true), LineBoundaries.of(self.pred))

    def values(self, metric: Metric, rule: MatchRule, policy: Policy, options: Mapping[str, Any]) -> FloatArray | None:  # noqa: ARG002 - lines need no alignment
        """Return the column of a metric that is declared for many lines; None for any other."""
        columns = None if metric.of_lines is None else metric.line_scores(self.boundaries, options)
        return None if columns is None else columns.values

    def items(self) -> Iterable[Any]:
        """Yield both sides of every line."""
        return zip(self.true, self.pred, strict=True)


def _batch_of(true: Any, pred: Any) -> _StackBatch | _LineBatch:
    """Check both sides of a batch."""
    if isinstance(true, SpanLines) and isinstance(pred, SpanLines):
        check_same_lines(true, pred)
        return _LineBatch(true, pred)
    if any(_is_list_of_spans(side) for side in (true, pred)):
        for name, side in (("true", true), ("pred", pred)):
            if not _is_list_of_spans(side):
                raise KindError(f"{name} is a {type(side).__name__}; expected a list of Spans, as on the other side")
        if len(true) != len(pred):
            raise ShapeMismatchError(f"true has {len(true)} lines and pred {len(pred)}; expected the same lines")
        return _LineBatch(*_checked_lines(true, pred))
    pair = SegmentationPair.of(true, pred)
    first, second = pair.true, pair.pred
    if not isinstance(first, LabelArray) or not isinstance(second, LabelArray) or first.axes < 2:
        raise KindError(
            f"true is {first.kind} of shape {first.domain}; expected label arrays (items, …), SpanLines or lists of "
            "Spans"
        )
    return _StackBatch(first, second)


def _is_list_of_spans(side: Any) -> bool:
    return isinstance(side, list | tuple) and bool(side) and all(isinstance(spans, Spans) for spans in side)


def _checked_lines(true: Sequence[Spans], pred: Sequence[Spans]) -> tuple[list[Spans], list[Spans]]:
    """Return lines in equal ticks and of equal lengths; an error names the line."""
    firsts, seconds = list(true), list(pred)
    for at, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
        if first.n != second.n or first.tick is not second.tick or first.classes or second.classes:
            try:
                pair = SegmentationPair.of(first, second)
            except SegmetryError as problem:
                raise problem.within(f"line {at}") from None
            firsts[at], seconds[at] = pair.true, pair.pred  # type: ignore[call-overload]
    return firsts, seconds


def _one_by_one(
    batch: _StackBatch | _LineBatch,
    keys: list[str],
    rule: MatchRule,
    policy: Policy,
    options: Mapping[str, Mapping[str, Any]],
) -> dict[str, FloatArray]:
    """Return the columns of metrics that are computed item by item; an error names the item."""
    columns: dict[str, list[float]] = {key: [] for key in keys}
    for at, (first, second) in enumerate(batch.items()):
        try:
            scores = score_pair_with(first, second, keys, rule=rule, policy=policy, options=options)
        except SegmetryError as problem:
            raise problem.within(f"item {at}") from None
        for key, column in columns.items():
            column.append(scores[key].value)
    return {key: np.array(column) for key, column in columns.items()}
