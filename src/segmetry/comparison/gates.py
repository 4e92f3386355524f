"""Gates: bounds that the scores of a run, or the differences of two systems, must keep.

Two forms, for the two questions of an automatic check:

* ``pq=0.45``: the value of the data set must not be worse than the bound: below it where higher is better, above it
  where lower is better.
* ``pq:0.01``: the second system must not be worse than the first by more than the bound. Tested is the difference
  itself, or, on request, the end of its confidence interval on the side of worse (a test of non-inferiority: it passes
  if the interval excludes that the system is worse by more than the bound).

Bounds are in the unit that is printed: in a table of per cent, ``DER=25`` and ``DER=25%`` are 25 per cent; a bound of
at most 1 is a share (``DER=0.25``). An undefined value fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from segmetry._base import frozen_dataclass
from segmetry.comparison.verdict import left_out
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics import AVERAGES, METRICS, find_metric
from segmetry.protocols import PROTOCOLS, value_of_cell
from segmetry.results import Cell, NumberStyle, number, shortest

if TYPE_CHECKING:
    from segmetry.comparison.compare_runs import Comparison
    from segmetry.run import Run
    from segmetry.statistics import Difference


@frozen_dataclass()
class Gate:
    """A bound of one metric; ``average`` is None where the user names none.

    ``name`` is what the user wrote, perhaps the printed name of a cell of a protocol's table; ``in_percent`` says that
    the bound was stated with a per cent sign (it is a share of 1 here).
    """

    key: str
    average: str | None
    bound: float
    name: str = ""
    in_percent: bool = False

    @classmethod
    def parse(cls, text: str, separator: str) -> Gate:
        """Return the gate in a text: a metric, perhaps an average, and the bound."""
        name, found, stated = text.rpartition(separator)
        name, stated = name.strip(), stated.strip()
        key, _, average = name.partition(".")
        in_percent = stated.endswith("%")
        try:
            bound = float(stated.removesuffix("%")) / (100 if in_percent else 1) if found else math.nan
        except ValueError:
            bound = math.nan
        if math.isnan(bound) or math.isinf(bound) or not key:
            raise OptionError(f"{text!r} is not a bound; expected METRIC{separator}NUMBER, such as pq{separator}0.01")
        try:
            metric = find_metric(key).metric
        except UnknownNameError:
            if not _is_printed(name):
                raise
            return cls(name, None, bound, name, in_percent)
        if metric.better == "neither":
            raise OptionError(f"{text!r}: no value of {key} is better than another, so it cannot be bounded")
        if average and average not in AVERAGES:
            raise OptionError(f"{text!r}: there is no average {average!r}; expected one of {', '.join(AVERAGES)}")
        return cls(metric.key, average or None, bound, name, in_percent)

    def within(self, cell: Cell) -> float:
        """Return the bound as a share where the cell is printed in per cent; raise if no value can be beyond it."""
        is_percent = cell.unit == "percent" and not self.in_percent and abs(self.bound) > 1
        bound = self.bound / 100 if is_percent else self.bound
        low, high = METRICS[cell.metric].bounds
        if self.in_percent and high > 1 and not METRICS[cell.metric].is_rate:
            raise OptionError(f"{cell.words} is not a share, so its bound is not in per cent; found {self.name}")
        if cell.show == "value" and not low <= bound <= high:
            meant = f"; did you mean {shortest(bound)}%?" if bound > 1 and low <= bound / 100 <= high else ""
            unit = " %" if cell.unit == "percent" else ""
            ends = " to ".join(shortest(end * (100 if unit else 1)) for end in (low, high))
            raise OptionError(f"{cell.words} is bounded by {shortest(self.bound)}, but lies in {ends}{unit}{meant}")
        return bound


def _is_printed(name: str) -> bool:
    """Return whether a protocol prints a value under this name."""
    for protocol in PROTOCOLS.values():
        for place in (name, tuple(name.split("/", 1))):
            try:
                protocol.cells.cell(place)  # type: ignore[arg-type]
            except UnknownNameError:
                continue
            return True
    return False


def failed_bounds(run: Run, gates: Iterable[Gate], numbers: NumberStyle | None = None) -> Iterator[str]:
    """Yield one line for every bound that a run does not keep; ``numbers`` is the style in which it is printed."""
    for gate in gates:
        cell = _cell_of_gate(run, gate, numbers)
        value, bound = value_of_cell(cell, run.data, run.class_names), gate.within(cell)
        unit = 100 if gate.in_percent or cell.unit == "percent" else 1
        stated, is_low = shortest(unit * bound), METRICS[cell.metric].better == "lower"
        sign = "%" * gate.in_percent
        if value is None or math.isnan(value.value):
            reason = "the run has no such value" if value is None else value.reason
            yield f"{cell.words} is undefined ({reason}); the bound is {stated}{sign}"
        elif value.value > bound if is_low else value.value < bound:
            shown = number(value.value, cell.decimals, percent=True) if unit == 100 else str(value)
            shown = shortest(unit * value.value) if float(shown.replace(",", "")) == float(stated) else shown
            yield f"{cell.words} is {shown}{sign}, {'above' if is_low else 'below'} the bound {stated}{sign}"


def _cell_of_gate(run: Run, gate: Gate, numbers: NumberStyle | None) -> Cell:
    try:
        cell = run.cell(gate.name or gate.key, numbers)
    except UnknownNameError:
        raise OptionError(f"{gate.key} is not among the metrics of this run; add it with --metrics") from None
    if METRICS[cell.metric].better == "neither":
        raise OptionError(f"no value of {cell.name} is better than another, so it cannot be bounded")
    return cell


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
        cell = compared_cell(comparison, gate)
        bound = gate.within(cell)
        low, high = METRICS[cell.metric].bounds
        if bound >= high - low:
            meant = f"; did you mean {shortest(gate.bound)}%?" if bound == 1 and cell.unit == "percent" else ""
            raise OptionError(f"{cell.words} cannot be worse by {shortest(gate.bound)} or more{meant}")
        for name in comparison.systems[1:]:
            line = _worse(comparison.difference(cell.metric, cell.average, base, name), cell, bound, interval=interval)
            if line is not None:
                yield line


def compared_cell(comparison: Comparison, gate: Gate) -> Cell:
    """Return the compared value that a gate bounds, by its key or its printed name."""
    available = comparison.averages(gate.key)
    cell = None if available else comparison.cell_of(gate.name)
    if cell is not None:
        return cell
    if not available:
        raise OptionError(f"{gate.key} is not among the metrics that are compared; add it with --metrics")
    average = gate.average or available[0]
    if average not in available:
        raise OptionError(f"{gate.key} has no average {average}; it has {', '.join(available)}")
    return comparison.cell(gate.key, average)


def _worse(row: Difference, cell: Cell, bound: float, *, interval: bool) -> str | None:
    """Return what is wrong with a difference; None if it keeps the bound."""
    what = f"{row.second} against {row.first}: {cell.words}"
    unit = 100 if cell.unit == "percent" else 1
    stated, is_low = shortest(unit * bound), METRICS[cell.metric].better == "lower"
    if math.isnan(row.value):
        return f"{what} is undefined ({row.interval.reason or 'on one side'}); it may be worse by {stated}"
    if interval and row.interval.best is None:
        return f"{what} has no interval ({row.interval.reason}); it may be worse by {stated}"
    least, most = row.interval.best if interval and row.interval.best is not None else (row.value, row.value)
    worse = most if is_low else -least
    if worse <= bound:
        return None
    tested = "may be worse by up to" if interval else "is worse by"
    shown = cell.text(worse) if cell.text(worse) != cell.text(bound) else shortest(unit * worse)
    values = " to ".join(map(cell.text, (row.first_value, row.second_value)))
    return f"{what} {tested} {shown} ({values}), more than {stated}{left_out(row)}"
