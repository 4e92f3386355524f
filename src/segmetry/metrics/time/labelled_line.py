"""Labelled runs of a line in ticks: what the metrics of time compute from.

All runs of one label are one cluster; where segments have no classes, every segment is a label of its own.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry._base import IntArray, common_step, fraction
from segmetry.errors import OptionError
from segmetry.kernels import united
from segmetry.segmentation import Spans, TimeIntervals

TimeLine = Spans | TimeIntervals
FIRST_GAP, LAST_GAP = "__t_min", "__t_max"
"""The labels that mir_eval gives to time before the first span and after the last one."""
Section = tuple[float, float, str]


@dataclass(frozen=True, eq=False)
class LabelledLine:
    """Runs by start, each with the position of its label in ``names``."""

    starts: IntArray
    stops: IntArray
    label: IntArray
    names: tuple[Hashable, ...]

    @classmethod
    def of(cls, line: TimeLine, factor: int = 1) -> LabelledLine:
        """Return the runs of a line, in ticks that are ``factor`` times as short.

        >>> LabelledLine.of(Spans.from_masses([2, 3], classes=["b", "a"])).names
        ('a', 'b')
        """
        labels: list[Hashable] = line.class_list or list(range(1, line.starts.size + 1))
        names = tuple(sorted(set(labels), key=str)) if line.classes is not None else tuple(labels)
        place = {name: at for at, name in enumerate(names)}
        codes = np.array([place[label] for label in labels], dtype=np.int64)
        return cls(line.starts * factor, line.stops * factor, codes, names)

    @property
    def united(self) -> LabelledLine:
        """The maximal runs of each label: what overlaps or touches under one label is one run."""
        starts, stops, label = united(self.starts, self.stops, self.label)
        order = np.lexsort((stops, starts))
        return LabelledLine(starts[order], stops[order], label[order], self.names)


def seconds(value: Any, name: str) -> Fraction:
    """Return an option in seconds as an exact number, 0 or more.

    >>> seconds(0.25, "collar")
    Fraction(1, 4)
    """
    number = fraction(value, name)
    if number < 0:
        raise OptionError(f"{name} is {value!r}; expected a duration of 0 seconds or more")
    return number


def positive_seconds(value: Any, name: str, *, or_none: bool = False) -> Fraction:
    """Return an option in seconds as an exact number above 0; ``or_none`` is for an option that may be left out."""
    length = seconds(value, name)
    if not length:
        raise OptionError(f"{name} is {value!r}; expected a positive number of seconds{', or None' if or_none else ''}")
    return length


def sections_in_seconds(level: Spans, end: float) -> list[Section]:
    """Return start, end and label of every span in seconds, from 0 to the end of the truth, as mir_eval takes them.

    Labels are text in lower case; time before the first span, and after the last one, has a label of its own.

    >>> sections_in_seconds(Spans.from_seconds([(1, 2)], classes=["A"]), 3.0)
    [(0.0, 1.0, '__t_min'), (1.0, 2.0, 'a'), (2.0, 3.0, '__t_max')]
    """
    names = level.class_list or list(range(1, level.starts.size + 1))
    rows = [
        (float(start * level.tick), float(stop * level.tick), str(name).lower())
        for start, stop, name in zip(level.starts.tolist(), level.stops.tolist(), names, strict=True)
    ]
    if not rows:
        return [(0.0, end, FIRST_GAP)]
    if rows[0][0] > 0:
        rows.insert(0, (0.0, rows[0][0], FIRST_GAP))
    rows = [(min(start, end), min(stop, end), name) for start, stop, name in rows if start <= end]
    if rows[-1][1] < end:
        rows.append((rows[-1][1], end, LAST_GAP))
    return rows


def finer_ticks(tick: Fraction, *durations: Fraction) -> tuple[int, tuple[int, ...]]:
    """Return by how much a tick must be divided for some durations to be whole ticks, and the durations in those.

    >>> finer_ticks(Fraction(1, 10), Fraction(1, 4))
    (2, (5,))
    """
    step = tick
    for duration in durations:
        step = common_step(step, duration) if duration else step
    return int(tick / step), tuple(int(duration / step) for duration in durations)
