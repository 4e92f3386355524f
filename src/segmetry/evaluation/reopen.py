"""Going back to the inputs of a run: they are read again as they were read then, if they are still the same.

A run file keeps no pixels. It keeps the paths of its inputs, how they were read (``settings.reading``) and the sha256
of every file, so the segmentations of an item can be had again for pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, InputError, UnknownNameError
from segmetry.evaluation.inputs import EvaluationInputs, find_inputs
from segmetry.readers.options import MOST_ELEMENTS, ReadOptions
from segmetry.run.file_contents import PairLoader
from segmetry.run.run import Run
from segmetry.run.writer import changed_input

_NOT_OPTIONS = ("format", "pred_coder", "missing")


def loaders_of(run: Run, true: Any = None, pred: Any = None) -> Mapping[str, PairLoader]:
    """How the two segmentations of every item are loaded again, by item name; nothing is decoded yet.

    ``true`` and ``pred`` name the inputs where they have been moved, or hand over the objects the run was made of.
    Inputs that are gone or have changed are an :class:`~segmetry.errors.InputError` that says which.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq")
    >>> true, pred = loaders_of(run)["a"]()
    >>> pred.labels.tolist()
    [[1, 2, 2]]
    """
    if run.loaders and true is None and pred is None:
        return run.loaders
    work = _work(run, _place(run, "true", true), _place(run, "pred", pred))
    recorded = {(row["side"], row["name"]): row["sha256"] for row in run.inputs}
    changed = changed_input(recorded, work.fingerprints()) if recorded else None
    if changed:
        raise InputError(changed)
    return {task.name: task.load for task in work.tasks}


def _place(run: Run, side: str, given: Any) -> Any:
    """Where a side lies: as the user says, as the run says, or as it says seen from the folder of the run file."""
    if given is not None:
        return given
    if side not in run.facts:
        raise InputError("the run was made of objects, not of files; hand them over again as true= and pred=")
    named = Path(run.facts[side])
    beside = None if run.path is None else run.path.parent / named
    if not named.exists() and beside is not None and beside.exists():
        return beside
    if not named.exists():
        raise InputError(f"{named} is not there any more")
    return named


def _work(run: Run, true: Any, pred: Any) -> EvaluationInputs:
    reading = dict(run.settings.reading)
    named, pred_coder, missing = (reading.pop(name, None) for name in _NOT_OPTIONS)
    formats = tuple(named) if isinstance(named, list) else named
    try:
        # The run has been there: what was within its budget then is within it now.
        read = ReadOptions(most_elements=max(run.most_elements, MOST_ELEMENTS), **reading)
    except (TypeError, ValueError, UnknownNameError) as problem:
        raise FormatError(
            f"{run.path}: the options its inputs were read with cannot be used: {problem} (a corrupt run file, or a "
            "plug-in that is not installed)"
        ) from None
    return find_inputs(true, pred, formats=formats, read=read, pred_coder=pred_coder, missing=missing or "error")
