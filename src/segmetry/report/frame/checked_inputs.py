"""Whether the files that a run was computed from are still the same: their sha256 now, against that in the run."""

from __future__ import annotations

from typing import Any

from segmetry.errors import SegmetryError
from segmetry.evaluation.reopen import ChangedInputError, loaders_of
from segmetry.report.page_records import CheckedInputs
from segmetry.run.run import Run

STATED = "as stated when they were scored; not checked for this report"


def checked_inputs(run: Run, true: Any = None, pred: Any = None, *, are_read: bool = True) -> CheckedInputs:
    """Return the state of the inputs of a run, and how it is known; files are read only if ``are_read``.

    ``unchanged``: read again, with the same fingerprints. ``scored``: just scored. ``changed``: another
    fingerprint. ``stated``: not checked, or not to be found. ``none``: the run keeps no fingerprints.

    >>> import segmetry as sm
    >>> checked_inputs(sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq"))["state"]
    'none'
    """
    if not run.inputs:
        return {"state": "none", "words": ""}
    is_own = true is None and pred is None
    if is_own and run.loaders:
        return {"state": "scored", "words": "taken when they were scored, for this report"}
    if not are_read or (is_own and "true" not in run.facts):
        return {"state": "stated", "words": STATED}
    try:
        loaders_of(run, true, pred)
    except ChangedInputError as problem:
        return {"state": "changed", "words": str(problem)}
    except SegmetryError as problem:
        return {"state": "stated", "words": f"as stated when they were scored; they cannot be checked: {problem}"}
    return {"state": "unchanged", "words": "read again for this report"}
