"""Metrics of matched, missed and spurious segments: one formula for a tally, an item, a class, a data set, a resample.

The metric is written as a function of :class:`SegmentCounts` that returns a :class:`Quotient`. The counts may be
numbers or arrays: counts are integers far below 2⁵³ and sums over pairs are floats that were rounded once, so dividing
arrays gives the bits that dividing numbers gives. A metric that adds up another value of every pair than its IoU
states it as ``pairs``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, frozen_dataclass
from segmetry.alignments import Alignment, Breakdown, Tally
from segmetry.kernels import group_order, rounded_sum
from segmetry.metrics.aggregation import Aggregation, named_options, score_signature
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import LABEL, By, ColumnRoles, Quotient, Statistics, Sums
from segmetry.overlaps import sorted_names

NO_SEGMENTS = "no true and no pred segments"
PAIR_LABEL = "pair_class"
_PAIRS = ("shared", "missed_elements", "spurious_elements")


class SegmentCounts(Protocol):
    """TP, |T|, |H|, Σ IoU over the pairs and Σ of the metric's own value of every pair, as numbers or as arrays."""

    @property
    def n_pairs(self) -> Any: ...
    @property
    def n_true(self) -> Any: ...
    @property
    def n_pred(self) -> Any: ...
    @property
    def iou_sum(self) -> Any: ...
    @property
    def total(self) -> Any: ...


class _CountsOfTally:
    """The counts of one tally, with the sum of another value of its pairs than their IoU."""

    def __init__(self, tally: Tally, values: NDArray[Any]) -> None:
        self.n_pairs, self.n_true, self.n_pred, self.iou_sum = tally.n_pairs, tally.n_true, tally.n_pred, 0.0
        self.total = rounded_sum(values) if values.dtype.kind == "f" else int(values.sum())


class _CountsOfSums:
    """The counts of sums of any shape."""

    def __init__(self, sums: Sums) -> None:
        self.n_pairs = sums["matched"]
        self.n_true, self.n_pred = sums["matched"] + sums["missed"], sums["matched"] + sums["spurious"]
        self.iou_sum = self.total = sums["total"]


@frozen_dataclass()
class CountQuotient:
    """A metric of a tally, with its formula for counts of any form.

    ``one_to_one``: a segment with several partners is an error, since the metric counts segments by their pairs.
    ``pairs`` returns the value of every pair of a tally that is added up, by default its IoU; ``describe`` the details
    of a score, from the rule of a tally (which may be empty) and the options.
    """

    formula: Callable[..., Quotient]
    one_to_one: bool
    pairs: Callable[..., NDArray[Any]] | None = None
    describe: Callable[..., dict[str, Any]] | None = None

    @property
    def __name__(self) -> str:
        return self.formula.__name__

    @property
    def __signature__(self) -> Signature:
        tally = Parameter("tally", Parameter.POSITIONAL_ONLY)
        return score_signature([tally], (self.formula, self.pairs, self.describe))

    def __call__(self, tally: Tally, /, **options: Any) -> Score:
        """Return the score of one tally."""
        known = tally.one_to_one() if self.one_to_one else tally
        counts: Any = known
        if self.pairs is not None:
            counts = _CountsOfTally(known, self.pairs(known, **named_options(self.pairs, options)))
        quotient = self.formula(counts, **named_options(self.formula, options)) if options else self.formula(counts)
        details = {} if self.describe is None else self.describe(known, **named_options(self.describe, options))
        bottom = 1 if quotient.denominator is None else quotient.denominator
        return Score.of(self.__name__, _number(quotient.numerator), _number(bottom), quotient.reason, **details)

    @cached_property
    def aggregation(self) -> Aggregation:
        """The metric over the segments of many items and classes."""

        pairs, derive = self.pairs, _iou_totals
        if pairs is not None:

            def derive(statistics: Statistics, **options: Any) -> Mapping[str, NDArray[Any]]:
                return {"total": pairs(tally_of(statistics), **named_options(pairs, options))}

        def finish(sums: Sums, **options: Any) -> Quotient:
            if self.one_to_one and (clash := sums.context.get("clash")) is not None:
                raise clash
            counts = _CountsOfSums(sums)
            quotient = self.formula(counts, **named_options(self.formula, options))
            bottom = np.ones_like(sums["matched"]) if quotient.denominator is None else quotient.denominator
            occurs = counts.n_true + counts.n_pred > 0
            if sums.is_by_class and "declared" in sums.context:
                occurs = occurs | sums.marked(sums.context["declared"])
            return Quotient(quotient.numerator, bottom, quotient.reason, occurs=occurs)

        def details(_: Quotient, sums: Sums, __: Any, **options: Any) -> dict[str, Any]:
            nothing = np.zeros(0, dtype=np.int64)
            tally = Tally(nothing, nothing, nothing, 0, 0, sums.context["rule"])
            return {} if self.describe is None else self.describe(tally, **named_options(self.describe, options))

        functions: list[Any] = [finish, details] if derive is _iou_totals else [derive, finish, details]
        for function in functions:
            function.__signature__ = self.__signature__
        label_columns = dict.fromkeys((*_PAIRS, "total"), PAIR_LABEL)
        described = self.describe is not None
        return Aggregation(
            segment_counts,
            finish,
            derive=derive,
            label_columns=label_columns,
            describe=details if described else None,
            describes_classes=described,
        )


def count_quotient(
    *,
    one_to_one: bool = True,
    pairs: Callable[..., NDArray[Any]] | None = None,
    describe: Callable[..., dict[str, Any]] | None = None,
) -> Callable[[Callable[..., Quotient]], CountQuotient]:
    """Make a metric of a tally from its formula; use it below ``@metric``.

    >>> import segmetry as sm
    >>> @count_quotient()
    ... def detected(counts: SegmentCounts) -> Quotient:
    ...     return Quotient(counts.n_pairs, counts.n_true, "no true segments")
    >>> detected(sm.align(sm.overlap([1, 1, 2], [1, 1, 0])).tally)
    Score(detected: 0.5)
    """

    def make(formula: Callable[..., Quotient]) -> CountQuotient:
        return CountQuotient(formula, one_to_one, pairs, describe)

    return make


def segment_counts(alignment: Alignment) -> Statistics:
    """Return the matched, missed and spurious segments of one item, by class where its segments carry classes."""
    table = alignment.table
    items = np.zeros(len(table.true), dtype=np.intp), np.zeros(len(table.pred), dtype=np.intp)
    if table.class_names is None:
        return segment_statistics(alignment, items, 1)
    codes = table.true.class_codes.astype(np.intp), table.pred.class_codes.astype(np.intp)
    return segment_statistics(alignment, items, 1, codes, table.class_names)


def segment_statistics(
    alignment: Alignment,
    item: tuple[IndexArray, IndexArray],
    n_items: int,
    code: tuple[IndexArray, IndexArray] | None = None,
    names: tuple[Any, ...] = (),
) -> Statistics:
    """Return the statistics of an alignment of several items together, from the item of every true and pred segment.

    ``code`` are their classes, or the parts of another breakdown, as positions in ``names``; segments of code -1 are
    left out. A pair belongs to the item and class of its true segment.
    """
    true, pred = item if code is None else (code[0] + len(names) * item[0], code[1] + len(names) * item[1])
    n_places = n_items * (1 if code is None else len(names))
    kept = np.ones(len(alignment), dtype=bool) if code is None else code[0][alignment.at_true] >= 0
    places = [true[alignment.at_true[kept]]]
    for side, own, unmatched in zip((true, pred), code or (None, None), _unmatched(alignment), strict=True):
        places.append(side[unmatched if own is None else unmatched[own[unmatched] >= 0]])
    counts = [np.bincount(place, minlength=n_places) for place in places]
    order, starts = group_order(places[0], n_places)
    rows = np.flatnonzero(kept)[order]
    columns: dict[str, Any] = dict(zip(("matched", "missed", "spurious"), counts, strict=True))
    columns |= dict(
        zip(_PAIRS, (alignment.shared[rows], alignment.missed[rows], alignment.spurious[rows]), strict=True)
    )
    pair_starts = starts[:: 1 if code is None else len(names)] if n_places else np.zeros(n_items + 1, dtype=np.intp)
    labels: dict[str, tuple[Any, ...]] = {}
    of_rows = np.arange(n_items + 1)
    if code is not None:
        present = np.flatnonzero(counts[0] + counts[1] + counts[2])
        columns |= {name: columns[name][present] for name in ("matched", "missed", "spurious")}
        columns[LABEL], columns[PAIR_LABEL] = present % len(names), places[0][order] % len(names)
        labels = {LABEL: names, PAIR_LABEL: names}
        of_rows = np.searchsorted(present, np.arange(n_items + 1) * len(names))
    of_columns = {name: pair_starts if name in (*_PAIRS, PAIR_LABEL) else of_rows for name in columns}
    context = {"rule": alignment.rule, "clash": alignment.tally.clash}
    return Statistics(columns, of_columns, labels, n_items, context)


def _unmatched(alignment: Alignment) -> tuple[IndexArray, IndexArray]:
    return np.flatnonzero(alignment.missed_true), np.flatnonzero(alignment.spurious_pred)


def segments_by(alignment: Alignment, by: Breakdown) -> Statistics:
    """Return the segments of one item by another breakdown than their classes, such as their size."""
    labels = by.labels(alignment.table)
    names = tuple(sorted_names({name for side in labels for name in side if name is not None}))
    number = {name: code for code, name in enumerate(names)}
    true, pred = (np.array([number.get(name, -1) for name in side], dtype=np.intp) for side in labels)
    items = np.zeros(true.size, dtype=np.intp), np.zeros(pred.size, dtype=np.intp)
    return segment_statistics(alignment, items, 1, (true, pred), names)


_ROLES = ColumnRoles(label_columns=tuple(dict.fromkeys(_PAIRS, PAIR_LABEL).items()))


def segment_sums(statistics: Statistics, by: By) -> Sums:
    """Return the matched, missed and spurious segments by class, by item, or of all items."""
    return _ROLES.sums(statistics, by)


def _iou_totals(statistics: Statistics) -> Mapping[str, NDArray[Any]]:
    """Return the IoU of every pair: one function for all metrics that add it up, so that its sums are shared."""
    return {"total": tally_of(statistics).weights("iou")}


def tally_of(statistics: Statistics) -> Tally:
    """Return the tally of all items together."""
    shared, missed, spurious = (statistics.columns[name] for name in _PAIRS)
    n_missed, n_spurious = (int(statistics.columns[name].sum()) for name in ("missed", "spurious"))
    context = statistics.context
    return Tally(shared, missed, spurious, n_missed, n_spurious, context["rule"], clash=context["clash"])


def _number(part: Any) -> Any:
    """Return a number of numpy as Python's."""
    return part.item() if isinstance(part, np.generic | np.ndarray) else part
