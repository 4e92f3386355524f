"""The first screen: the number a run is known by (that of its protocol) with its interval, its value in every item and
class, and what the protocol prints besides; where no segments are matched, the errors that cost most.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from segmetry.diagnosis import class_confusions, confidence_curve, detection_errors, has_detections, has_detections_only
from segmetry.metrics import AVERAGES, METRICS, value_or_none
from segmetry.outputs import plain_formula, worst_classes
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.head import item_words
from segmetry.report.metric_data import possible_bounds
from segmetry.report.page_records import (
    HeadlineData,
    HeadlineInterval,
    OtherError,
    OtherErrors,
    OverviewData,
    ValueBeside,
)
from segmetry.report.run_data import defined_value, page_average
from segmetry.report.sections import is_semantic
from segmetry.results import Cell
from segmetry.run import Run
from segmetry.statistics import detectable_difference


def overview_facts(run: Run, columns: ColumnBlock, interval: HeadlineInterval) -> OverviewData:
    """Return what the first screen shows of a run, and add the headline of every item to the columns."""
    key, _ = headline_of(run)
    return {
        "headline": headline_facts(run, columns, interval),
        "errors": other_errors(run),
        "confidence": confidence_curve(run) if has_detections(run) else None,
        "classes": [
            (str(run.class_names.get(name, name)), score.value) for name, score in worst_classes(run.summary(), key)
        ],
    }


ITEMS = "headline_items"
"""The column with the value of every item, NaN where it is undefined."""
WRITTEN_OUT = {"window_diff": "WindowDiff", "boundary_similarity": "boundary similarity B"}
"""Names of metrics that are better known than their symbols."""
_MOST_BESIDE = 7
"""The most numbers shown besides the headline."""


def headline_facts(run: Run, columns: ColumnBlock, interval: HeadlineInterval) -> HeadlineData:
    """Return the headline of a run with its interval, and add its values of the items to the columns."""
    cell = run.cell()
    key, average = cell.metric, cell.average
    columns.add(ITEMS, item_values(run, key))
    metric, changed = METRICS[key], [", ".join(run.modified)] if run.modified else []
    return {
        "key": key,
        "name": symbol(key) if run.protocol is None else cell.name,
        "summary": metric.summary,
        "average": page_average(average),
        "averaged": _averaged(run, cell),
        "better": metric.better,
        "bounds": possible_bounds(metric),
        "protocol": None if run.protocol is None else "; modified: ".join([run.protocol.name, *changed]),
        "percent": cell.unit == "percent",
        "decimals": cell.decimals,
        "value": value_or_none(run.summary().scores[key][average]),
        "beside": _other_numbers(run),
        **interval,
    }


def _averaged(run: Run, cell: Cell) -> str:
    """Return how the headline is averaged, after the row of the protocol's table where that has several."""
    table, words = run.protocol_table(), AVERAGES[cell.average].words
    return f"{cell.of}, {words}" if table is not None and len(table.rows) > 1 and cell.of else words


def headline_interval(run: Run) -> HeadlineInterval:
    """Return the interval of the headline, as ``segmetry score --interval`` prints it, or why it has none."""
    interval = run.headline_interval(item_words(run)["item"])
    low, high = interval.best or (None, None)
    error = None if low is None else interval.standard_error
    return {
        "low": low,
        "high": high,
        "problem": interval.reason if low is None else None,
        "detectable": None if error is None else detectable_difference(error),
    }


def headline_of(run: Run) -> tuple[str, str]:
    """Return key and average of the number a run is known by."""
    cell = run.cell()
    return cell.metric, cell.average


def symbol(key: str) -> str:
    """Return the symbol of a metric as plain text."""
    return WRITTEN_OUT.get(key) or plain_formula(METRICS[key].symbol).replace("_", " ")


def item_values(run: Run, key: str) -> NDArray[np.float64]:
    """Return a metric of every item, NaN where it is undefined or no item has it."""
    if key not in run.data.sources:
        return np.full(len(run.data.items), math.nan)
    values, undefined = run.data.item_values(key), run.settings.undefined
    return values if undefined is None else np.nan_to_num(values, nan=undefined)


def _other_numbers(run: Run) -> list[ValueBeside]:
    """Return what the protocol's table says besides: the row with the headline, or its only column."""
    table = run.protocol_table()
    if table is None or not table.rows:
        return []
    row, own = table.headline or (table.rows[0][0], None)
    if len(table.headings) == 2:
        listed = [(symbol(value.cell.metric), value) for other, _, value in table.values() if other != row]
    else:
        listed = [(column, value) for name, column, value in table.values() if name == row and column != own]
    values: list[ValueBeside] = [
        {
            "name": WRITTEN_OUT.get(value.cell.metric, name),
            "key": value.cell.metric,
            "percent": value.cell.unit == "percent",
            "value": value.or_none,
            "summary": METRICS[value.cell.metric].summary,
        }
        for name, value in listed
        if value.is_score and not METRICS[value.cell.metric].is_count
    ]
    return values[:_MOST_BESIDE]


MOST_CONFUSIONS = 8
"""The most confusions on the first screen."""
DETECTION_WORDS = {
    "classification": "on a true mask of another class",
    "localisation": "of the right class, but overlaps too little",
    "both": "wrong class and too little overlap",
    "duplicate": "on a true mask that another prediction has taken",
    "background": "on no true mask",
    "missed": "a true mask that no prediction comes near",
}


def other_errors(run: Run) -> OtherErrors | None:
    """Return the errors about classes of elements or detections, the costliest first; None of any other run."""
    if is_semantic([run]):
        return _confusions(run)
    if has_detections_only(run):
        return _detections(run)
    return None


def _confusions(run: Run) -> OtherErrors:
    confusions = class_confusions(run)
    codes: dict[Hashable, int] = {name: code for code, name in enumerate(run.tables_together.class_names)}
    rows: list[OtherError] = []
    for row in confusions.confusions[:MOST_CONFUSIONS]:
        true, pred = (None if name is None else str(run.class_names.get(name, name)) for name in (row.true, row.pred))
        words = (
            f"{true} missed" if pred is None else f"{pred} in excess" if true is None else f"{true} predicted as {pred}"
        )
        # None, for elements outside all classes, has no code.
        places = codes.get(row.true), codes.get(row.pred)
        rows.append({"name": words, "words": None, "count": row.elements, "gain": row.gain, "classes": places})
    return {
        "name": "mIoU",
        "title": "mIoU gained if only this confusion is corrected",
        "unit": "elements",
        "base": defined_value(confusions.mean_iou),
        "rows": rows,
    }


def _detections(run: Run) -> OtherErrors:
    errors = detection_errors(run)
    rows: list[OtherError] = [
        {"name": kind, "words": DETECTION_WORDS[kind], "count": errors.counts[kind], "gain": gain, "classes": None}
        for kind, gain in errors.gains.items()
        if not math.isnan(gain)
    ]
    return {
        "name": f"AP at IoU {errors.threshold:g}",
        "title": f"AP at IoU {errors.threshold:g} gained if all errors of a kind are fixed individually",
        "unit": "errors",
        "base": defined_value(errors.average_precision),
        "rows": sorted(rows, key=lambda row: -row["gain"]),
    }
