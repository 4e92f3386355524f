"""Segments, overlap rows and kinds of errors of a run as columns of the page.

The rows are all, or in a huge run those that a one-to-one rule may align and those of items with pictures, whose maps
need every overlap. Every local rule that is one-to-one on disjoint segments is contained in θ& (see ``local``), so the
pairs of θ& are enough to apply any of them: at most as many rows as there are segments, whatever overlaps what.

``true_kinds`` and ``pred_kinds`` are sums of the bits of :data:`~segmetry.diagnosis.error_reasons.KIND_BITS`. For each
kind that concerns two segments there is a list of pairs of positions: the two that differ in class (``confused``), a
split true segment and its fragments (``fragments``), the true segments that a predicted one merges (``swallowed``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base import widest
from segmetry.alignments import (
    CountedOverlaps,
    LocalRule,
    align,
    as_policy,
    as_rule,
    candidates_of,
    counted_sizes,
    ignored,
    largest_rival,
    theta_and,
)
from segmetry.diagnosis import KIND_BITS, run_reasons
from segmetry.errors import SegmetryError
from segmetry.metrics import partners
from segmetry.report.column_blocks import EXACT_IN_DOUBLE, ColumnBlock
from segmetry.report.page_records import SegmentKindsData
from segmetry.run import Run, alignment_options
from segmetry.runfile import RunSideColumns, RunTables

MOST_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class PageRows:
    """Positions of the run's rows that are in the page, and of the rows chosen by some rules among them."""

    kept: NDArray[np.intp]
    are_all: bool
    chosen: Mapping[str, NDArray[np.intp]]


def page_rows(run: Run, rules: list[str], pictured: Collection[int] = (), most: int = MOST_ROWS) -> PageRows:
    """Return the rows of a run for its page, with all rows of the items that are ``pictured``.

    The page applies rules that decide on each pair alone; the choices of other rules, and of assignments where a rule
    clashes, are computed here.
    """
    assigned = run.settings.resolve == "assign"
    chosen = {name: _chosen_rows(run, name) for name in rules if assigned or not isinstance(as_rule(name), LocalRule)}
    tables = run.tables_together
    every = np.arange(tables.shared.size)
    if every.size <= most:
        return PageRows(every, are_all=True, chosen=chosen)
    wanted = np.isin(tables.row_item, list(pictured))
    for rule in (theta_and, as_rule(run.settings.rule)):
        if isinstance(rule, LocalRule):
            wanted[_accepted_rows(run, rule)] = True
    for picked in chosen.values():
        wanted[picked] = True
    place = np.cumsum(wanted) - 1
    return PageRows(every[wanted], are_all=False, chosen={name: place[picked] for name, picked in chosen.items()})


def _chosen_rows(run: Run, rule: str) -> NDArray[np.intp]:
    tables, options = run.tables_together, alignment_options(run.settings) | {"rule": rule}
    rows = [align(tables.table(item), **options).rows + tables.row_starts[item] for item in range(len(tables))]
    return np.concatenate(rows)


def _accepted_rows(run: Run, rule: LocalRule) -> NDArray[np.intp]:
    together = run.tables_together.together
    candidates, rows = candidates_of(together, as_policy(run.settings.policy), run.settings.classes)
    return rows[rule.accepts(candidates.shared, candidates.missed, candidates.spurious)]


def _majority_rows(run: Run, rows: PageRows) -> NDArray[np.intp]:
    """Return the rows of the run that θ& aligns, in the order in which the page lists them."""
    chosen = rows.chosen.get(theta_and.name)
    return _accepted_rows(run, theta_and) if chosen is None else rows.kept[chosen]


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
    columns.add("wide_rival", largest_rival(tables.together, _majority_rows(run, rows)), wide=wide)
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


PAIRS = ("confused", "fragments", "swallowed")


def add_segment_kinds(run: Run, columns: ColumnBlock) -> SegmentKindsData:
    """Add the columns and return what the page needs to read them; the problem where errors cannot be distinguished."""
    facts: SegmentKindsData = {"problem": None, "rule": run.settings.rule, "bits": KIND_BITS}
    try:
        reasons = run_reasons(run)
    except SegmetryError as problem:
        return {**facts, "problem": str(problem)}
    for name, kinds in zip(("true_kinds", "pred_kinds"), reasons.kinds_of_segments(), strict=True):
        columns.add(name, kinds)
    for name in PAIRS:
        pairs = getattr(reasons, name)
        columns.add(f"{name}_true", pairs.true)
        columns.add(f"{name}_pred", pairs.pred)
    return facts
