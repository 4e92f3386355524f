"""Spans: consecutive elements of a sequence. Sentences of a text, pages of a stream, frames of a recording."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import IndexArray, IntArray, fraction, frozen_dataclass, short_repr
from segmetry.errors import SpanError
from segmetry.kernels import number_labels
from segmetry.segmentation.base import ClassMap, Segmentation

if TYPE_CHECKING:
    from segmetry.segmentation.tag_schemes import Malformed, Scheme

FEW = 1000
"""Segment lengths that Python adds up by itself: arrays cost more than they save."""
ONE_TICK = Fraction(1)
_INTEGERS = {int}
_LISTS = (list, tuple)
_BUT_FIRST, _BUT_LAST, _INNER = slice(1, None), slice(-1), slice(1, -1)
_INT64 = np.dtype(np.int64)


def outside_labels(outside: Any) -> frozenset[Hashable]:
    """Return the labels whose elements are in no span, from one label, several, or None."""
    if outside is None:
        return frozenset()
    if isinstance(outside, Iterable) and not isinstance(outside, str | bytes | tuple):
        return frozenset(outside)
    return frozenset([outside])


@frozen_dataclass(eq=False)
class LabelRuns:
    """Runs ``[starts, stops)``, whose elements count on over all lines; no run goes beyond its line.

    ``codes`` are their classes, positions in ``names``; ``lengths`` are those of the lines.
    """

    starts: IndexArray
    stops: IndexArray
    codes: IndexArray
    names: tuple[Hashable, ...]
    lengths: IndexArray


def label_runs(lines: Collection[Collection[Hashable]], outside: frozenset[Hashable]) -> LabelRuns:
    """Return the runs of all lines."""
    try:
        numbered = number_labels(lines)
    except TypeError:
        raise SpanError("a label is a list or another object that cannot be hashed; expected text or numbers") from None
    codes, lengths, names = numbered.codes, numbered.lengths, numbered.labels
    first = np.zeros(codes.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths) - lengths] = True
    first = first[: codes.size]
    first[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(first)
    stops = np.append(starts[1:], codes.size)
    is_outside = np.array([name in outside for name in names], dtype=np.bool_)
    kept = ~is_outside[codes[starts]] if names else np.zeros(0, dtype=np.bool_)
    return LabelRuns(starts[kept], stops[kept], codes[starts][kept], tuple(names), lengths)


class LineSegmentation(Segmentation):
    """Segments ``[start, stop)`` of the elements ``0 … n-1`` of a line."""

    starts: IntArray
    stops: IntArray
    n: int

    @property
    def n_elements(self) -> int:
        return self.n

    @property
    def domain(self) -> tuple[int, ...]:
        return (self.n,)

    @property
    def lengths(self) -> IntArray:
        """The length of every segment, gaps left out."""
        return self.stops - self.starts

    @property
    def class_list(self) -> list[Hashable] | None:
        """The classes in the order of the segments."""
        return None if self.classes is None else [self.classes[at + 1] for at in range(self.starts.size)]


@frozen_dataclass(eq=False, init=False)
class Spans(LineSegmentation):
    """Disjoint spans ``[start, stop)`` of the elements ``0 … n-1``; elements in no span are outside.

    Segments are numbered 1, 2, … from left to right. The other constructors say what their numbers mean:
    ``from_masses``, ``from_boundaries``, ``from_bits``, ``from_spans``, ``from_labels``, ``from_frame_labels``,
    ``from_tags``.

    Parameters
    ----------
    starts : array of int
        The first element of each span.
    stops : array of int
        The element after the last of each span.
    n : int
        The number of elements.
    classes : sequence, optional
        The class of each span.
    tick : number, optional
        The length of one element, in seconds where the line is time.

    Examples
    --------
    >>> Spans.from_masses([5, 3, 5]).boundaries.tolist()
    [5, 8]
    >>> Spans.from_bits([1, 0, 0, 1]).masses.tolist()
    [3, 1]
    """

    __repr__ = short_repr

    kind: ClassVar[str] = "spans"

    starts: IntArray
    stops: IntArray
    n: int
    classes: ClassMap | None
    crowd: tuple[int, ...]
    tick: Fraction

    def __init__(
        self, starts: ArrayLike, stops: ArrayLike, n: int, *, classes: Sequence[Hashable] | None = None, tick: Any = 1
    ) -> None:
        first, last = positions(starts, "starts"), positions(stops, "stops")
        if first.size != last.size:
            raise SpanError(f"{first.size} starts and {last.size} stops; expected one stop for each start")
        in_order = bool((first[1:] >= first[:-1]).all())
        order = np.arange(first.size) if in_order else np.argsort(first, kind="stable")
        if not in_order:
            first, last = first[order], last[order]
        check_ends(first, last, int(n))
        clash = first[1:] < last[:-1]
        if clash.any():
            at = int(np.argmax(clash))
            raise SpanError(
                f"span [{int(first[at + 1])}, {int(last[at + 1])}) overlaps [{int(first[at])}, {int(last[at])}); "
                "spans must be disjoint (overlapping segments: use TimeIntervals)"
            )
        if classes is not None and len(classes) != first.size:
            raise SpanError(f"{len(classes)} classes for {first.size} spans; expected one for each")
        by_id = None if classes is None else {i + 1: classes[int(source)] for i, source in enumerate(order)}
        self.__dict__.update(  # the dataclass is frozen
            starts=first,
            stops=last,
            n=int(n),
            classes=by_id,
            crowd=(),
            tick=ONE_TICK if type(tick) is int and tick == 1 else as_tick(tick),
        )

    @classmethod
    def of_checked(cls, starts: IntArray, stops: IntArray, n: int, classes: Sequence[Hashable]) -> Spans:
        """Return spans whose columns are known to be in order and disjoint, as those of a line of many are."""
        made = object.__new__(cls)
        made.__dict__.update(  # the dataclass is frozen
            starts=starts, stops=stops, n=n, classes=dict(enumerate(classes, 1)), crowd=(), tick=ONE_TICK
        )
        return made

    @classmethod
    def from_spans(
        cls, spans: Iterable[tuple[int, int]], n: int, *, classes: Sequence[Hashable] | None = None
    ) -> Spans:
        """Build from half-open pairs in any order.

        >>> Spans.from_spans([(0, 5), (5, 8)], n=13).is_total
        False
        """
        pairs = [(start, stop) for start, stop in spans]
        return cls([start for start, _ in pairs], [stop for _, stop in pairs], n, classes=classes)

    @classmethod
    def from_seconds(
        cls, intervals: Iterable[tuple[Any, Any]], *, classes: Sequence[Hashable] | None = None, end: Any = None
    ) -> Spans:
        """Build from starts and ends in seconds; the tick is the finest decimal among them.

        >>> song = Spans.from_seconds([(0, 1.5), (1.5, 4)], classes=["verse", "chorus"])
        >>> song.boundaries.tolist(), song.tick
        ([15], Fraction(1, 10))
        """
        from segmetry.segmentation.seconds import common_tick, exact_seconds

        ends = [(exact_seconds(start), exact_seconds(stop)) for start, stop in intervals]
        times = [time for pair in ends for time in pair] + ([] if end is None else [exact_seconds(end, "end")])
        tick = common_tick(times)
        starts, stops = ([int(pair[at] / tick) for pair in ends] for at in (0, 1))
        return cls(starts, stops, int(max(times, default=Fraction(0)) / tick), classes=classes, tick=tick)

    @classmethod
    def from_masses(cls, masses: ArrayLike, *, classes: Sequence[Hashable] | None = None) -> Spans:
        """Build from segment lengths, which cover the whole sequence.

        >>> Spans.from_masses([2, 3]).n
        5
        """
        if classes is None and isinstance(masses, _LISTS) and len(masses) <= FEW:
            made = cls._of_lengths(masses)
            if made is not None:
                return made
        lengths = positions(masses, "masses")
        if (lengths < 1).any():
            at = int(np.argmax(lengths < 1))
            raise SpanError(f"masses[{at}] is {int(lengths[at])}; expected a segment length of at least 1")
        ends = np.cumsum(lengths, dtype=np.int64)
        return cls(ends - lengths, ends, int(ends[-1]) if ends.size else 0, classes=classes)

    @classmethod
    def _of_lengths(cls, lengths: Sequence[Any]) -> Spans | None:
        """Return spans that follow each other from 0 to the end; None for anything but a few positive integers."""
        if set(map(type, lengths)) != _INTEGERS or min(lengths) < 1:
            return None
        edges = [0, *accumulate(lengths)]
        # Sums of positions must fit into int64; longer lines take the way that checks.
        if edges[-1] >= 2**62:
            return None
        at, made = np.array(edges, _INT64), object.__new__(cls)
        filled = made.__dict__  # the dataclass is frozen
        filled["starts"], filled["stops"], filled["n"] = at[_BUT_LAST], at[_BUT_FIRST], edges[-1]
        filled["classes"], filled["crowd"], filled["tick"] = None, (), ONE_TICK
        filled["boundaries"] = at[_INNER]
        return made

    @classmethod
    def from_boundaries(cls, boundaries: ArrayLike, n: int) -> Spans:
        """Build from the first elements of all segments but the first; the segments cover the whole sequence.

        >>> Spans.from_boundaries([5, 8], n=13).masses.tolist()
        [5, 3, 5]
        """
        cuts = np.sort(positions(boundaries, "boundaries"))
        if cuts.size and (cuts[0] < 1 or cuts[-1] > n - 1):
            wrong = int(cuts[0]) if cuts[0] < 1 else int(cuts[-1])
            raise SpanError(
                f"boundary {wrong} is outside 1 … {n - 1}; a boundary is the first element of a later segment"
            )
        if (np.diff(cuts) == 0).any():
            raise SpanError(f"boundary {int(cuts[:-1][np.diff(cuts) == 0][0])} occurs twice")
        if n == 0:
            return cls([], [], 0)
        edges = np.concatenate(([0], cuts, [n]))
        return cls(edges[:-1], edges[1:], n)

    @classmethod
    def from_bits(cls, bits: ArrayLike, *, first: Literal["gap", "force"] = "gap") -> Spans:
        """Build from one bit per element: 1 where a segment starts.

        Elements before the first 1 are a gap (outside), unless ``first="force"`` starts a segment at element 0.

        >>> Spans.from_bits([0, 1, 0]).starts.tolist(), Spans.from_bits([0, 1, 0], first="force").starts.tolist()
        ([1], [0, 1])
        """
        if first not in ("gap", "force"):
            raise SpanError(f"first is {first!r}; expected 'gap' or 'force'")
        flags = np.asarray(bits)
        if flags.ndim != 1 or (flags.size and flags.dtype.kind not in "biu"):
            raise SpanError(f"bits have dtype {flags.dtype} and shape {flags.shape}; expected a list of 0 and 1")
        if flags.size and (flags.min() < 0 or flags.max() > 1):
            at = int(np.argmax((flags < 0) | (flags > 1)))
            raise SpanError(f"bits[{at}] is {flags[at]}; expected 0 or 1")
        starts = np.flatnonzero(flags)
        if first == "force" and flags.size and flags[0] == 0:
            starts = np.concatenate(([0], starts))
        return cls(starts, np.concatenate((starts[1:], [flags.size])) if starts.size else [], int(flags.size))

    @classmethod
    def from_labels(cls, labels: ArrayLike, *, outside: int | None = 0) -> Spans:
        """Build from an ordered label array: every maximal run of one label is a segment.

        >>> Spans.from_labels([7, 7, 0, 3, 7]).starts.tolist()
        [0, 3, 4]
        """
        line = np.asarray(labels)
        if line.ndim != 1 or (line.size and line.dtype.kind not in "biu"):
            raise SpanError(
                f"labels have dtype {line.dtype} and shape {line.shape}; expected a one-dimensional array of integers "
                "(from_frame_labels takes labels of any kind, such as text, as classes)"
            )
        changes = np.flatnonzero(line[1:] != line[:-1]) + 1
        edges = np.concatenate(([0], changes, [line.size])) if line.size else np.zeros(1, dtype=np.int64)
        starts, stops = edges[:-1], edges[1:]
        inside = np.ones(starts.size, dtype=bool) if outside is None else line[starts] != outside
        return cls(starts[inside], stops[inside], int(line.size))

    @classmethod
    def from_frame_labels(cls, labels: Iterable[Hashable], *, outside: Any = None) -> Spans:
        """Build from one label of any kind per element: every maximal run of equal labels is a span of that class.

        ``outside`` is a label, or a list of labels, whose elements are in no span.

        >>> spans = Spans.from_frame_labels(["bg", "pour", "pour", "stir"], outside="bg")
        >>> spans.starts.tolist(), spans.stops.tolist(), spans.classes
        ([1, 3], [3, 4], {1: 'pour', 2: 'stir'})
        """
        if isinstance(labels, str | bytes):
            raise SpanError(f"labels are the text {labels[:20]!r}; expected one label per element")
        line = list(labels)
        runs = label_runs([line], outside_labels(outside))
        return cls(runs.starts, runs.stops, len(line), classes=[runs.names[code] for code in runs.codes.tolist()])

    @classmethod
    def from_tags(cls, tags: Sequence[str], *, scheme: Scheme | None = None, malformed: Malformed = "error") -> Spans:
        """Build from the tags of entities (``B-PER``, ``I-PER``, ``O``); the part after the dash is the class.

        ``scheme`` is ``bio``, ``iob1``, ``iobes`` or ``bilou``; by default the letters decide between the others, and
        ``iob1`` must be stated. ``malformed`` says what becomes of tags that the scheme does not allow, such as an I
        that follows nothing: ``"error"``; ``"keep"`` takes them as a span all the same, as the CoNLL script does;
        ``"drop"`` leaves them out, as seqeval's strict mode does. Tags without any segment give an empty set of
        classes, which fits a side with classes and one without.

        >>> Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC"]).classes
        {1: 'PER', 2: 'LOC'}
        >>> [Spans.from_tags(["O", "I-PER"], malformed=word).starts.tolist() for word in ("keep", "drop")]
        [[1], []]
        """
        from segmetry.segmentation.tag_schemes import tagged_runs

        runs = tagged_runs([tags], scheme, malformed)
        names = [runs.names[code] for code in runs.codes.tolist()]
        return cls(runs.starts, runs.stops, len(tags), classes=names if any(names) or not names else None)

    @property
    def is_disjoint(self) -> bool:
        return True

    def rescaled(self, factor: int) -> Spans:
        """Return the same spans in ticks that are ``factor`` times as short.

        >>> Spans.from_masses([2, 1]).rescaled(10).masses.tolist()
        [20, 10]
        """
        ends = self.starts * factor, self.stops * factor
        return Spans(*ends, self.n * factor, classes=self.class_list, tick=self.tick / factor)

    def with_length(self, n: int) -> Spans:
        """Return the same spans on a line of another length."""
        return Spans(self.starts, self.stops, n, classes=self.class_list, tick=self.tick)

    @property
    def is_total(self) -> bool:
        """Whether every element is in a span."""
        return int(self.lengths.sum()) == self.n

    def filled(self) -> Spans:
        """Return P*, the smallest total segmentation that contains this one: every maximal gap is a segment of its own.

        >>> filled = Spans([2, 7], [5, 9], n=10).filled()
        >>> filled.starts.tolist(), filled.is_total
        ([0, 2, 5, 7, 9], True)
        """
        edges = np.concatenate(([0], self.boundaries, [self.n])) if self.n else np.zeros(1, dtype=np.int64)
        return Spans(edges[:-1], edges[1:], self.n, tick=self.tick)

    def distance(self, first: ArrayLike, second: ArrayLike) -> IntArray:
        """Return δ^P of elements: how many segments of P* start after the earlier one and not after the later one; 0
        exactly within a segment. Pk and WindowDiff compare it over all windows, and arrays may be given.

        >>> spans = Spans.from_masses([2, 3, 1])
        >>> int(spans.distance(0, 5)), spans.distance([0, 2, 5], [1, 4, 1]).tolist()
        (2, [0, 0, 2])
        """
        at = np.asarray(first), np.asarray(second)
        for side in at:
            if side.dtype.kind not in "iu" or (side.size and (side.min() < 0 or side.max() >= self.n)):
                raise SpanError(f"elements are {side.tolist()}; expected numbers from 0 to {self.n - 1}")
        before = [np.searchsorted(self.boundaries, side, side="right") for side in at]
        apart: IntArray = np.abs(before[1] - before[0])
        return apart

    @cached_property
    def boundaries(self) -> IntArray:
        """The inner boundaries of P*, the total segmentation in which every maximal gap is a segment of its own."""
        # Spans are disjoint and sorted, so start, stop, start, stop … increases; where two touch, a cut occurs twice.
        cuts = np.stack((self.starts, self.stops), axis=1).ravel()
        fresh = np.concatenate(([True], cuts[1:] != cuts[:-1])) if cuts.size else np.zeros(0, dtype=bool)
        return cuts[fresh & (cuts > 0) & (cuts < self.n)]

    @cached_property
    def masses(self) -> IntArray:
        """The segment lengths of P*."""
        if self.n == 0:
            return np.zeros(0, dtype=np.int64)
        return np.diff(np.concatenate(([0], self.boundaries, [self.n])))


def positions(values: ArrayLike, name: str) -> IntArray:
    """Return positions on a line as an array; anything but a list of integers is an error."""
    array: NDArray[Any] = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SpanError(f"{name} have dtype {array.dtype} and shape {array.shape}; expected a list of integers")
    return array.astype(np.int64)


def as_tick(tick: Any) -> Fraction:
    """Return the length of an element as an exact number."""
    length = fraction(tick, "tick")
    if length <= 0:
        raise SpanError(f"tick is {tick!r}; expected a positive duration")
    return length


def check_ends(starts: IntArray, stops: IntArray, n: int, *, points: bool = False) -> None:
    """Raise if runs are outside a line of n elements or empty; ``points`` may be empty."""
    if n < 0:
        raise SpanError(f"n is {n}; expected the number of elements")
    for wrong, problem in (
        (starts > stops if points else starts >= stops, "is empty; expected start < stop"),
        ((starts < 0) | (stops > n), f"is outside the sequence; expected 0 <= start < stop <= {n}"),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise SpanError(f"span [{int(starts[at])}, {int(stops[at])}) {problem}")
