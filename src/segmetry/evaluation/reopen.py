"""Read the inputs of a run again, with the same options, if they have not changed.

A run file contains no pixels. It contains the paths of its inputs, how they were read (``settings.reading``) and the
sha256 of every file, so the segmentations of an item can be loaded again for pictures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base import Threshold
from segmetry.alignments import weigh
from segmetry.errors import FormatError, InputError, UnknownNameError
from segmetry.evaluation.inputs import EvaluationInputs, find_inputs
from segmetry.geometry import BoxArray, Mask, MatchedShapes
from segmetry.readers import MOST_ELEMENTS, Pairing, ReadOptions, SideName
from segmetry.results import ColumnType, Table
from segmetry.run import Run, item_alignment
from segmetry.runfile import PairLoader, changed_input

_NOT_OPTIONS = ("format", "pred_coder", "missing", "pairing")


class StoredPairing(Pairing):
    """A pairing of a run file, whose expressions may be made to take years: those that could are not tried."""

    def name(self, name: str, side: SideName) -> str:
        """Return the name by which an item is paired."""
        expressions = [*map(str, filter(None, self.pair)), *(re.sub(r"[^*?]", "", text) for text in self.strip)]
        steps = sum(most_steps(expression, len(name)) for expression in expressions)
        spent = self.__dict__["spent"] = self.__dict__.get("spent", 0) + steps
        if spent > _MOST_STEPS:
            raise InputError(
                "the expressions in the run file by which its items were paired may take without end; "
                "evaluate the inputs again"
            )
        return super().name(name, side)


def most_steps(expression: str, length: int) -> float:
    """Return about how many steps a search in a name may take: a power of its length for every choice that is left."""
    if re.search(r"\)[*+{]|\\[1-9]|\(\?[P(<][=?(]?", expression.replace("(?P<", "(")):
        return math.inf  # repeats inside of repeats, references to groups, conditions
    return float(max(length, 2)) ** min(1 + sum(map(expression.count, "*+?{|")), 40)


_MOST_STEPS = 2 * 10**9


class ChangedInputError(InputError):
    """An input is not what it was when it was scored."""


def loaders_of(run: Run, true: Any = None, pred: Any = None, *, check_files: bool = True) -> Mapping[str, PairLoader]:
    """Return functions that load the two segmentations of an item again, by item name; nothing is decoded yet.

    ``true`` and ``pred`` are the paths of inputs that have been moved, or the objects the run was made of. Inputs that
    are missing or have changed raise an :class:`~segmetry.errors.InputError` that names them; with
    ``check_files=False`` files are not read for that, where whoever loads an item compares it with what was counted.
    """
    if run.loaders and true is None and pred is None:
        return run.loaders
    inputs = inputs_of(run, true, pred)
    recorded = {(row["side"], row["name"]): row["sha256"] for row in run.inputs} if check_files else {}
    changed = changed_input(recorded, inputs.fingerprints()) if recorded else None
    if changed:
        raise ChangedInputError(changed)
    return {task.name: task for task in inputs.tasks}


def _side_input(run: Run, side: str, stated: Any) -> Any:
    """Return the input of a side: as stated, or the path in the run, which may be relative to the run file."""
    if stated is not None:
        return stated
    if side not in run.facts:
        raise InputError("the run was made of objects, not of files; hand them over again as true= and pred=")
    path = Path(run.facts[side])
    beside = None if run.path is None else run.path.parent / path
    if not path.exists() and beside is not None and beside.exists():
        return beside
    if not path.exists():
        raise InputError(f"{path} is not there any more")
    return path


def inputs_of(run: Run, true: Any = None, pred: Any = None) -> EvaluationInputs:
    """Return the inputs of a run, as they are now; nothing is decoded yet."""
    true, pred = _side_input(run, "true", true), _side_input(run, "pred", pred)
    reading = dict(run.settings.reading)
    names, pred_coder, missing, pairing = (reading.pop(name, None) for name in _NOT_OPTIONS)
    formats = tuple(names) if isinstance(names, list) else names
    try:
        # Inputs within the budget of the run are within it now. An expression of the file gets the time of a child.
        isolate = True if "separator" in reading else None
        read = ReadOptions(most_elements=max(run.most_elements, MOST_ELEMENTS), **{**reading, "isolate": isolate})
    except (TypeError, ValueError, UnknownNameError) as problem:
        raise FormatError(
            f"{run.path}: the options its inputs were read with cannot be used: {problem} (a corrupt run file, or a "
            "plug-in that is not installed)"
        ) from None
    return find_inputs(
        true, pred, formats=formats, read=read, pred_coder=pred_coder, missing=missing or "error",
        pairing=_pairing_of(run, pairing),
    )  # fmt: skip


def _pairing_of(run: Run, stored: Any) -> Any:
    """Return how the items were paired: as the list of their files, where the run has it, else as it was stated."""
    if not isinstance(stored, Mapping) or not stored.keys() & {"strip", "pair"}:
        return stored
    if run.files and all(None not in both for both in run.files.values()):
        return {"pairs": [(true, pred, name) for name, (true, pred) in run.files.items()]}
    return StoredPairing.of(stored)


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
