"""TimeIntervals: parts of a line that may overlap, such as turns of speakers and sound events."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from segmetry._base import IntArray, frozen_dataclass
from segmetry.errors import KindError, SpanError
from segmetry.kernels import united
from segmetry.segmentation.base import ClassMap
from segmetry.segmentation.seconds import common_tick, exact_seconds
from segmetry.segmentation.spans import LineSegmentation, Spans, as_tick, check_ends, positions


@frozen_dataclass(eq=False, init=False)
class TimeIntervals(LineSegmentation):
    """TimeIntervals ``[start, stop)`` of the elements ``0 … n-1``, any number of which may contain the same element.

    An interval without elements is a moment, such as a sound event of which only the onset is known.

    Segments are numbered 1, 2, … by start, then stop. :class:`Spans` are the special case in which none overlap; where
    one side has spans and the other intervals, the spans are read as intervals.

    Parameters
    ----------
    starts : array of int
        The first element of each interval.
    stops : array of int
        The element after the last of each interval.
    n : int, optional
        The number of elements; by default the last stop. Of two sides the longer line counts.
    classes : sequence, optional
        The class of each interval: the speaker of a turn, the label of an event.
    tick : number, optional
        The length of one element in seconds.
    scored : pairs of int, optional
        The parts of the line that are evaluated (an un-partitioned evaluation map, UEM); by default all of it.
    tracks : sequence, optional
        The track of each interval, where several segmentations of one line lie side by side: those of several
        annotators, or the levels of a hierarchy.

    Examples
    --------
    >>> turns = TimeIntervals.from_seconds([(0, 2.5), (2, 4)], classes=["ann", "bob"])
    >>> turns.starts.tolist(), turns.stops.tolist(), turns.tick, turns.is_disjoint
    ([0, 20], [25, 40], Fraction(1, 10), False)
    """

    kind: ClassVar[str] = "intervals"

    starts: IntArray
    stops: IntArray
    n: int
    classes: ClassMap | None
    crowd: tuple[int, ...]
    tick: Fraction
    scored: tuple[IntArray, IntArray] | None
    tracks: tuple[Hashable, ...] | None

    def __init__(
        self,
        starts: ArrayLike,
        stops: ArrayLike,
        n: int | None = None,
        *,
        classes: Sequence[Hashable] | None = None,
        tick: Any = 1,
        scored: Iterable[tuple[int, int]] | None = None,
        tracks: Sequence[Hashable] | None = None,
    ) -> None:
        first, last = positions(starts, "starts"), positions(stops, "stops")
        if first.size != last.size:
            raise SpanError(f"{first.size} starts and {last.size} stops; expected one stop for each start")
        if classes is not None and len(classes) != first.size:
            raise SpanError(f"{len(classes)} classes for {first.size} intervals; expected one for each")
        if tracks is not None and len(tracks) != first.size:
            raise SpanError(f"{len(tracks)} tracks for {first.size} intervals; expected one for each")
        parts = None if scored is None else _scored_parts(scored)
        end = max((int(ends.max()) for ends in (last, *(() if parts is None else parts[1:])) if ends.size), default=0)
        length = end if n is None else int(n)
        order = np.lexsort((last, first))
        first, last = first[order], last[order]
        check_ends(first, last, length, points=True)
        if parts is not None:
            check_ends(*parts, length)
        by_id = None if classes is None else {at + 1: classes[source] for at, source in enumerate(order.tolist())}
        self.__dict__.update(  # the dataclass is frozen
            starts=first,
            stops=last,
            n=length,
            classes=by_id,
            crowd=(),
            tick=as_tick(tick),
            scored=parts,
            tracks=None if tracks is None else tuple(tracks[source] for source in order.tolist()),
        )

    @classmethod
    def from_seconds(
        cls,
        intervals: Iterable[tuple[Any, Any]],
        *,
        classes: Sequence[Hashable] | None = None,
        end: Any = None,
        scored: Iterable[tuple[Any, Any]] | None = None,
    ) -> TimeIntervals:
        """Build from starts and ends in seconds; the tick is the finest decimal among them.

        >>> TimeIntervals.from_seconds([(0, 1.5)], end=2, scored=[(0.25, 2)]).n
        200
        """
        ends = [(exact_seconds(start), exact_seconds(stop)) for start, stop in intervals]
        parts = None if scored is None else [(exact_seconds(start), exact_seconds(stop)) for start, stop in scored]
        last = None if end is None else exact_seconds(end, "end")
        times = [time for pair in (*ends, *(parts or ())) for time in pair] + ([] if last is None else [last])
        tick = common_tick(times)
        starts, stops = ([int(pair[at] / tick) for pair in ends] for at in (0, 1))
        in_ticks = None if parts is None else [(int(start / tick), int(stop / tick)) for start, stop in parts]
        n = None if last is None else int(last / tick)
        return cls(starts, stops, n, classes=classes, tick=tick, scored=in_ticks)

    @classmethod
    def of_spans(cls, spans: Spans) -> TimeIntervals:
        """Return spans as intervals.

        >>> TimeIntervals.of_spans(Spans.from_masses([2, 1])).stops.tolist()
        [2, 3]
        """
        return cls(spans.starts, spans.stops, spans.n, classes=spans.class_list, tick=spans.tick)

    @cached_property
    def is_disjoint(self) -> bool:
        return bool((self.starts[1:] >= self.stops[:-1]).all())

    @property
    def scored_pairs(self) -> list[tuple[int, int]] | None:
        """The parts that are evaluated, as pairs."""
        if self.scored is None:
            return None
        return list(zip(self.scored[0].tolist(), self.scored[1].tolist(), strict=True))

    def rescaled(self, factor: int) -> TimeIntervals:
        """Return the same intervals in ticks that are ``factor`` times as short."""
        return self._in_ticks(factor, self.n * factor)

    def with_length(self, n: int) -> TimeIntervals:
        """Return the same intervals on a line of another length."""
        return self._in_ticks(1, n)

    def _in_ticks(self, factor: int, n: int) -> TimeIntervals:
        parts = None if self.scored is None else zip(*((ends * factor).tolist() for ends in self.scored), strict=True)
        starts, stops, tick = self.starts * factor, self.stops * factor, self.tick / factor
        return TimeIntervals(starts, stops, n, classes=self.class_list, tick=tick, scored=parts, tracks=self.tracks)

    def by_track(self) -> dict[Hashable, Spans]:
        """Return the segmentation of each track, in the order in which they begin; without tracks there is one, None.

        >>> line = TimeIntervals([0, 0, 3], [5, 3, 5], tracks=["ann", "bob", "bob"])
        >>> {name: spans.masses.tolist() for name, spans in line.by_track().items()}
        {'bob': [3, 2], 'ann': [5]}
        """
        names = (None,) * self.starts.size if self.tracks is None else self.tracks
        classes = self.class_list
        found: dict[Hashable, Spans] = {}
        for name in dict.fromkeys(names) or (None,):
            at = [place for place, other in enumerate(names) if other == name]
            starts, stops = self.starts[at], self.stops[at]
            if (starts[1:] < stops[:-1]).any():
                raise KindError(f"intervals overlap within track {name!r}; expected tracks= that divide them")
            own = None if classes is None else [classes[place] for place in at]
            found[name] = Spans(starts, stops, self.n, classes=own, tick=self.tick)
        return found


def _scored_parts(scored: Iterable[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    pairs = list(scored)
    starts, stops = ([pair[at] for pair in pairs] for at in (0, 1))
    first, last = positions(starts, "starts of scored parts"), positions(stops, "stops of scored parts")
    return united(first, last)[:2]
