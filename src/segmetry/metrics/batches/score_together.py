"""Score many items together: the metrics that are declared for many lines at once, with the scores of each line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from segmetry.metrics.batches.line_boundaries import LineBoundaries, LinePairs
from segmetry.metrics.batches.quotient_columns import QuotientColumns
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.declare import Metric
from segmetry.segmentation.spans import Spans


def score_together(
    true: Sequence[Spans], pred: Sequence[Spans], metrics: Iterable[Metric], options: Mapping[str, Mapping[str, Any]]
) -> dict[str, ScoreColumn]:
    """Return the scores of every line, by key, of those metrics that can be computed for all lines at once.

    ``options`` are the metrics' own, by key. Both sides of a line have the same length.

    >>> from segmetry.metrics.windows.pk import pk
    >>> true, pred = [Spans.from_masses([5, 3, 5])] * 2, [Spans.from_masses(masses) for masses in ([4, 4, 5], [13])]
    >>> [score.numerator for score in score_together(true, pred, [pk], {})["pk"].scores()]
    [2, 4]
    """
    declared = [metric for metric in metrics if metric.of_lines is not None]
    if not declared:
        return {}
    lines = LinePairs(LineBoundaries.of(true), LineBoundaries.of(pred))
    columns = {metric.key: columns_of_lines(metric, lines, options.get(metric.key, {})) for metric in declared}
    return {key: column.column(key) for key, column in columns.items() if column is not None}


def columns_of_lines(metric: Metric, lines: LinePairs, options: Mapping[str, Any]) -> QuotientColumns | None:
    """Return the quotients of a metric of many lines; None where it has to be computed line by line.

    Options that are not the metric's own are refused where it is.
    """
    if metric.of_lines is None or not options.keys() <= metric.options.keys():
        return None
    return metric.of_lines(lines, **options)
