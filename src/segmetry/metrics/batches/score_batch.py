"""Score many small items with one call: the crops of a batch, the texts of a corpus.

The segment counts of every item of a stack of label arrays, from one count and one alignment of all of them.

Labels of different items become different labels, so one overlap table has the segments of all items; a local rule
decides on each pair alone, so that its alignment contains that of every item.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray
from segmetry.alignments import MatchRule, Policy, align, as_policy, as_rule, void_policy
from segmetry.errors import KindError, SegmetryError, ShapeMismatchError
from segmetry.kernels import Special, count_pairs, table_columns
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_names import MetricName, canonical_names, check_metric_options, select_metrics
from segmetry.metrics.score_many import score_pair_with
from segmetry.metrics.shared_options import PolicyName, RuleName
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_statistics
from segmetry.metrics.windows.sliding_windows import LineBoundaries, LinePairs
from segmetry.overlaps import BackgroundCounts, OverlapTable, Side, item_of
from segmetry.results import ResultTable, ShownAsTable, Table, Tabular, counted
from segmetry.segmentation import LabelArray, SegmentationPair, SpanLines, Spans, check_same_lines

AT_ONCE = 2**20
"""Elements that are counted together: their labels are copied, and should stay in the cache."""
_LARGEST = 2**62


def stack_segments(true: LabelArray, pred: LabelArray, rule: MatchRule, policy: Policy) -> Statistics | None:
    """Return the matched, missed and spurious segments of every item; None where they must be counted one by one.

    That is so for labels that are not in memory or have classes or crowds, rules that are not local, labels too far
    apart, and segments with several partners.
    """
    local = getattr(rule, "select_rows", None) is not None
    plain = all(
        side.classes is None and not side.crowd and side.stored is None and side.on_device is None
        for side in (true, pred)
    )
    if not (local and plain):
        return None
    parts = []
    for first, second in _parts(true, pred):
        part = _count(first, second, rule, policy)
        if part is None:
            return None
        parts.append(part)
    return parts[0] if len(parts) == 1 else Statistics.concatenate(parts)


class _ItemsApart(NamedTuple):
    """Some items of one side whose labels differ from item to item: item · width + label - low."""

    labels: NDArray[np.int64]
    special: Special
    width: int

    @classmethod
    def of(cls, side: LabelArray, labels: NDArray[Any], name: str) -> _ItemsApart | None:
        low, high = int(labels.min()), int(labels.max())
        width, n = high - low + 1, len(labels)
        if n * width >= _LARGEST or high >= _LARGEST or low <= -_LARGEST:
            return None
        if low < 0:
            side.check_labels(labels, name)
        first = np.arange(n, dtype=np.int64) * width - low
        flat = labels.reshape(n, -1).astype(np.int64)
        flat += first[:, None]

        def placed(ids: Sequence[int]) -> list[int]:
            return [at for label in ids if low <= label <= high for at in (first + label).tolist()]

        return cls(flat, Special(placed(side.outside), placed(side.void)), width)


def _parts(true: LabelArray, pred: LabelArray) -> Iterator[tuple[_ItemsApart | None, _ItemsApart | None]]:
    n_items, each = true.domain[0], math.prod(true.domain[1:])
    step = max(1, AT_ONCE // each)
    for start in range(0, n_items, step):
        items = slice(start, min(start + step, n_items))
        yield _ItemsApart.of(true, true.labels[items], "true"), _ItemsApart.of(pred, pred.labels[items], "pred")


def _count(true: _ItemsApart | None, pred: _ItemsApart | None, rule: MatchRule, policy: Policy) -> Statistics | None:
    if true is None or pred is None:
        return None
    columns = table_columns(count_pairs(true.labels, pred.labels), true.special, pred.special)
    table = OverlapTable(
        true=Side(*columns.true),
        pred=Side(*columns.pred),
        row_true=columns.row_true,
        row_pred=columns.row_pred,
        shared=columns.shared,
        background=BackgroundCounts(*columns.background),
        n_elements=true.labels.size,
    )
    alignment = align(table, rule, policy=policy, resolve="keep")
    if not alignment.is_one_to_one:
        return None
    items = (table.true.ids // true.width).astype(np.intp), (table.pred.ids // pred.width).astype(np.intp)
    return segment_statistics(alignment, items, len(true.labels))


@dataclass(frozen=True, eq=False, repr=False)
class BatchScores(Mapping[str, FloatArray], Tabular, ShownAsTable):
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

    def rows(self) -> Table:
        """Return one plain row per item."""
        columns = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        rows = [[None if value != value else value for value in row] for row in columns]
        return Table("items", [dict(zip(self.columns, row, strict=True)) for row in rows])

    def means(self) -> dict[str, float]:
        """Return the mean of each metric over the items where it is defined; NaN where it never is."""
        defined = {key: column[~np.isnan(column)] for key, column in self.columns.items()}
        return {key: float(column.mean()) if column.size else float("nan") for key, column in defined.items()}

    def __repr__(self) -> str:
        return f"BatchScores({counted(self.n_items, 'item')}: {', '.join(self.columns)}; rule {self.rule})"

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
        every = {**metric.options, **options}
        return metric.quotient.aggregation.reading(metric.key, self._segments, every).item_values()

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
