"""Transpositions: which boundaries of the two sides are near misses of each other (see boundary_edit.py)."""

from __future__ import annotations

from typing import Literal

from segmetry._base.checked_options import check_choice, checked_integer
from segmetry._base.exact import IntArray
from segmetry.metrics.boundaries.point_matching import cheapest_pairs, greedy_pairs

Transpositions = Literal["optimal", "greedy"]
"""How near misses are paired: at the least total cost, or as segeval pairs them."""


def transpositions(missed: IntArray, spurious: IntArray, n_t: int, match: Transpositions) -> IntArray:
    """Return the transposed pairs (true, pred) among the boundaries of one side only."""
    reach = largest_distance(n_t, match)
    # For reach 1 all transpositions cost the same and form chains, on which the greedy pass is optimal.
    if match == "greedy" or reach <= 1:
        return greedy_pairs(missed, spurious, reach)
    # A unit of cost outweighs all additions together, so that ties in cost go to fewer additions and edits.
    unit = missed.size + spurious.size + 1
    alone = n_t * unit + 1
    return cheapest_pairs(missed, spurious, reach, alone, alone, per_step=unit)


def largest_distance(n_t: int, match: Transpositions) -> int:
    """Return the largest distance of a transposition; raise if an option has none of its values."""
    expected = "of at least 1 (1: no transpositions, 2: neighbours)"
    reach = checked_integer("n_t", n_t, 1, expected) - 1
    check_choice("match", match, Transpositions)
    return reach
