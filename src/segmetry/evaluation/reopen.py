"""Read the inputs of a run again, with the same options, if they have not changed.

A run file contains no pixels. It contains the paths of its inputs, how they were read (``settings.reading``) and the
sha256 of every file, so the segmentations of an item can be loaded again for pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, InputError, UnknownNameError
from segmetry.evaluation.inputs import EvaluationInputs, find_inputs
from segmetry.readers import MOST_ELEMENTS, ReadOptions
from segmetry.run import Run
from segmetry.runfile import PairLoader, changed_input

_NOT_OPTIONS = ("format", "pred_coder", "missing", "pairing")


class ChangedInputError(InputError):
    """An input is not what it was when it was scored."""


def loaders_of(run: Run, true: Any = None, pred: Any = None, *, check_files: bool = True) -> Mapping[str, PairLoader]:
    """Return functions that load the two segmentations of an item again, by item name; nothing is decoded yet.

    ``true`` and ``pred`` are the paths of inputs that have been moved, or the objects the run was made of. Inputs that
    are missing or have changed raise an :class:`~segmetry.errors.InputError` that names them; with
    ``check_files=False`` files are not read for that, where whoever loads an item compares it with what was counted.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq")
    >>> true, pred = loaders_of(run)["a"]()
    >>> pred.labels.tolist()
    [[1, 2, 2]]
    """
    if run.loaders and true is None and pred is None:
        return run.loaders
    inputs = _find_inputs(run, _side_input(run, "true", true), _side_input(run, "pred", pred))
    recorded = {(row["side"], row["name"]): row["sha256"] for row in run.inputs} if check_files else {}
    changed = changed_input(recorded, inputs.fingerprints()) if recorded else None
    if changed:
        raise ChangedInputError(changed)
    return {task.name: task.load for task in inputs.tasks}


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


def _find_inputs(run: Run, true: Any, pred: Any) -> EvaluationInputs:
    reading = dict(run.settings.reading)
    names, pred_coder, missing, pairing = (reading.pop(name, None) for name in _NOT_OPTIONS)
    formats = tuple(names) if isinstance(names, list) else names
    try:
        # Inputs within the budget of the run are within it now.
        read = ReadOptions(most_elements=max(run.most_elements, MOST_ELEMENTS), **reading)
    except (TypeError, ValueError, UnknownNameError) as problem:
        raise FormatError(
            f"{run.path}: the options its inputs were read with cannot be used: {problem} (a corrupt run file, or a "
            "plug-in that is not installed)"
        ) from None
    return find_inputs(
        true, pred, formats=formats, read=read, pred_coder=pred_coder, missing=missing or "error", pairing=pairing
    )
