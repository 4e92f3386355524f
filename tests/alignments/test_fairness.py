"""Fairness by its definition: all improvements enumerated on small domains, in the corrected and in the printed
reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest

import segmetry as sm
from segmetry.alignments.alignment import Alignment
from segmetry.metrics.panoptic.alignment_facts import fairness
from tests.alignments.test_theorems import partial_partitions

Segment = frozenset[int]
Family = tuple[Segment, ...]
Matching = dict[Segment, Segment]  # pred -> true


def families(n: int) -> list[Family]:
    return [tuple(sets.segments.values()) for sets in partial_partitions(n)]  # type: ignore[arg-type]


def improvements_of_truth(matching: Matching, universe: list[Family]) -> Iterator[tuple[Family, Matching]]:
    """All (T', b') with dom(b') = dom(b) and h ∩ b'(h) ⊇ h ∩ b(h)."""
    preds = list(matching)
    for family in universe:
        for images in permutations(family, len(preds)):
            better = dict(zip(preds, images, strict=True))
            if all(h & better[h] >= h & matching[h] for h in preds):
                yield family, better


def overlooks(matching: Matching, family: Family) -> bool:
    """Whether an unmatched true segment overlaps a matched pred at least as much as its partner does."""
    free = set(family) - set(matching.values())
    return any(len(h & t) >= len(h & matching[h]) for h in matching for t in free)


def fair_in_corrected_reading(pred: Family, true: Family, matching: Matching, universe: list[Family]) -> bool:
    backwards = {t: h for h, t in matching.items()}
    return not any(overlooks(b, family) for family, b in improvements_of_truth(matching, universe)) and not any(
        overlooks(b, family) for family, b in improvements_of_truth(backwards, universe)
    )


def matchings(pred: Family, true: Family) -> Iterator[Matching]:
    """All one-to-one alignments whose pairs overlap."""
    edges = [(h, t) for h in pred for t in true if h & t]
    for size in range(len(edges) + 1):
        for chosen in combinations(edges, size):
            if len({h for h, _ in chosen}) == len({t for _, t in chosen}) == size:
                yield dict(chosen)


def alignment_of(pred: Family, true: Family, matching: Matching) -> Alignment:
    table = sm.overlap(sm.Sets(true), sm.Sets(pred))
    keep = sm.align(table, "iou(above=0)", resolve="keep")
    wanted = [matching.get(pred[p.pred_id - 1]) == true[p.true_id - 1] for p in keep.pairs()]
    chosen = np.flatnonzero(np.array(wanted, dtype=bool))
    return replace(
        keep,
        rows=keep.rows[chosen],
        shared=keep.shared[chosen],
        missed=keep.missed[chosen],
        spurious=keep.spurious[chosen],
    )


def test_corrected_theorem_five_for_all_alignments_of_three_elements() -> None:
    universe = families(3)
    seen = {True: 0, False: 0}
    for pred, true in product(universe, universe):
        for matching in matchings(pred, true):
            result = fairness(alignment_of(pred, true, matching))
            expected = fair_in_corrected_reading(pred, true, matching, universe)
            assert result.fair is expected, (pred, true, matching)
            assert result.fair is all(len(h & t) > len(h - t) and len(h & t) > len(t - h) for h, t in matching.items())
            seen[expected] += 1
    assert min(seen.values()) > 50


def test_corrected_theorem_five_on_a_sample_of_four_elements() -> None:
    universe = families(4)
    rng = np.random.default_rng(4)
    for _ in range(60):
        pred, true = (universe[k] for k in rng.integers(0, len(universe), 2))
        for matching in matchings(pred, true):
            expected = fair_in_corrected_reading(pred, true, matching, universe)
            assert fairness(alignment_of(pred, true, matching)).fair is expected


@pytest.mark.slow
def test_the_witness_is_an_improvement_with_a_mismatch() -> None:
    """Cut out as described, the competitor overlaps the pred at least as much as its partner does, and changes no
    other pair.
    """
    seen = 0
    for pred, true in product(families(4), repeat=2):
        for matching in matchings(pred, true):
            result = fairness(alignment_of(pred, true, matching))
            if result.fair or result.witness is None:
                continue
            seen += 1
            witness = result.witness
            improved = {(t, h): s for t, h, s in witness.improved.rows()}
            rival = (
                improved[witness.competitor_id, witness.pair.pred_id]
                if witness.side == "true"
                else improved[witness.pair.true_id, witness.competitor_id]
            )
            assert rival == witness.competitor_size >= witness.pair.shared
            for h, t in matching.items():
                ids = true.index(t) + 1, pred.index(h) + 1
                assert improved[ids] == len(h & t)
    assert seen > 1000


def test_the_improved_table_is_the_table_of_the_improved_segmentation() -> None:
    true, pred = [{1, 2, 3, 4, 5}, {6, 7}, {8}], [{1, 2, 3}, {4, 5, 6}]
    table = sm.overlap(sm.Sets(true), sm.Sets(pred))
    (witness,) = [fairness(sm.align(table, "maximum_weight", resolve="keep")).witness]
    assert witness is not None and (witness.pair.true_id, witness.pair.pred_id, witness.side) == (2, 2, "true")
    rebuilt = sm.overlap(sm.Sets({1: {1, 2, 3}, 2: {6, 7}, 3: {8}, 4: {4, 5}}), sm.Sets(pred))
    assert witness.improved == rebuilt


@pytest.mark.parametrize("largest", [2**63 - 1, 2**64 - 1])
def test_the_largest_id_leaves_room_for_a_competitor(largest: int) -> None:
    true = np.array([1, 1, 1, 1, 1, 2], dtype=np.uint64)
    pred = np.array([1, 1, 1, largest, largest, largest], dtype=np.uint64)
    witness = fairness(sm.align(sm.overlap(true, pred), "maximum_weight")).witness
    assert witness is not None
    assert (witness.side, witness.competitor_id, witness.competitor_size) == ("true", 3, 2)
    swapped = fairness(sm.align(sm.overlap(pred, true), "maximum_weight")).witness
    assert swapped is not None
    assert (swapped.side, swapped.competitor_id, swapped.competitor_size) == ("pred", 3, 2)
    true[5] = largest
    full = fairness(sm.align(sm.overlap(true, pred), "maximum_weight")).witness
    assert full is not None
    assert (full.side, full.competitor_id) == ("true", 2)
    rebuilt = sm.overlap(np.array([1, 1, 1, 2, 2, largest], dtype=np.uint64), pred)
    assert full.improved == rebuilt


def test_printed_theorem_fails_downwards() -> None:
    """H = T = {1}|{2}, only ({1},{1}) aligned: θ& holds, yet T' = {{1,2}} is an improvement that overlooks {2} of H."""
    first, second = frozenset({0}), frozenset({1})
    improved: Family = (first | second,)
    matching = {first: first}
    assert (improved, {first: first | second}) in list(improvements_of_truth(matching, families(2)))
    backwards = {first | second: first}
    assert any(
        len(t & h) >= len(t & backwards[t]) for t in backwards for h in (first, second) if h not in backwards.values()
    )
    assert fairness(alignment_of((first, second), (first, second), matching)).fair


def test_printed_theorem_fails_upwards() -> None:
    """Permuted singletons: nothing overlaps, so no improvement has a mismatch, yet θ& does not hold."""
    first, second = frozenset({0}), frozenset({1})
    matching = {first: second, second: first}
    assert fair_in_corrected_reading((first, second), (first, second), matching, families(2))
    assert not any(len(h & t) > len(h - t) for h, t in matching.items())


def test_an_alignment_that_is_not_one_to_one_is_not_fair() -> None:
    table = sm.overlap(sm.Sets([{1, 2}]), sm.Sets([{1}, {2}]))
    result = fairness(sm.align(table, "iou(above=0.1)"))
    assert not result and result.witness is None
    assert "true [1]" in result.reason


@pytest.mark.parametrize("side", ["true", "pred"])
def test_example_of_the_paper(side: str) -> None:
    true, pred = [{1, 2, 3}, {4, 5, 6}], [{1, 2, 3, 4, 5}, {6}]
    if side == "true":
        true, pred = pred, true
    witness = fairness(sm.align(sm.overlap(sm.Sets(true), sm.Sets(pred)), "maximum_weight")).witness
    assert witness is not None
    assert (witness.side, witness.competitor_size, witness.pair.shared) == (side, 2, 1)
