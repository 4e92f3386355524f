"""The kinds of errors of every segment, as columns of the page, from the errors that :func:`segmetry.diagnose` fixes.

``true_kinds`` and ``pred_kinds`` are sums of the bits of :data:`~segmetry.diagnosis.error_reasons.KIND_BITS`. For each
kind that concerns two segments there is a list of pairs of positions: the two that differ in class (``confused``), a
split true segment and its fragments (``fragments``), the true segments that a predicted one merges (``swallowed``).
"""

from __future__ import annotations

from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.error_reasons import KIND_BITS
from segmetry.errors import SegmetryError
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.page_records import SegmentKindsData
from segmetry.run.run import Run

PAIRS = ("confused", "fragments", "swallowed")


def add_segment_kinds(run: Run, columns: ColumnBlock) -> SegmentKindsData:
    """Add the columns and return what the page needs to read them; the problem where errors cannot be distinguished.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq")
    >>> columns = ColumnBlock()
    >>> add_segment_kinds(run, columns)["problem"], columns.directory["pred_kinds"]
    (None, ('u1', 8, 3))
    """
    facts: SegmentKindsData = {"problem": None, "rule": run.settings.rule, "bits": KIND_BITS}
    try:
        reasons = run_reasons(run)
    except SegmetryError as refused:
        return {**facts, "problem": str(refused)}
    for name, kinds in zip(("true_kinds", "pred_kinds"), reasons.kinds_of_segments(), strict=True):
        columns.add(name, kinds)
    for name in PAIRS:
        pairs = getattr(reasons, name)
        columns.add(f"{name}_true", pairs.true)
        columns.add(f"{name}_pred", pairs.pred)
    return facts
