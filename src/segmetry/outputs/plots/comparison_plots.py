"""Plots of comparisons: differences with intervals, ranks under resampling, systems under several rules, and the IoUs
of the pairs of two alignments of one run as violins with boxes.

A violin is a Gaussian kernel density of the IoUs (bandwidth by Silverman's rule), cut off at the smallest and largest
one; the box shows the quartiles, its whiskers the farthest values within 1.5 times its height.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from segmetry._base import FloatArray
from segmetry.alignments import rule_heading
from segmetry.metrics import AVERAGES, METRICS
from segmetry.outputs.plots.picture import (
    GREY,
    INK,
    PALE,
    WHITE,
    Dot,
    Line,
    Picture,
    Polygon,
    Rectangle,
    Scale,
    Shape,
    Words,
    scale_of,
    y_axis,
)
from segmetry.results import counted, number, p_value, percent, signed

if TYPE_CHECKING:
    from segmetry.comparison import AcrossMetrics, Comparison, RuleSensitivity, TwoOfRun
    from segmetry.statistics import Difference, Interval, RankStability, RankTest


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
        if stability.key == comparison.headline and len(comparison.systems) > 1:
            plots[f"ranks_{stability.average}"] = ranks_plot(stability)
    across = comparison.across()
    if len(across.by_metric) > 1 and len(across.systems) > 2:
        plots["across"] = across_plot(across)
    for test in comparison.rank_tests:
        if test.key == comparison.headline:
            plots["critical_difference"] = critical_difference_plot(test)
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


def across_plot(across: AcrossMetrics) -> Picture:
    """Draw a heat map of ranks: metrics (rows) by systems (columns), darker where a system is better."""
    left = 24 + max(len(row.cell.name) for row in across.by_metric) * _SIZE * 0.6
    wide, top, n = 84.0, 70.0, len(across.systems)
    right, bottom = left + wide * n, top + _ROW * len(across.by_metric)
    title = f"Ranks across metrics: {counted(across.n_items, 'item')}"
    shapes: list[Shape] = [Words(16, 18, title, 14), Words(right + 40, top - 12, "tau", 11, "middle", GREY)]
    shapes.append(Words(right + 100, top - 12, "same order", 11, "middle", GREY))
    for at, name in enumerate(across.systems):
        shapes.append(Words(left + wide * (at + 0.5), top - 12, _shortened(name, 12), 11, "middle"))
    for at, row in enumerate(across.by_metric):
        y = top + _ROW * at
        shapes.append(Words(left - 10, y + _ROW / 2, row.cell.name, _SIZE, "end"))
        for place, (value, rank, (low, high)) in enumerate(zip(row.values, row.ranks, row.rank_intervals, strict=True)):
            shade = RANKS[round((rank - 1) * (len(RANKS) - 1) / max(1, n - 1))]
            note = f"{across.systems[place]}, {row.cell.words}: {row.cell.text(value)}, rank {rank} ({low} to {high})"
            shapes.append(Rectangle(left + wide * place, y, wide, _ROW, shade, "#ffffff", note))
            text = f"{rank}" if low == high else f"{rank} ({low}-{high})"
            ink = "#ffffff" if shade in RANKS[:2] else INK
            shapes.append(Words(left + wide * (place + 0.5), y + _ROW / 2, text, 11, "middle", ink))
        shapes.append(Words(right + 40, y + _ROW / 2, number(row.tau, 2), 11, "middle"))
        shapes.append(Words(right + 100, y + _ROW / 2, percent(row.stable), 11, "middle"))
    words = f"1 is best; in brackets the {100 * across.level:g} % interval of the rank; tau: with the first metric"
    shapes.append(Words(16, bottom + 20, words, 11, fill=GREY))
    return Picture(max(right + 150, 16 + 5.8 * len(words)), bottom + 36, title, tuple(shapes))


def critical_difference_plot(test: RankTest) -> Picture:
    """Draw mean ranks on a line, systems on both sides; a bar joins those that do not differ (Nemenyi)."""
    order = sorted(range(len(test.systems)), key=test.mean_ranks.__getitem__)
    k, groups = len(order), test.groups()
    scale, top = Scale(1, k, 200, WIDTH - 200), 92.0
    half, below = (k + 1) // 2, top + 14 + 10 * len(groups)
    title = f"Mean ranks by {test.key} over {test.n} items (Friedman p {p_value(test.p)})"
    shapes: list[Shape] = [Words(16, 18, title, 14), Line(((scale.start, top), (scale.stop, top)), INK, 1.4)]
    for rank in range(1, k + 1):
        shapes += [Line(((scale.at(rank), top - 6), (scale.at(rank), top)), INK)]
        shapes.append(Words(scale.at(rank), top - 14, f"{rank}", 11, "middle"))
    end = scale.start + (scale.stop - scale.start) * test.critical_difference / (k - 1)
    shapes.append(Line(((scale.start, 52), (end, 52)), INK, 2))
    shapes.append(Words(end + 8, 52, f"CD = {number(test.critical_difference, 2)}", 11))
    for at, system in enumerate(order):
        is_left = at < half
        y = below + 12 + 20 * (at if is_left else k - 1 - at)
        x, side = scale.at(test.mean_ranks[system]), scale.start - 20 if is_left else scale.stop + 20
        shapes.append(Line(((x, top), (x, y), (side, y)), GREY))
        words = f"{_shortened(test.systems[system], 20)}  {number(test.mean_ranks[system], 2)}"
        shapes.append(Words(side + (-6 if is_left else 6), y, words, _SIZE, "end" if is_left else "start"))
    for at, group in enumerate(groups):
        ends = [scale.at(test.mean_ranks[test.systems.index(name)]) for name in (group[0], group[-1])]
        y = top + 10 + 10 * at
        shapes.append(Line(((ends[0] - 4, y), (ends[1] + 4, y)), COLOURS[1], 4))
    return Picture(WIDTH, below + 24 + 20 * half, title, tuple(shapes))


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
    """Return the heading of a rule on a few short lines."""
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


def _shown_rows(comparison: Comparison) -> list[Difference]:
    """Return the defined differences of the data set, of metrics from 0 to 1."""
    rows = [
        row
        for row in comparison.differences
        if row.level == "data set" and not math.isnan(row.value) and METRICS[row.key].bounds == (0, 1)
    ]
    return [row for row in rows if row.key == comparison.headline] if len(comparison.systems) > 2 else rows


def _plot_title(comparison: Comparison, *, pairs: bool) -> str:
    names = (
        f"{len(comparison.systems)} systems"
        if pairs
        else " − ".join(_shortened(name) for name in comparison.systems[::-1])
    )
    rules = " and ".join(map(rule_heading, comparison.rules or [comparison.rule]))
    return f"{names}: {counted(comparison.n_items, 'item')}, {rules}"


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


_IOU_WIDTH, TOP, BOTTOM, LEFT = 560.0, 44.0, 304.0, 56.0
FILLS = ("#0072b2", "#009e73", "#d55e00")
BINS = 18


def two_rules_plots(run: TwoOfRun) -> dict[str, Picture]:
    """Return both plots by name."""
    return {"iou": iou_plot(run), "additional": additional_plot(run)}


def iou_plot(run: TwoOfRun) -> Picture:
    """Draw the IoUs of the pairs of both rules, and of those that only the wider one has."""
    narrow, wide = rule_heading(run.narrow_rule), rule_heading(run.wide_rule)
    title = f"IoU of matched pairs: {narrow} and {wide}"
    scale = Scale(0, 1, BOTTOM, TOP)
    shapes = [Words(16, 20, title, 14), *y_axis(scale, LEFT, _IOU_WIDTH - 20, "IoU")]
    columns = ((narrow, run.narrow_ious), (wide, run.wide_ious), ("additional", run.additional_ious))
    step = (_IOU_WIDTH - 20 - LEFT) / len(columns)
    for at, ((name, ious), fill) in enumerate(zip(columns, FILLS, strict=True)):
        x = LEFT + step * (at + 0.5)
        shapes += violin_shapes(np.array(ious), x, step * 0.4, scale, fill)
        shapes.append(Words(x, BOTTOM + 16, name, 11, "middle"))
        shapes.append(Words(x, BOTTOM + 32, f"{len(ious)} pairs", 11, "middle", GREY))
    return Picture(_IOU_WIDTH, BOTTOM + 48, title, tuple(shapes))


def additional_plot(run: TwoOfRun) -> Picture:
    """Draw a histogram of the IoUs of additional pairs; the dashed line is their first quartile."""
    ious = run.additional_ious
    title = f"IoU of the {len(ious)} pairs that {rule_heading(run.wide_rule)} adds to {rule_heading(run.narrow_rule)}"
    low = math.floor(min(ious, default=0.3) * 20) / 20
    high = max(low + 0.05, math.ceil(max(ious, default=0.5) * 20) / 20)
    counts, edges = np.histogram(ious, bins=BINS, range=(low, high))
    across = Scale(low, high, LEFT, _IOU_WIDTH - 20)
    up = Scale(0, max(1, int(counts.max())) * 1.05, BOTTOM, TOP)
    shapes = [Words(16, 20, title, 14), *y_axis(up, LEFT, _IOU_WIDTH - 20, "pairs")]
    for count, start, stop in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False):
        x, y = across.at(start), up.at(count)
        note = f"{start:.3f} to {stop:.3f}: {count} pairs"
        if count:
            shapes.append(Rectangle(x, y, across.at(stop) - x, BOTTOM - y, FILLS[2], WHITE, note))
    if ious:
        quartile = float(np.quantile(ious, 0.25))
        at = across.at(quartile)
        shapes.append(Line(((at, TOP - 6), (at, BOTTOM)), INK, 1.5, (5, 4)))
        shapes.append(Words(at - 5, TOP - 2, f"75 % are above {number(quartile)}", 11, "end" if at > 200 else "start"))
    shapes += [Words(across.at(tick), BOTTOM + 14, f"{tick:g}", 11, "middle", GREY) for tick in across.ticks()]
    shapes.append(Words((LEFT + _IOU_WIDTH - 20) / 2, BOTTOM + 34, "IoU", 13, "middle"))
    return Picture(_IOU_WIDTH, BOTTOM + 50, title, tuple(shapes))


def density(values: FloatArray, at: FloatArray) -> FloatArray:
    """Return a Gaussian kernel density; equal values get a narrow bump."""
    spread = min(float(values.std()), float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.34)
    # Silverman's rule: 0.9 min(std, IQR / 1.34) n^(-1/5).
    width = 0.9 * (spread or float(values.std()) or 0.02) * values.size**-0.2
    # Bins instead of single values: a run may have millions of pairs, and a pixel is wider than a bin.
    bins, edges = np.histogram(values, bins=1024, range=(float(at[0]), float(at[-1])))
    middles = (edges[1:] + edges[:-1]) / 2
    kernel = np.exp(-0.5 * ((at[:, None] - middles) / max(width, 0.004 * float(at[-1] - at[0]))) ** 2)
    densities: FloatArray = kernel @ bins
    return densities


def violin_shapes(values: FloatArray, x: float, half: float, scale: Scale, fill: str, box: float = 9) -> list[Shape]:
    """Return a violin of values around x, with a box of quartiles, whiskers, the median and the mean."""
    if values.size == 0:
        return [Words(x, (TOP + BOTTOM) / 2, "no pairs", 11, "middle", GREY)]
    shapes: list[Shape] = []
    low, high = float(values.min()), float(values.max())
    if high > low:
        places = np.linspace(low, high, 80)
        widths = density(values, places)
        widths = half * widths / widths.max()
        points = list(zip(widths.tolist(), places.tolist(), strict=True))
        outline = [(x - w, scale.at(v)) for w, v in points] + [(x + w, scale.at(v)) for w, v in reversed(points)]
        shapes.append(Polygon(tuple(outline), fill, 0.35))
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    ends = float(inside.min()), float(inside.max())
    shapes.append(Line(((x, scale.at(ends[0])), (x, scale.at(ends[1]))), INK, 1.2))
    note = f"quartiles {', '.join(map(number, (q1, median, q3)))}"
    quartiles = Rectangle(x - box, scale.at(q3), 2 * box, max(scale.at(q1) - scale.at(q3), 1), WHITE, INK, note)
    shapes += [quartiles, Line(((x - box, scale.at(median)), (x + box, scale.at(median))), INK, 2.2)]
    mean = float(values.mean())
    shapes.append(Dot(x, scale.at(mean), 2.8, fill, note=f"mean {number(mean)}"))
    return shapes
