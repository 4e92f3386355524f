"""Select the overlap rows of the page: all, or in a huge run those that a one-to-one rule may align and those of items
with pictures, whose maps need every overlap.

Every local rule that is one-to-one on disjoint segments is contained in θ& (see ``local``), so
the pairs of θ& are enough to apply any of them: at most as many rows as there are segments, whatever overlaps what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments.align import align
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import as_policy, candidates_of
from segmetry.alignments.rules.local import LocalRule, theta_and
from segmetry.run.run import Run
from segmetry.run.run_data_set import alignment_options

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
    chosen = {name: _chosen(run, name) for name in rules if _needs_python(run, name)}
    tables = run.tables_together
    every = np.arange(tables.shared.size)
    if every.size <= most:
        return PageRows(every, are_all=True, chosen=chosen)
    candidates, rows = candidates_of(tables.together, as_policy(run.settings.policy), run.settings.classes)
    wanted = np.isin(tables.row_item, list(pictured))
    for rule in (theta_and, as_rule(run.settings.rule)):
        if isinstance(rule, LocalRule):
            wanted[rows[rule.accepts(candidates.shared, candidates.missed, candidates.spurious)]] = True
    for picked in chosen.values():
        wanted[picked] = True
    place = np.cumsum(wanted) - 1
    return PageRows(every[wanted], are_all=False, chosen={name: place[picked] for name, picked in chosen.items()})


def _needs_python(run: Run, rule: str) -> bool:
    return not isinstance(as_rule(rule), LocalRule) or run.settings.resolve == "assign"


def _chosen(run: Run, rule: str) -> NDArray[np.intp]:
    tables, options = run.tables_together, alignment_options(run.settings) | {"rule": rule}
    rows = [align(tables.table(item), **options).rows + tables.row_starts[item] for item in range(len(tables))]
    return np.concatenate(rows)
