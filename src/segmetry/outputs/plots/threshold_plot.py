"""Plot of scores at IoU thresholds: accuracy ('AP'), F1, precision and recall of one segmentation or of a data set."""

from __future__ import annotations

from collections.abc import Mapping

from segmetry._base import fraction
from segmetry.errors import OptionError
from segmetry.metrics import Score
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.plot_axes import Axes
from segmetry.outputs.plots.shapes import INK, Dot, Line, Shape, Words
from segmetry.results import number
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
    """Return the thresholds and values of a score, in ascending order of thresholds.

    >>> _score_points(Score.of("f1", 1, 2, thresholds={"3/4": 0.25, "0.5": 0.75}))
    [(0.5, 0.75), (0.75, 0.25)]
    """
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
