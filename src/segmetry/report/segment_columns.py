"""Write the segments and overlap rows of a run as columns of the page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import widest
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.false_hits import largest_rival
from segmetry.alignments.policy import as_policy, counted_sizes, ignored
from segmetry.metrics.regions.largest_partner import partners
from segmetry.report.column_blocks import EXACT_IN_DOUBLE, ColumnBlock
from segmetry.report.overlap_rows import PageRows
from segmetry.run.run import Run
from segmetry.runfile.overlap_columns import RunSideColumns, RunTables


def is_wide(tables: RunTables) -> bool:
    """Return whether a count of the run may exceed exact doubles: then the page computes with BigInt."""
    return 4 * largest(tables) >= EXACT_IN_DOUBLE


def largest(tables: RunTables) -> int:
    """Return the size of the largest segment of the run."""
    return widest(tables.true.sizes, tables.pred.sizes)


def chosen_column(rule: str) -> str:
    """Return the name of the column with the rows chosen by a rule that the page cannot apply."""
    return f"chosen {rule}"


def add_columns(run: Run, rows: PageRows, columns: ColumnBlock) -> None:
    """Add everything the page needs to align and score the run under any rule."""
    tables = run.tables_together
    wide = is_wide(tables)
    columns.add("n_elements", np.array([item.n_elements for item in tables.items], dtype=np.int64), wide=wide)
    columns.add("row_start", np.searchsorted(tables.row_item[rows.kept], np.arange(len(tables) + 1)))
    columns.add("row_true", tables.row_true[rows.kept])
    columns.add("row_pred", tables.row_pred[rows.kept])
    columns.add("shared", tables.shared[rows.kept], wide=wide)
    if not rows.are_all:
        columns.add("rival", largest_rival(tables.together, rows.kept), wide=wide)
    for rule, chosen in rows.chosen.items():
        columns.add(chosen_column(rule), chosen)
    _add_sides(run, tables, columns, wide=wide)
    _add_partners(run, tables, columns, wide=wide)


def _add_sides(run: Run, tables: RunTables, columns: ColumnBlock, *, wide: bool) -> None:
    policy, together = as_policy(run.settings.policy), tables.together
    unmatched = np.zeros(len(together.true), dtype=bool), np.zeros(len(together.pred), dtype=bool)
    excused = ignored(together, policy, *unmatched, run.settings.classes)
    counted = counted_sizes(together, policy)
    for at, (word, side) in enumerate((("true", tables.true), ("pred", tables.pred))):
        columns.add(f"{word}_start", side.starts)
        columns.add(f"{word}_ids", _ids(side))
        if together.class_names is not None:
            columns.add(f"{word}_classes", side.classes)
        for name, values in (("size", side.sizes), ("outside", side.outside), ("void", side.void)):
            columns.add(f"{word}_{name}", values, wide=wide)
        if counted[at] is not side.sizes:
            columns.add(f"{word}_counted", counted[at], wide=wide)
        if side.crowd.any():
            columns.add(f"{word}_crowd", side.crowd.astype(np.uint8))
        if excused[at].any():
            columns.add(f"{word}_excused", excused[at].astype(np.uint8))


def _ids(side: RunSideColumns) -> NDArray[np.int64] | NDArray[np.uint64]:
    """Return the original ids: uint64 if one exceeds int64."""
    if not side.large_ids:
        return side.ids
    ids = side.ids.astype(np.uint64)
    for at, segment in side.large_ids.items():
        ids[at] = segment
    return ids


def _add_partners(run: Run, tables: RunTables, columns: ColumnBlock, *, wide: bool) -> None:
    """Add every counted true segment with its partner: the points of the scatter plot."""
    overlaps = CountedOverlaps.of(tables.together, policy=run.settings.policy, classes=run.settings.classes)
    pairs = partners(overlaps)
    columns.add("partner_true", pairs.at_true)
    columns.add("partner_shared", pairs.shared, wide=wide)
    columns.add("partner_spurious", pairs.spurious, wide=wide)
