"""Figures of runs, for papers: each is a :class:`Picture` with the table behind it, saved as SVG, PDF or PNG.

``picture.save("figure.pdf", width_cm=8.5, font="Times New Roman", title=False)`` writes a file at the width of a
column, ``picture.data.to_pandas()`` is the data frame, and :func:`figure` puts several pictures side by side. Runs are
:class:`Run` objects or the paths of run files. ``segmetry plot KIND RUN…`` draws the same.

>>> import segmetry as sm
>>> run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, metrics="pq")
>>> picture = sm.plots.box(run)
>>> picture.title, picture.data["pq"]
('pq by system: 1 system, 2 items', [1.0, 0.0])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, cast

import numpy as np

from segmetry.alignments import class_tallies
from segmetry.comparison import compare
from segmetry.diagnosis import diagnose, recall_curves
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.evaluation import loaders_of
from segmetry.metrics import METRICS, Score, value_or_none
from segmetry.outputs import (
    COLOURS,
    GREY,
    INK,
    Line,
    Picture,
    Rectangle,
    Scale,
    Shape,
    Words,
    budget_plot,
    comparison_plots,
    confusion_matrix_plot,
    critical_difference_plot,
    item_points,
    look,
    moved,
    precision_recall_plot_of_items,
    ranks_plot,
    recall_plot,
    scale_of,
    threshold_plot,
    violin_shapes,
    y_axis,
)
from segmetry.results import Table, counted
from segmetry.run import Run, item_alignment

__all__ = [
    "box",
    "budget",
    "confusion",
    "critical_difference",
    "differences",
    "f1",
    "figure",
    "overlay",
    "ranks",
    "recall",
    "sizes",
]
MOST_GROUPS = 24
"""More groups of a box plot are not drawn side by side: those of the lowest median are."""
_TOP, _BOTTOM, _LEFT = 44.0, 304.0, 62.0
FigureOptions = ParamSpec("FigureOptions")


def _of_runs(
    draw: Callable[Concatenate[Mapping[str, Run], FigureOptions], Picture],
) -> Callable[Concatenate[Any, ...], Picture]:
    """Let a function of open runs by name take runs and paths of run files."""
    from functools import wraps

    @wraps(draw)
    def drawn(*runs: Run | str | Path, **options: Any) -> Picture:
        if not runs:
            raise InputError(f"{draw.__name__} needs at least one run")
        with ExitStack() as opened:
            named: dict[str, Run] = {}
            for at, given in enumerate(runs):
                run = given if isinstance(given, Run) else opened.enter_context(Run.open(given))
                name = Path(str(run.facts.get("pred", f"system {at + 1}"))).stem
                named[name if name not in named else f"{name} {at + 1}"] = run
            return draw(named, **options)  # type: ignore[call-arg]

    return drawn


def _one(runs: Mapping[str, Run], what: str) -> Run:
    if len(runs) != 1:
        raise InputError(f"{what} draws one run; found {len(runs)}")
    return next(iter(runs.values()))


@_of_runs
def box(
    runs: Mapping[str, Run], *, metric: str | None = None, by: Literal["system", "class", "item"] = "system"
) -> Picture:
    """Draw the values of items as violins with boxes: of every system, of every class, or of the classes of an item.

    ``metric`` is a metric of the runs, by default that of the headline.
    """
    key = metric or next(iter(runs.values())).cell().metric
    rows = []
    for name, run in runs.items():
        table = run.items() if by == "system" else _class_values(run, key)
        if key not in table.columns:
            known = ", ".join(column for column, kind in table.types.items() if kind == "number")
            raise UnknownNameError(f"{name} has no values of {key} by {by}; found {known or 'none'}")
        names = run.class_names
        for row in table:
            label = {} if by == "system" else {"class": str(names.get(row["class"], row["class"]))}
            rows.append({"system": name, "item": row["item"], **label, key: row[key]})
    data = Table(f"{key} by {by}", rows)
    groups: dict[tuple[str, str], list[float]] = {}
    for row in data:
        if row[key] is not None:
            groups.setdefault((str(row[by]), row["system"]), []).append(row[key])
    places = list(dict.fromkeys(group for group, _ in groups))
    if not places:
        raise InputError(f"{key} has no defined value by {by}")
    medians = {
        place: float(np.median([value for (group, _), own in groups.items() for value in own if group == place]))
        for place in places
    }
    chosen = sorted(places, key=medians.__getitem__)
    places = [place for place in places if place in chosen[:MOST_GROUPS]]
    values = [value for (group, _), own in groups.items() for value in own if group in places]
    title = f"{key} by {by}: {counted(len(runs), 'system')}, {counted(len({row['item'] for row in rows}), 'item')}"
    if len(places) < len(chosen):
        title += f", the {MOST_GROUPS} lowest of {len(chosen)}"
    width = max(420.0, _LEFT + 46.0 * len(places) * (1 if by == "system" else len(runs)) + 20)
    scale = scale_of(values, _BOTTOM, _TOP)
    shapes: list[Shape] = [Words(16, 20, title, 14), *y_axis(scale, _LEFT, width - 20, key)]
    step = (width - 20 - _LEFT) / len(places)
    slanted = step < 7 * max(map(len, places))
    for at, place in enumerate(places):
        systems = [name for name in runs if (place, name) in groups]
        for side, name in enumerate(systems):
            x = _LEFT + step * (at + (side + 0.5) / len(systems))
            fill = COLOURS[list(runs).index(name) % len(COLOURS)]
            half = min(36, step * 0.42 / len(systems))
            shapes += violin_shapes(np.array(groups[place, name]), x, half, scale, fill, box=min(9, half / 2))
        middle = _LEFT + step * (at + 0.5)
        shapes.append(Words(middle, _BOTTOM + 10, place, 11, "end" if slanted else "middle", upright=slanted))
    high = _BOTTOM + (14 + 6.4 * max(map(len, places)) if slanted else 30)
    if by != "system" and len(runs) > 1:
        x = _LEFT
        for at, name in enumerate(runs):
            shapes += [Rectangle(x, high - 4, 10, 10, COLOURS[at % len(COLOURS)]), Words(x + 14, high + 1, name, 11)]
            x += 30 + 6.6 * len(name)
        high += 20
    return Picture(width, high + 8, title, tuple(shapes), data=data)


def _class_values(run: Run, key: str) -> Table:
    """Return the values of a metric by item and class; of metrics of counted segments from the tally of each class."""
    table, metric = run.item_classes(), METRICS.get(key)
    if key in table.columns or metric is None or metric.needs != "tally":
        return table
    options = run.settings.options_of(metric)
    rows = []
    for at, facts in enumerate(run.tables_together.items):
        for name, tally in class_tallies(item_alignment(run.tables_together, at, run.settings)).items():
            rows.append(
                {"item": facts.name, "class": name, key: value_or_none(cast("Score", metric(tally, **options)))}
            )
    return Table("item classes", rows)


@_of_runs
def f1(runs: Mapping[str, Run], *, metric: Literal["segment_f1", "segment_accuracy"] = "segment_f1") -> Picture:
    """Draw F1 over the least IoU of a pair, one line for each system; also ``segment_accuracy``, the AP of cells."""
    scores: dict[str, Score] = {}
    for name, run in runs.items():
        scored = run.with_metrics(metric).summary().scores[metric].over_data_set
        if scored is not None:
            scores[name] = scored
    picture = threshold_plot(scores, title=f"{metric} by IoU threshold")
    rows = [
        {"system": name, "threshold": float(at), metric: float(value)}
        for name, score in scores.items()
        for at, value in score.details["thresholds"].items()
    ]
    return replace(picture, data=Table("f1", rows))


@_of_runs
def recall(runs: Mapping[str, Run]) -> Picture:
    """Draw precision over recall: of detections one line for each system, otherwise a dot for every item of one run."""
    if all("average_precision" in run.summary().scores for run in runs.values()):
        lines = {name: recall_curves(run).precision.mean(axis=(0, 1)) for name, run in runs.items()}
        rows = [
            {"system": name, "recall": at / 100, "precision": value}
            for name, line in lines.items()
            for at, value in enumerate(line.tolist())
        ]
        return replace(recall_plot(lines, "precision over recall"), data=Table("precision over recall", rows))
    run = _one(runs, "precision and recall of items")
    tables = {name: run.table(name) for name in run.items()["item"]}
    points = [
        {"item": dot.name, "recall": float(dot.recall), "precision": float(dot.precision), "corner": dot.corner}
        for dot in item_points(tables)
    ]
    return replace(precision_recall_plot_of_items(tables), data=Table("precision and recall", points))


@_of_runs
def confusion(runs: Mapping[str, Run]) -> Picture:
    """Draw the confusion matrix of the classes of a run."""
    matrix = _one(runs, "a confusion matrix").confusion_matrix()
    return replace(confusion_matrix_plot(matrix), data=matrix)


@_of_runs
def sizes(runs: Mapping[str, Run]) -> Picture:
    """Draw how many segments have which size, true ones and those of every system, in bins of powers of two."""
    first = next(iter(runs.values()))
    sides = {"true": first.tables_together.true.sizes} | {
        name: run.tables_together.pred.sizes for name, run in runs.items()
    }
    if not any(own.size for own in sides.values()):
        raise InputError("the runs have no segments")
    bins = range(int(math.log2(max(int(own.max(initial=1)) for own in sides.values()))) + 1)
    counts = {
        name: np.bincount(np.log2(np.maximum(own, 1)).astype(int), minlength=len(bins)).tolist()
        for name, own in sides.items()
    }
    rows = [
        {"side": name, "from": 2**at, "below": 2 ** (at + 1), "segments": own[at]}
        for name, own in counts.items()
        for at in bins
    ]
    title = f"Sizes of segments: {counted(len(first.items()), 'item')}"
    up, across = Scale(0, max(map(max, counts.values())) * 1.05, _BOTTOM, _TOP), Scale(0, len(bins), _LEFT, 540)
    shapes: list[Shape] = [Words(16, 20, title, 14), *y_axis(up, _LEFT, 540, "segments")]
    ticks = bins[:: 1 + len(bins) // 12]
    shapes += [Words(across.at(at), _BOTTOM + 14, f"{2**at:,}", 11, "middle", GREY) for at in ticks]
    for place, (name, own) in enumerate(counts.items()):
        corners = [(across.at(at + end), up.at(own[at])) for at in bins for end in (0, 1)]
        colour = INK if place == 0 else COLOURS[(place - 1) % len(COLOURS)]
        shapes.append(Line(tuple(corners), colour, 1.8, (5, 3) if place == 0 else None))
        y = _BOTTOM + 54 + 16 * place
        shapes += [Line(((_LEFT, y), (_LEFT + 24, y)), colour, 1.8, (5, 3) if place == 0 else None)]
        shapes.append(Words(_LEFT + 30, y, f"{name}: {sum(own):,}", 11))
    shapes.append(Words((_LEFT + 540) / 2, _BOTTOM + 34, "elements of a segment", 13, "middle"))
    return Picture(560, _BOTTOM + 54 + 16 * len(counts), title, tuple(shapes), data=Table("sizes", rows))


@_of_runs
def budget(runs: Mapping[str, Run]) -> Picture:
    """Draw what every kind of error costs, as :func:`segmetry.diagnose` computes it."""
    diagnosis = diagnose(_one(runs, "an error budget"))
    return replace(budget_plot(diagnosis, system=next(iter(runs))), data=Table("budget", diagnosis.rows()))


@_of_runs
def overlay(runs: Mapping[str, Run], *, item: str | None = None) -> Picture:
    """Draw the truth, the prediction and the errors of an item, read again; by default of the worst by the headline."""
    run = _one(runs, "an overlay")
    loaders = loaders_of(run)
    if item is None:
        metric = run.cell().metric
        better = next(one.better for one in run.metrics if one.key == metric)
        scored = [row for row in run.items() if row[metric] is not None]
        if not scored:
            raise InputError(f"no item has a value of {metric}; name one with item=")
        item = sorted(scored, key=lambda row: row[metric] * (-1 if better == "lower" else 1))[0]["item"]
    if item not in loaders:
        raise UnknownNameError(f"the run has no item {item!r}; it has {', '.join(list(loaders)[:6])}")
    picture = look(*loaders[item](), rule=run.settings.rule or "theta_plus")
    data = Table("segments", [row for row in run.segments() if row["item"] == item])
    return replace(picture, title=f"{item}: {picture.title}", data=data)


def ranks(*runs: Run | str | Path, **options: Any) -> Picture:
    """Draw in which share of resamples each system has which rank; options are those of :func:`segmetry.compare`."""
    comparison = compare(*runs, **options)
    stability = next((one for one in comparison.ranks if one.key == comparison.headline), None)
    if stability is None or len(runs) < 2:
        raise InputError("ranks need two or more runs")
    rows = [
        {"system": name, "rank": rank, "share": share}
        for name, shares in zip(stability.systems, stability.shares, strict=True)
        for rank, share in enumerate(shares, start=1)
    ]
    return replace(ranks_plot(stability), data=Table("ranks", rows))


def critical_difference(*runs: Run | str | Path, **options: Any) -> Picture:
    """Draw the mean ranks of three or more systems, joined where they do not differ (Nemenyi)."""
    comparison = compare(*runs, **options)
    test = next((one for one in comparison.rank_tests if one.key == comparison.headline), None)
    if test is None:
        raise InputError(f"a critical difference needs three or more runs; found {len(runs)}")
    rows = [{"system": name, "mean_rank": rank} for name, rank in zip(test.systems, test.mean_ranks, strict=True)]
    return replace(critical_difference_plot(test), data=Table("mean ranks", rows))


def differences(*runs: Run | str | Path, **options: Any) -> Picture:
    """Draw the differences between systems with their intervals."""
    comparison = compare(*runs, **options)
    found = comparison_plots(comparison).get("differences")
    if found is None:
        raise InputError("the runs share no metric from 0 to 1 whose differences are defined")
    return replace(found, data=Table("differences", comparison.rows()))


def figure(*pictures: Picture, columns: int = 2, letters: bool = True) -> Picture:
    """Put several pictures into one, row by row, each with a letter.

    >>> one = Picture(100, 50, "one", (Words(2, 20, "a"),))
    >>> both = figure(one, one)
    >>> both.width, both.height, [shape.text for shape in both.shapes if isinstance(shape, Words)]
    (240, 74.0, ['a', 'a', 'b', 'a'])
    """
    if not pictures or columns < 1:
        raise OptionError("figure needs at least one picture and one column")
    shapes: list[Shape] = []
    wide, room = max(picture.width for picture in pictures), 24.0 if letters else 0.0
    top = 0.0
    for at in range(0, len(pictures), columns):
        row = pictures[at : at + columns]
        for place, picture in enumerate(row):
            left = place * (wide + 40)
            if letters:
                shapes.append(Words(left + 4, top + 14, _LETTERS[at + place], 18))
            shapes += [moved(shape, left, top + room) for shape in picture.shapes]
        top += max(picture.height for picture in row) + room
    across = min(columns, len(pictures))
    title = "; ".join(picture.title for picture in pictures)
    return Picture(wide * across + 40 * (across - 1), top, title, tuple(shapes))


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
