"""Plots over a threshold: scores of one segmentation or of a data set at IoU thresholds (accuracy ('AP'), F1, precision
and recall), and the true positives of a sweep over the width of the band [cheng2021boundary]."""

from __future__ import annotations

from collections.abc import Mapping

from segmetry._base import fraction
from segmetry.errors import InputError, OptionError
from segmetry.metrics import Score
from segmetry.outputs.plots.picture import GREY, INK, Axes, Dot, Line, Picture, Scale, Shape, Words, y_axis
from segmetry.results import Table, number
from segmetry.statistics import Summary

WIDTH, HEIGHT = 560, 400
AXES = Axes(left=56, top=40, width=484, height=260)
_STYLES: tuple[tuple[str, tuple[float, float] | None], ...] = (
    (INK, None),
    ("#0072b2", (8, 4)),
    ("#d55e00", (2.5, 3)),
    ("#009e73", (10, 3)),
    ("#7f4a88", (4, 2)),
    ("#e69f00", (1.5, 2)),
    ("#56b4e9", (6, 6)),
)
"""Distinguishable in colour blindness; the dashes help in print."""
_IN_A_ROW = 3


def threshold_plot(
    scores: Summary | Mapping[str, Score] | Score, *, average: str | None = None, title: str = ""
) -> Picture:
    """Draw scores at their IoU thresholds, one line for each metric.

    Parameters
    ----------
    scores : Score, mapping of str to Score, or Summary
        Scores at several thresholds, such as ``segment_f1(true, pred)``; or the summary of a run, of which all metrics
        at thresholds are drawn.
    average : str, optional
        Which average of a summary, such as ``'by_item'``; by default that of all counts of the data set.
    title : str, default ''
        The title; by default it names the metrics, up to three of them.

    Returns
    -------
    Picture
        The plot.

    Examples
    --------
    >>> import segmetry as sm
    >>> f1 = sm.segment_f1([[1, 1, 1, 2]], [[1, 1, 2, 2]], thresholds=(0.3, 0.5, 0.7))
    >>> threshold_plot(f1).title
    'segment_f1 by IoU threshold'
    """
    lines = {name: points for name, score in _named_scores(scores, average).items() if (points := _score_points(score))}
    if not lines:
        raise OptionError("no score has values at thresholds; expected scores such as segment_f1 or segment_accuracy")
    words = title or f"{', '.join(lines) if len(lines) <= _IN_A_ROW else 'Scores'} by IoU threshold"
    shapes: list[Shape] = [Words(AXES.left + AXES.width / 2, 19, words, 15, "middle")]
    shapes += AXES.shapes("least IoU of a pair", parts=5)
    for at, (name, points) in enumerate(lines.items()):
        shapes += _line_shapes(at, name, points)
    return Picture(WIDTH, HEIGHT, words, tuple(shapes))


def _named_scores(scores: Summary | Mapping[str, Score] | Score, average: str | None) -> dict[str, Score]:
    if isinstance(scores, Score):
        return {scores.key: scores}
    if isinstance(scores, Mapping):
        return dict(scores)
    chosen = {
        key: averages.over_data_set if average is None else averages.find(average)
        for key, averages in scores.scores.items()
    }
    return {key: score for key, score in chosen.items() if score is not None}


def _score_points(score: Score) -> list[tuple[float, float]]:
    """Return the thresholds and values of a score, in ascending order of thresholds."""
    values = score.details.get("thresholds", {})
    return sorted((float(fraction(threshold)), float(value)) for threshold, value in values.items())


def _line_shapes(at: int, name: str, points: list[tuple[float, float]]) -> list[Shape]:
    """Return a line with its dots, and its entry in the legend."""
    colour, dashes = _STYLES[at % len(_STYLES)]
    places = tuple(AXES.place(threshold, value) for threshold, value in points)
    shapes: list[Shape] = [Line(places, colour, 1.8, dashes)] if len(places) > 1 else []
    for (threshold, value), (x, y) in zip(points, places, strict=True):
        shapes.append(Dot(x, y, fill=colour, note=f"{name} at IoU {threshold:g}: {number(value)}"))
    foot = AXES.place(0, 0)
    x, y = foot[0] + 165 * (at % _IN_A_ROW), foot[1] + 56 + 18 * (at // _IN_A_ROW)
    return [*shapes, Line(((x, y), (x + 24, y)), colour, 2.2, dashes), Words(x + 29, y, name, 11)]


TOP, BOTTOM, LEFT = 44.0, 304.0, 62.0


def sweep_plot(sweep: Table) -> Picture:
    """Draw a sweep: matched pairs by the width d, below those of the whole segments.

    Parameters
    ----------
    sweep : Table
        What :func:`segmetry.boundary_sweep` returns.

    Returns
    -------
    Picture
        The plot.

    Examples
    --------
    >>> import segmetry as sm
    >>> sweep_plot(sm.boundary_sweep([[1, 1, 1, 0]], [[1, 1, 0, 0]], widths=[1, 2])).title
    'Pairs that match along their contours, by the width of the band'
    """
    rows = list(sweep)
    if sweep.name != "boundary sweep" or not rows:
        raise InputError(f"expected a sweep of at least one width, from boundary_sweep(true, pred); found {sweep!r}")
    title = "Pairs that match along their contours, by the width of the band"
    whole, widths = rows[0]["n_matched_whole"], [row["d"] for row in rows]
    up, across = Scale(0, max(1, whole) * 1.05, BOTTOM, TOP), Scale(0, max(widths) * 1.02, LEFT, WIDTH - 20)
    shapes: list[Shape] = [Words(16, 20, title, 14), *y_axis(up, LEFT, WIDTH - 20, "true positives")]
    shapes.append(Line(((LEFT, up.at(whole)), (WIDTH - 20, up.at(whole))), GREY, 1.2, (5, 4)))
    shapes.append(Words(WIDTH - 24, up.at(whole) + 10, f"whole segments: {whole}", 11, "end", GREY))
    points = tuple((across.at(row["d"]), up.at(row["n_matched"])) for row in rows)
    shapes.append(Line(points, INK, 1.8))
    shapes += [
        Dot(x, y, 3, note=f"d = {row['d']:g}: {row['n_matched']}") for (x, y), row in zip(points, rows, strict=True)
    ]
    shapes += [Words(across.at(tick), BOTTOM + 14, f"{tick:g}", 11, "middle", GREY) for tick in across.ticks()]
    shapes.append(Words((LEFT + WIDTH - 20) / 2, BOTTOM + 34, "d, the width of the band", 13, "middle"))
    return Picture(WIDTH, BOTTOM + 50, title, tuple(shapes))
