"""Gates: bounds that the scores of a run, or the differences of two systems, must keep.

Two forms, for the two questions of an automatic check:

* ``pq=0.45``: the value of the data set must not be worse than the bound: below it where higher is better, above it
  where lower is better.
* ``pq:0.01``: the second system must not be worse than the first by more than the bound. Tested is the difference
  itself, or, on request, the end of its confidence interval on the side of worse (a test of non-inferiority: it passes
  if the interval excludes that the system is worse by more than the bound).

An undefined value fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.number_text import shortest
from segmetry.errors import OptionError
from segmetry.metrics.average import AVERAGES
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_names import find_metric

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.statistics.difference import Difference
    from segmetry.statistics.summary import Summary


@frozen_dataclass()
class Gate:
    """A bound of one metric; ``average`` is None where the user names none."""

    key: str
    average: str | None
    bound: float

    @classmethod
    def parse(cls, text: str, separator: str) -> Gate:
        """Return the gate in a text: a metric, perhaps an average, and the bound.

        >>> Gate.parse("pq.by_item=0.4", "=")
        Gate(key='pq', average='by_item', bound=0.4)
        """
        name, found, number = text.rpartition(separator)
        key, _, average = name.strip().partition(".")
        try:
            bound = float(number) if found else math.nan
        except ValueError:
            bound = math.nan
        if math.isnan(bound) or math.isinf(bound) or not key:
            raise OptionError(f"{text!r} is not a bound; expected METRIC{separator}NUMBER, such as pq{separator}0.01")
        metric = find_metric(key).metric
        if metric.better == "neither":
            raise OptionError(f"{text!r}: no value of {key} is better than another, so it cannot be bounded")
        if average and average not in AVERAGES:
            raise OptionError(f"{text!r}: there is no average {average!r}; expected one of {', '.join(AVERAGES)}")
        return cls(metric.key, average or None, bound)


def failed_bounds(summary: Summary, gates: Iterable[Gate]) -> Iterator[str]:
    """Yield one line for every bound that a summary does not keep."""
    for gate in gates:
        if gate.key not in summary.scores:
            raise OptionError(f"{gate.key} is not among the metrics of this run; add it with --metrics")
        averages = summary.scores[gate.key]
        average = gate.average or next(iter(averages))
        if average not in averages:
            raise OptionError(f"{gate.key} has no average {average}; it has {', '.join(averages)}")
        score, words = averages[average], AVERAGES[average].words
        is_low = METRICS[gate.key].better == "lower"
        if math.isnan(score.value):
            yield f"{gate.key} ({words}) is undefined ({score.reason}); the bound is {gate.bound:g}"
        elif score.value > gate.bound if is_low else score.value < gate.bound:
            side = "above the bound" if is_low else "below the bound"
            yield f"{gate.key} ({words}) is {shortest(score.value)}, {side} {gate.bound:g}"


def failed_differences(comparison: Comparison, gates: Iterable[Gate], *, interval: bool = False) -> Iterator[str]:
    """Yield one line for every system that is worse than the first by more than a bound.

    With ``interval`` the end of the confidence interval on the side of worse is tested, else the difference itself.
    """
    base = comparison.systems[0]
    for gate in gates:
        if gate.bound < 0:
            raise OptionError(
                f"the bound of {gate.key} is {gate.bound:g}; expected how much worse it may be, 0 or more"
            )
        available = comparison.averages(gate.key)
        if not available:
            raise OptionError(f"{gate.key} is not among the metrics that are compared; add it with --metrics")
        average = gate.average or available[0]
        if average not in available:
            raise OptionError(f"{gate.key} has no average {average}; it has {', '.join(available)}")
        for name in comparison.systems[1:]:
            line = _worse(comparison.difference(gate.key, average, base, name), gate, interval=interval)
            if line is not None:
                yield line


def _worse(row: Difference, gate: Gate, *, interval: bool) -> str | None:
    """Return what is wrong with a difference; None if it keeps the bound."""
    what = f"{row.second} against {row.first}: {gate.key} ({AVERAGES[row.average].words})"
    is_low = METRICS[gate.key].better == "lower"
    if math.isnan(row.value):
        return f"{what} is undefined ({row.interval.reason or 'on one side'}); it may be worse by {gate.bound:g}"
    if interval and row.interval.best is None:
        return f"{what} has no interval ({row.interval.reason}); it may be worse by {gate.bound:g}"
    least, most = row.interval.best if interval and row.interval.best is not None else (row.value, row.value)
    worse = most if is_low else -least
    if worse <= gate.bound:
        return None
    tested = "may be worse by up to" if interval else "is worse by"
    values = f"{shortest(row.first_value)} to {shortest(row.second_value)}"
    return f"{what} {tested} {shortest(worse)} ({values}), more than {gate.bound:g}"
