"""The choice of the largest total weight against scipy's dense assignment, also where components are solved apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from segmetry.alignments.candidates import Candidates
from segmetry.alignments.heaviest_pairs import best_assignment
from segmetry.alignments.weights import weigh
from tests.profiles import examples

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))
)


def candidates(pairs: dict[tuple[int, int], tuple[int, int, int]]) -> Candidates:
    columns = np.array([(*ids, *counts) for ids, counts in sorted(pairs.items())], dtype=np.int64).reshape(-1, 5)
    return Candidates(*columns.T.copy())


@examples(3)
@given(PAIRS, st.sampled_from(["iou", "dice", "coverage_true", "half_link_force"]), st.sampled_from([1, 3, 2048]))
def test_the_total_is_that_of_the_dense_problem(
    pairs: dict[tuple[int, int], tuple[int, int, int]], weight: str, at_once: int
) -> None:
    given_pairs = candidates(pairs)
    weights = weigh(weight, given_pairs.shared, given_pairs.missed, given_pairs.spurious)
    chosen = best_assignment(given_pairs, weight, at_once=at_once)
    for side in (given_pairs.at_true[chosen], given_pairs.at_pred[chosen]):
        assert np.unique(side).size == side.size
    assert chosen.tolist() == sorted(chosen.tolist())
    dense = np.zeros((7, 7))
    dense[given_pairs.at_true, given_pairs.at_pred] = weights
    best = dense[linear_sum_assignment(dense, maximize=True)].sum()
    assert weights[chosen].sum() == pytest.approx(best, rel=1e-12)


def test_a_chain_in_which_one_pair_follows_from_the_other() -> None:
    """Each pair weighs a fraction of the one before: only the first can be fixed at once, every second is chosen."""
    pairs = {}
    for at in range(200):
        pairs[at, at] = (1, 2 * at, 0)
        pairs[at, at + 1] = (1, 2 * at + 1, 0)
    chosen = best_assignment(candidates(pairs), "iou", at_once=1)
    assert chosen.tolist() == list(range(0, 400, 2))
