"""The error analysis of a run: what its scores would be without the errors of each kind.

All items are fixed at once: segments of different items share nothing, so the fix of the union is the union of
the fixes. Nothing but the overlap rows of the run is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.alignments.breakdown import BySize
from segmetry.diagnosis.diagnosis_result import Confusion, Diagnosis
from segmetry.diagnosis.error_reasons import KINDS, MatchSettings, Reasons
from segmetry.diagnosis.fixes import fixed
from segmetry.diagnosis.scored_state import Means, State
from segmetry.diagnosis.table_cells import FixedTable
from segmetry.errors import ClassesError, InputError, KindError, SegmetryError
from segmetry.metrics.shared_options import ClassMatching
from segmetry.run.run import Run
from segmetry.run.run_data_set import item_alignment
from segmetry.run.settings import Settings
from segmetry.runfile.overlap_columns import RunTables

SHOWN = 5


class _FixedStage(NamedTuple):
    """A table of all items with its errors, and the item of every pred segment."""

    reasons: Reasons
    pred_item: IntArray

    def after(self, fixed_table: FixedTable, true_item: IntArray) -> _FixedStage:
        """Return the next stage; a new segment belongs to the item of the true segment it covers."""
        is_new = fixed_table.origin < 0
        at = np.where(is_new, self.pred_item.size - 1 - fixed_table.origin, fixed_table.origin)
        return _FixedStage(
            Reasons.of(fixed_table.table, self.reasons.how), np.concatenate((self.pred_item, true_item))[at]
        )


def diagnose(
    run: Run | str | Path,
    *,
    rule: Any = None,
    policy: Any = None,
    classes: ClassMatching | None = None,
    sizes: BySize | None = None,
    partial: bool = False,
) -> Diagnosis:
    """Return the gain of every score of a run if all errors of one kind are fixed, alone and one after the other.

    The kinds of errors and their fixes are described in the documentation, page "Error analysis".

    Parameters
    ----------
    run : Run, str or Path
        A run, or the path of its file.
    rule : MatchRule or str, optional
        By default that of the run.
    policy : Policy or str, optional
        By default that of the run.
    classes : {'match', 'ignore'}, optional
        By default as in the run.
    sizes : BySize, optional
        The bins of the breakdown by size; by default those of COCO.
    partial : bool, default False
        Accept a run that is not finished.

    Returns
    -------
    Diagnosis
        The scores as predicted, and after the errors of each kind are fixed.

    Examples
    --------
    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]})
    >>> diagnosis = diagnose(run)
    >>> [state.scores["pq"]["by_item"].value for state in (diagnosis.base, diagnosis.alone["split"])]
    [0.0, 0.5]
    >>> diagnosis.cumulative["boundary"].scores["pq"]["by_item"].value
    1.0
    """
    if isinstance(run, str | Path):
        with Run.open(run) as opened:
            return diagnose(opened, rule=rule, policy=policy, classes=classes, sizes=sizes, partial=partial)
    if not isinstance(run, Run):
        raise KindError(f"run is a {type(run).__name__}; expected a Run, or the path of a run file (*.segm)")
    run.check_complete(partial=partial)
    settings = run.settings.changed(rule=rule, policy=policy, classes=classes)
    how = MatchSettings.of(settings.rule, settings.policy, settings.classes)
    tables = run.tables_together
    first = _FixedStage(_error_reasons(tables, how, settings), tables.pred.item)
    means = Means(settings.undefined, settings.average, BySize() if sizes is None else sizes)

    def state(stage: _FixedStage) -> State:
        return means.state(stage.reasons.alignment, tables.true.item, stage.pred_item, len(tables))

    def fixed_stage(stage: _FixedStage, kind: str, done: tuple[str, ...] = ()) -> _FixedStage:
        return stage.after(fixed(stage.reasons, kind, done), tables.true.item)

    # The first kind fixed individually is the first step of the cumulative fixes: computed once.
    stage = fixed_stage(first, KINDS[0])
    alone = {KINDS[0]: state(stage)} | {kind: state(fixed_stage(first, kind)) for kind in KINDS[1:]}
    cumulative = {KINDS[0]: alone[KINDS[0]]}
    for at, kind in enumerate(KINDS[1:], start=1):
        stage = fixed_stage(stage, kind, KINDS[:at])
        cumulative[kind] = state(stage)
    return Diagnosis(
        rule=how.rule.name,
        policy=how.policy.name,
        classes=how.classes,
        n_items=len(tables),
        counts=first.reasons.counts(),
        base=state(first),
        alone=alone,
        cumulative=cumulative,
        confusion=_class_confusions(first.reasons),
        has_classes=first.reasons.table.class_names is not None,
        size_edges=means.sizes.edges,
        class_names=run.class_names,
    )


def run_reasons(run: Run) -> Reasons:
    """Return the errors of a run under its own settings, those that :func:`diagnose` fixes.

    >>> import segmetry as sm
    >>> reasons = run_reasons(sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq"))
    >>> reasons.fragments.true.tolist(), reasons.fragments.pred.tolist()
    ([0, 0], [0, 1])
    """
    settings = run.settings
    how = MatchSettings.of(settings.rule, settings.policy, settings.classes)
    return _error_reasons(run.tables_together, how, settings)


def overlap_problem(tables: RunTables, items: str = "items", segments: str = "segments") -> str | None:
    """Return why overlapping segments have no error analysis, in a field's words for items and segments.

    >>> import segmetry as sm
    >>> both = {"call": sm.TimeIntervals([0, 1], [2, 3])}
    >>> overlap_problem(sm.evaluate(both, both).tables_together, "recordings", "turns")
    'turns overlap in 1 of 1 recordings (call): the elements of their union are not in the run'
    """
    overlapping = [item for item in tables.items if not (item.true_disjoint and item.pred_disjoint)]
    if not overlapping:
        return None
    shown = ", ".join(item.name for item in overlapping[:SHOWN]) + (" …" if len(overlapping) > SHOWN else "")
    where = f"{segments} overlap in {len(overlapping)} of {len(tables)} {items} ({shown})"
    problem = f"{where}: the elements of their union are not in the run"
    if all(item.kind not in ("masks", None) for item in overlapping):
        return problem
    return (
        f"{problem}; predicted masks with scores become disjoint by resolve='by_score' "
        "(--resolve by_score) in the evaluation, true ones by Masks.painted()"
    )


def _check_items(tables: RunTables) -> None:
    problem = overlap_problem(tables)
    if problem is not None:
        raise InputError(problem)
    if len({item.has_classes for item in tables.items}) > 1:
        first, second = (next(item.name for item in tables.items if item.has_classes is has) for has in (True, False))
        raise ClassesError(f"item {first} has classes and item {second} has none; expected all or none")


def _error_reasons(tables: RunTables, how: MatchSettings, settings: Settings) -> Reasons:
    _check_items(tables)
    try:
        return Reasons.of(tables.together, how)
    except SegmetryError:
        for at in range(len(tables)):
            item_alignment(tables, at, settings)  # raises the same error and names the item
        raise


def _class_confusions(reasons: Reasons) -> tuple[Confusion, ...]:
    """Count how often each class is confused with which other class, the most frequent first."""
    table, pairs = reasons.table, reasons.confused
    if not pairs.true.size or table.class_names is None or table.true.classes is None or table.pred.classes is None:
        return ()
    codes = np.stack((table.true.classes[pairs.true], table.pred.classes[pairs.pred]), axis=1)
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    order = np.lexsort((cells[:, 1], cells[:, 0], -counts))
    names = table.class_names
    listed = zip(cells[order].tolist(), counts[order].tolist(), strict=True)
    return tuple(Confusion(names[true], names[pred], count) for (true, pred), count in listed)
