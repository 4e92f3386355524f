"""Plots of comparisons: differences with intervals, ranks under resampling, systems under several rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from segmetry.alignments import rule_heading
from segmetry.metrics import AVERAGES, METRICS
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.plot_axes import Scale, scale_of, y_axis
from segmetry.outputs.plots.shapes import GREY, INK, PALE, Dot, Line, Rectangle, Shape, Words
from segmetry.results import counted, number, signed

if TYPE_CHECKING:
    from segmetry.comparison import Comparison, RuleSensitivity
    from segmetry.statistics import Difference, Interval, RankStability

WIDTH = 640
_ROW, _SIZE = 24.0, 12.0
# Okabe and Ito's colours that stand out on white as thin lines.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#222222", "#56b4e9")
# Light to dark, so that ranks keep their order in print and in every colour blindness.
RANKS = ("#0b4f8a", "#4a90c2", "#9cc6e3", "#d7e8f3", "#eeeeee")


def comparison_plots(comparison: Comparison) -> dict[str, Picture]:
    """Return the plots of a comparison by name."""
    plots: dict[str, Picture] = {}
    shown = _shown_rows(comparison)
    if shown:
        plots["differences"] = differences_plot(comparison, shown)
    for stability in comparison.ranks:
        if stability.key == _headline_key(comparison) and len(comparison.systems) > 1:
            plots[f"ranks_{stability.average}"] = ranks_plot(stability)
    return plots


def differences_plot(comparison: Comparison, rows: Sequence[Difference]) -> Picture:
    """Draw a dot for every difference and a line for its interval; at 0 the systems are equal."""
    pairs = len(comparison.systems) > 2
    labels = [_row_label(row, pairs=pairs) for row in rows]
    left = 16 + max(map(len, labels)) * _SIZE * 0.56
    ends = [end for row in rows for end in (row.interval.best or (row.value, row.value))]
    scale = scale_of([0.0, *ends], left, WIDTH - 20)
    title = _plot_title(comparison, pairs=pairs)
    bottom = 44 + _ROW * len(rows)
    shapes: list[Shape] = [
        Words(16, 18, title, 14),
        *_x_axis(scale, 36, bottom, f"difference, with its {100 * comparison.level:g} % interval"),
    ]
    shapes.append(Line(((scale.at(0), 36), (scale.at(0), bottom)), INK, 1.2, (4, 3)))
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        y = 36 + _ROW * (at + 0.6)
        best = row.interval.best
        colour = _verdict_colour(row)
        shapes.append(Words(left - 10, y, label, _SIZE, "end"))
        if best is not None:
            shapes.append(Line(((scale.at(best[0]), y), (scale.at(best[1]), y)), colour, 2.2))
        note = signed(row.value) + ("" if best is None else f" ({signed(best[0])} to {signed(best[1])})")
        shapes.append(Dot(scale.at(row.value), y, 4.5, colour, note=note))
    lower = "; *: lower is better" if any(label.endswith("*") for label in labels) else ""
    shapes.append(
        Words(
            16,
            bottom + 56,
            f"blue: the first named is better; orange: it is worse; grey: the interval contains 0{lower}",
            11,
            fill=GREY,
        )
    )
    return Picture(WIDTH, bottom + 72, title, tuple(shapes))


def ranks_plot(stability: RankStability) -> Picture:
    """Draw a bar for every system: the share of resamples in which it has each rank."""
    n = len(stability.systems)
    left = 20 + max(len(_shortened(name)) for name in stability.systems) * _SIZE * 0.6
    scale = Scale(0, 1, left, WIDTH - 24)
    title = f"Ranks by {stability.key} ({AVERAGES[stability.average].words}) in {stability.n_resamples:,} resamples"
    bottom = 44 + _ROW * n
    shapes: list[Shape] = [Words(16, 18, title, 14), *_x_axis(scale, 36, bottom, "share of resamples")]
    for at, (name, shares) in enumerate(zip(stability.systems, stability.shares, strict=True)):
        y, done = 36 + _ROW * at + 5, 0.0
        shapes.append(Words(left - 10, y + 8, _shortened(name), _SIZE, "end"))
        for rank, share in enumerate(shares, start=1):
            if share > 0:
                x, width = scale.at(done), scale.at(done + share) - scale.at(done)
                fill = RANKS[min(rank, len(RANKS)) - 1]
                shapes.append(Rectangle(x, y, width, 16, fill, "#ffffff", f"rank {rank}: {100 * share:.1f} %"))
                if width > 34:
                    ink = "#ffffff" if rank == 1 else INK
                    shapes.append(Words(x + width / 2, y + 8, f"{100 * share:.0f} %", 10, "middle", ink))
            done += share
    shapes += _rank_legend(left, bottom + 58, n)
    return Picture(WIDTH, bottom + 74, title, tuple(shapes))


def rules_plot(sensitivity: RuleSensitivity) -> Picture:
    """Draw a dot with its interval for every system under every rule, side by side."""
    left, right, top, bottom = 64.0, WIDTH - 20.0, 40.0, 300.0
    every = [end for row in sensitivity.by_rule for value in row.values for end in _interval_ends(value)]
    title = (
        f"{sensitivity.key} ({AVERAGES[sensitivity.average].words}) under several rules ({sensitivity.n_items} items)"
    )
    if not every:
        return Picture(WIDTH, 60, title, (Words(16, 18, title, 14), Words(16, 40, "undefined everywhere", 12)))
    scale = scale_of(every, bottom, top)
    step = (right - left) / len(sensitivity.by_rule)
    shapes: list[Shape] = [Words(16, 18, title, 14), *y_axis(scale, left, right)]
    for at, row in enumerate(sensitivity.by_rule):
        for line, part in enumerate(_broken_lines(row.rule)):
            shapes.append(Words(left + step * (at + 0.5), bottom + 16 + 13 * line, part, 10, "middle"))
    for system, name in enumerate(sensitivity.systems):
        colour = COLOURS[system % len(COLOURS)]
        shift = (system - (len(sensitivity.systems) - 1) / 2) * min(14.0, step / (len(sensitivity.systems) + 2))
        for at, row in enumerate(sensitivity.by_rule):
            value = row.values[system]
            if math.isnan(value.value):
                continue
            x, y = left + step * (at + 0.5) + shift, scale.at(value.value)
            low, high = (scale.at(end) for end in _interval_ends(value))
            shapes.append(Line(((x, low), (x, high)), colour, 1.4))
            shapes.append(
                Dot(x, y, 4, colour, note=f"{name}, {row.rule}: {number(value.value)}, rank {row.ranks[system]}")
            )
        y = bottom + 74 + 16 * system
        shapes += [Dot(left + 12, y, 4, colour), Words(left + 26, y, _shortened(name, 72), 12)]
    return Picture(WIDTH, bottom + 74 + 16 * len(sensitivity.systems), title, tuple(shapes))


def _verdict_colour(row: Difference) -> str:
    """Return blue where the second system is better beyond its interval, orange where it is worse, grey between."""
    best = row.interval.best
    if best is None or best[0] <= 0 <= best[1]:
        return GREY
    return COLOURS[0] if (best[0] > 0) == (METRICS[row.key].better != "lower") else COLOURS[1]


def _interval_ends(value: Interval) -> tuple[float, ...]:
    if math.isnan(value.value):
        return ()
    return value.best or (value.value, value.value)


def _broken_lines(rule: str) -> list[str]:
    """Return the heading of a rule on a few short lines.

    >>> _broken_lines("theta_and"), _broken_lines("iou(above=3/4)")
    (['majority overlap', '(θ&)'], ['IoU > 3/4'])
    """
    heading = rule_heading(rule)
    if heading == rule:
        name, bracket, rest = rule.partition("(")
        return [name, *(f"{bracket if at == 0 else ''}{part}" for at, part in enumerate(rest.split(",")) if part)]
    first, bracket, rest = heading.replace(", ", "\n").replace(" (", "\n(").partition("\n")
    return [first, rest] if bracket else [first]


def _row_label(row: Difference, *, pairs: bool) -> str:
    value = f"{row.key} ({AVERAGES[row.average].heading}){' *' if METRICS[row.key].better == 'lower' else ''}"
    return f"{_shortened(row.second)} − {_shortened(row.first)}, {value}" if pairs else value


def _shortened(name: str, most: int = 24) -> str:
    """Return the end of a long name, where paths differ."""
    return name if len(name) <= most else f"...{name[3 - most :]}"


def _headline_key(comparison: Comparison) -> str:
    keys = [row.key for row in comparison.differences]
    return "pq" if "pq" in keys else keys[0]


def _shown_rows(comparison: Comparison) -> list[Difference]:
    """Return the defined differences of the data set, of metrics from 0 to 1."""
    rows = [
        row
        for row in comparison.differences
        if row.level == "data set" and not math.isnan(row.value) and METRICS[row.key].bounds == (0, 1)
    ]
    return [row for row in rows if row.key == _headline_key(comparison)] if len(comparison.systems) > 2 else rows


def _plot_title(comparison: Comparison, *, pairs: bool) -> str:
    names = (
        f"{len(comparison.systems)} systems"
        if pairs
        else " − ".join(_shortened(name) for name in comparison.systems[::-1])
    )
    return f"{names}: {counted(comparison.n_items, 'item')}, {rule_heading(comparison.rule)}"


def _x_axis(scale: Scale, top: float, bottom: float, words: str) -> list[Shape]:
    shapes: list[Shape] = []
    for tick in scale.ticks():
        x = scale.at(tick)
        shapes += [Line(((x, top), (x, bottom)), PALE), Words(x, bottom + 14, f"{tick:g}", 11, "middle", GREY)]
    shapes.append(Line(((scale.start, bottom), (scale.stop, bottom)), INK))
    shapes.append(Words((scale.start + scale.stop) / 2, bottom + 34, words, 12, "middle"))
    return shapes


def _rank_legend(x: float, y: float, n: int) -> list[Shape]:
    shapes: list[Shape] = []
    for rank in range(1, min(n, len(RANKS)) + 1):
        word = f"rank {rank}" + (" or lower" if rank == len(RANKS) < n else "")
        shapes += [Rectangle(x, y - 5, 10, 10, RANKS[rank - 1], GREY), Words(x + 15, y, word, 11)]
        x += 15 + len(word) * 6.2 + 14
    return shapes
