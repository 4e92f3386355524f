r"""The graph of segments that match under a rule: matched, missed, false alarms, splits, merges
[chazalon2021revisiting].

Edges are the pairs a rule accepts. A pair is *matched* if both its ends have no other edge; a true segment with several
edges is a *split*, a pred with several edges a *merge*. θ& is one-to-one and never has either, so the default is
``coverage(1/10, 1/2)``: the smaller coverage above 1/10, the larger above 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments import CountedOverlaps, MatchRule, as_rule
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score

DEFAULT_RULE = "coverage(min_above=1/10, max_above=1/2)"
_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_MERGED = [[1, 1, 2, 2, 3, 3]], [[4, 4, 4, 4, 5, 5]]
_DECISIONS = (
    "The default rule is coverage(1/10, 1/2), since rules that are one-to-one, such as θ&, never have splits or "
    "merges; any rule may be chosen. Thresholds are strict and exact, so there are no ties. A segment without overlap "
    "has no edge: it is counted as missed (true) or as a false alarm (pred) in the details. Elements outside count "
    "only through sizes."
)


@dataclass(frozen=True, eq=False)
class MatchGraph:
    """The number of edges of every true and pred segment, and the number of matched pairs."""

    true_degree: NDArray[np.intp]
    pred_degree: NDArray[np.intp]
    matched: int
    missed: int
    false_alarms: int

    @property
    def splits(self) -> int:
        return int(np.count_nonzero(self.true_degree > 1))

    @property
    def merges(self) -> int:
        return int(np.count_nonzero(self.pred_degree > 1))

    @property
    def details(self) -> dict[str, Any]:
        """The five counts."""
        names = ("matched", "missed", "false_alarms", "splits", "merges")
        return {name: getattr(self, name) for name in names}


def match_graph(overlaps: CountedOverlaps, rule: MatchRule | str = DEFAULT_RULE) -> MatchGraph:
    """Return the graph of the pairs a rule accepts."""
    edges = overlaps.pairs.take(as_rule(rule).select(overlaps.pairs).chosen)
    true_degree = np.bincount(edges.at_true, minlength=len(overlaps.table.true))
    pred_degree = np.bincount(edges.at_pred, minlength=len(overlaps.table.pred))
    matched = (true_degree[edges.at_true] == 1) & (pred_degree[edges.at_pred] == 1)
    counted_true, counted_pred = overlaps.counted(true_degree > 0, pred_degree > 0)
    return MatchGraph(
        true_degree,
        pred_degree,
        matched=int(np.count_nonzero(matched)),
        missed=int(np.count_nonzero(counted_true & (true_degree == 0))),
        false_alarms=int(np.count_nonzero(counted_pred & (pred_degree == 0))),
    )


_error_count = partial(
    metric,
    citation="chazalon2021revisiting",
    better="lower",
    pooled=True,
    is_count=True,
    notes=_DECISIONS,
)


@_error_count(
    symbol=r"|T_{\mathrm{split}}|",
    order=10,
    formula=r"|\{t : \deg(t) > 1\}|",
    summary="The number of true segments that match more than one predicted segment.",
    swaps_with="n_merges",
    examples=(Example(*_SPLIT, 1), Example(*_MERGED, 0), Example(*_SPLIT, 0, {"rule": "theta_and"})),
)
def n_splits(overlaps: CountedOverlaps, *, rule: MatchRule | str = DEFAULT_RULE) -> Score:
    graph = match_graph(overlaps, rule)
    return Score.of("n_splits", graph.splits, 1, **graph.details)


@_error_count(
    symbol=r"|H_{\mathrm{merge}}|",
    formula=r"|\{h : \deg(h) > 1\}|",
    summary="The number of predicted segments that match more than one true segment.",
    examples=(Example(*_SPLIT, 0), Example(*_MERGED, 1)),
)
def n_merges(overlaps: CountedOverlaps, *, rule: MatchRule | str = DEFAULT_RULE) -> Score:
    graph = match_graph(overlaps, rule)
    return Score.of("n_merges", graph.merges, 1, **graph.details)
