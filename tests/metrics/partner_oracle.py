"""True segments and their partners, found by looking at all pairs of sets."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

import segmetry as sm
from tests.oracle import as_sets, void_elements

Element = frozenset[Hashable]
Pair = tuple[sm.LabelArray, sm.LabelArray]
POLICIES = ("none", "strict-void")


def families(pair: Pair, policy: str) -> tuple[dict[int, Element], dict[int, Element], int]:
    """The segments of both sides and the size of the domain; under strict-void the void of either side is taken out."""
    void = void_elements(pair[0]) | void_elements(pair[1]) if policy == "strict-void" else frozenset()
    true, pred = (
        {number: segment - void for number, segment in as_sets(side).items() if segment - void} for side in pair
    )
    return true, pred, pair[0].n_elements - len(void)


def partners(true: dict[int, Element], pred: dict[int, Element]) -> list[tuple[Element, Element]]:
    """Every true segment with its partner, the empty set where nothing touches it."""
    result = []
    for t in true.values():
        rivals = [(len(t & h), Fraction(len(t & h), len(t | h)), -number) for number, h in pred.items() if t & h]
        result.append((t, pred[-max(rivals)[2]] if rivals else frozenset()))
    return result


def ties(true: dict[int, Element], pred: dict[int, Element]) -> int:
    """How many true segments have two preds that share most."""
    count = 0
    for t in true.values():
        shared = sorted((len(t & h) for h in pred.values() if t & h), reverse=True)
        count += len(shared) > 1 and shared[0] == shared[1]
    return count
