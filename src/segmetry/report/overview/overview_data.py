"""The data of the first screen: the headline, its value in every class, and the errors of runs without matches."""

from __future__ import annotations

from segmetry.outputs.tables.worst_first import worst_classes
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.overview.headline_data import headline_facts, headline_of
from segmetry.report.overview.other_errors import other_errors
from segmetry.report.page_records import HeadlineInterval, OverviewData
from segmetry.run.run import Run


def overview_facts(run: Run, columns: ColumnBlock, interval: HeadlineInterval) -> OverviewData:
    """Return what the first screen shows of a run, and add the headline of every item to the columns.

    ``interval`` is that of the headline.

    >>> import segmetry as sm
    >>> true, pred = ({"a": sm.LabelArray([labels], classes={1: "car", 2: "sky"})} for labels in ([1, 1, 2], [1, 1, 0]))
    >>> from segmetry.report.analysis_data import BEING_COMPUTED
    >>> facts = overview_facts(sm.evaluate(true, pred, metrics="pq"), ColumnBlock(), BEING_COMPUTED["headline"])
    >>> facts["classes"], facts["headline"]["problem"]
    ([('sky', 0.0), ('car', 1.0)], 'the interval is being computed')
    """
    key, _ = headline_of(run)
    return {
        "headline": headline_facts(run, columns, interval),
        "errors": other_errors(run),
        "classes": [
            (str(run.class_names.get(name, name)), score.value) for name, score in worst_classes(run.summary(), key)
        ],
    }
