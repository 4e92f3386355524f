"""The shapes of matched instances, one row each: Dice, distances, volumes and centres, measured on the inputs again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry._base import Threshold
from segmetry.alignments import weigh
from segmetry.evaluation.reopen import loaders_of
from segmetry.geometry import BoxArray, Mask, MatchedShapes
from segmetry.results import ColumnType, Table
from segmetry.run import Run, item_alignment

TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("item", "unit"), "text"),
    **dict.fromkeys(("true_id", "pred_id"), "integer"),
    **dict.fromkeys(("iou", "dice", "hausdorff", "hausdorff95", "average_surface_distance", "surface_dice"), "number"),
    **dict.fromkeys(("true_volume", "pred_volume"), "number"),
    **{f"{side}_centre_{axis}": "number" for side in ("true", "pred") for axis in range(3)},
}


def shape_table(run: Run, *, tolerance: Threshold | None = None, true: Any = None, pred: Any = None) -> Table:
    """Return one row per matched pair of a run, with the shapes of its two segments.

    Parameters
    ----------
    run : Run
        A run of label arrays or masks; its inputs are read again.
    tolerance : number, optional
        The distance within which surfaces agree, in units of the spacing; by default that of the run's surface Dice.
        Without either there is no surface Dice.
    true, pred : path or mapping, optional
        The inputs, where they have been moved.

    Returns
    -------
    Table
        Item, ids, IoU, Dice, Hausdorff distances, average surface distance and surface Dice (by area); volumes in
        units of the spacing to the power of the axes, and centres in units of the spacing from the first element.
        ``to_pandas``, ``to_polars`` and ``to_arrow`` give data frames, which write CSV and Parquet.

    Examples
    --------
    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 1, 0]]}, {"a": [[1, 1, 0, 0]]}, metrics="pq")
    >>> row = shape_table(run, tolerance=1)[0]
    >>> row["dice"], row["hausdorff"], row["true_volume"], row["true_centre_1"], row["unit"]
    (0.8, 1.0, 3.0, 1.0, 'pixels')
    """
    loaders = loaders_of(run, true, pred)
    if tolerance is None:
        tolerance = run.settings.options.get("surface_dice", {}).get("tolerance")
    rows: list[dict[str, Any]] = []
    for at, facts in enumerate(run.tables_together.items):
        alignment = item_alignment(run.tables_together, at, run.settings)
        rows += _rows(facts.name, MatchedShapes(alignment, *loaders[facts.name]()), tolerance)
    return Table("shapes", rows, TYPES)


def _rows(item: str, shapes: MatchedShapes, tolerance: Threshold | None) -> list[dict[str, Any]]:
    columns = {
        "iou": shapes.alignment.iou,
        "dice": weigh("dice", shapes.alignment.shared, shapes.alignment.missed, shapes.alignment.spurious),
        "hausdorff": shapes.hausdorff(),
        "hausdorff95": shapes.hausdorff95(),
        "average_surface_distance": shapes.average_surface_distance(),
    }
    if tolerance is not None:
        columns["surface_dice"] = shapes.surface_dice(tolerance)
    table = shapes.alignment.table
    ids = table.true.ids[shapes.alignment.at_true].tolist(), table.pred.ids[shapes.alignment.at_pred].tolist()
    rows: list[dict[str, Any]] = []
    for at, segments in enumerate(shapes.whole_segments()):
        row = {"item": item, "true_id": ids[0][at], "pred_id": ids[1][at]}
        row |= {name: float(values[at]) for name, values in columns.items()}
        for side, (box, mask) in zip(("true", "pred"), segments, strict=True):
            row |= _volume_and_centre(side, box, mask, shapes.spacing)
        rows.append({**row, "unit": shapes.unit})
    return rows


def _volume_and_centre(side: str, box: BoxArray, mask: Mask, spacing: tuple[float, ...]) -> dict[str, float]:
    places = np.nonzero(mask)
    count = places[0].size
    centres = [
        (first + int(along.sum()) / count) * step
        for first, along, step in zip(box[:, 0].tolist(), places, spacing, strict=True)
    ]
    volume = {f"{side}_volume": count * math.prod(spacing)}
    return volume | {f"{side}_centre_{axis}": centre for axis, centre in enumerate(centres)}
