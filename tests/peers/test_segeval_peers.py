"""segeval 2.0.11 on random pairs, and every known difference with its smallest example."""

from __future__ import annotations

import decimal
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import segmetry as sm
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.spans import Spans
from tests.metrics.linear_pairs import pair
from tests.peers.linear_data import PAIRS, masses, random_pairs

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    import segeval

pytestmark = pytest.mark.peers


def close(found: float, expected: object) -> bool:
    return math.isclose(found, float(expected), rel_tol=1e-12, abs_tol=1e-15)  # type: ignore[arg-type]


def test_pk_and_window_diff_with_its_own_window_size_and_with_others() -> None:
    compared = 0
    rng = np.random.default_rng(11)
    for true, pred in random_pairs(1, 2 * PAIRS, shortest=3):
        k = int(rng.integers(1, true.n))
        size = segeval.compute_window_size(masses(true), boundary_format=segeval.BoundaryFormat.mass)
        assert sm.window_size(true, "segeval") == size
        for ours, theirs in ((k, k), ("segeval", None)):
            if theirs is None and size >= true.n:
                continue
            compared += 1
            options = {"window_size": theirs}
            assert close(sm.pk(true, pred, k=ours).value, segeval.pk(masses(pred), masses(true), **options))
            assert close(
                sm.window_diff(true, pred, k=ours).value, segeval.window_diff(masses(pred), masses(true), **options)
            )
    assert compared >= PAIRS


def test_padded_window_diff_has_the_same_numerator_over_n_plus_k_plus_1() -> None:
    """Known difference: segeval pads with k elements and adds 1 to its n + k windows, so its maximum stays below 1."""
    for true, pred in random_pairs(2):
        k = sm.window_size(true)
        ours = sm.window_diff(true, pred, k=k, padded=True)
        differing, divisor = segeval.window_diff(
            masses(pred), masses(true), window_size=k, lamprier_et_al_2007_fix=True, return_parts=True
        )
        assert (differing, divisor) == (ours.numerator, true.n + k + 1)
        assert ours.denominator == true.n + k - 2


def with_a_boundary(seed: int) -> list[tuple[Spans, Spans]]:
    """Pairs with a boundary on one side at least: without any, segeval raises an error."""
    drawn = random_pairs(seed, 2 * PAIRS, longest=30)
    found = [(true, pred) for true, pred in drawn if true.boundaries.size + pred.boundaries.size]
    return found[:PAIRS]


@pytest.mark.parametrize("n_t", [2, 3, 4])
def test_b_and_s_with_greedy_transpositions(n_t: int) -> None:
    for true, pred in with_a_boundary(3 + n_t):
        edits = sm.boundary_edits(true, pred, n_t=n_t, match="greedy")
        statistics = segeval.boundary_statistics(masses(true), masses(pred), n_t=n_t)
        assert len(statistics["matches"]) == edits.matched
        assert len(statistics["additions"]) == edits.additions
        assert sorted(end - start for start, end, _ in statistics["transpositions"]) == edits.spans.tolist()
        b = sm.boundary_similarity(true, pred, n_t=n_t, match="greedy")
        s = sm.segmentation_similarity(true, pred, n_t=n_t, match="greedy")
        assert close(b.value, segeval.boundary_similarity(masses(true), masses(pred), n_t=n_t))
        assert close(s.value, segeval.segmentation_similarity(masses(true), masses(pred), n_t=n_t))


def test_b_and_s_by_default() -> None:
    for true, pred in with_a_boundary(7):
        assert close(sm.boundary_similarity(true, pred).value, segeval.boundary_similarity(masses(true), masses(pred)))
        theirs = segeval.segmentation_similarity(masses(true), masses(pred))
        assert close(sm.segmentation_similarity(true, pred).value, theirs)


def test_agreement_of_random_coders() -> None:
    rng = np.random.default_rng(8)
    for _ in range(PAIRS):
        items: dict[str, dict[str, Spans]] = {}
        coders, lengths = rng.integers(2, 5), rng.integers(3, 16, rng.integers(1, 4))
        for item, n in enumerate(lengths.tolist()):
            cuts = [np.flatnonzero(rng.random(n - 1) < 0.4) + 1 for _ in range(coders)]
            # Where two coders set no boundary segeval raises an error (a known difference below), so all set one here.
            items[str(item)] = {
                f"coder {at}": Spans.from_boundaries(found if found.size else [1], n) for at, found in enumerate(cuts)
            }
        ours = sm.agreement(items)
        theirs = {item: {coder: masses(found) for coder, found in coded.items()} for item, coded in items.items()}
        if not ours.pi.is_defined:
            continue
        assert close(ours.observed.value, segeval.actual_agreement_linear(theirs))
        assert close(ours.pi.value, segeval.fleiss_pi_linear(theirs))
        assert close(ours.kappa.value, segeval.fleiss_kappa_linear(theirs))
        assert abs(ours.bias.value - float(segeval.artstein_poesio_bias_linear(theirs))) < 1e-12


def test_known_difference_its_smallest_window_is_2_so_two_elements_always_score_0() -> None:
    true, pred = Spans.from_masses([1, 1]), Spans.from_masses([2])
    assert segeval.pk(masses(pred), masses(true)) == 0
    with pytest.raises(decimal.InvalidOperation):
        segeval.window_diff(masses(pred), masses(true))
    assert sm.pk(true, pred).value == sm.window_diff(true, pred).value == 1
    assert not sm.pk(true, pred, k="segeval").is_defined


def test_known_difference_pk_of_a_single_element_is_0() -> None:
    assert segeval.pk((1,), (1,), window_size=1) == 0
    assert not sm.pk(Spans.from_masses([1]), Spans.from_masses([1]), k=1).is_defined


def test_known_difference_greedy_transpositions() -> None:
    true, pred = Spans.from_masses([4, 1, 1]), Spans.from_masses([1, 2, 3])
    assert segeval.boundary_similarity(masses(true), masses(pred), n_t=4) == decimal.Decimal("0.25")
    assert sm.boundary_similarity(true, pred, n_t=4).value == 3 / 8


def test_known_difference_no_boundary_is_an_error() -> None:
    blank = Spans.from_masses([10])
    with pytest.raises(ValueError, match="empty"):
        segeval.boundary_similarity(masses(blank), masses(blank))
    with pytest.raises(ValueError, match="empty"):
        segeval.segmentation_similarity(masses(blank), masses(blank))
    assert not sm.boundary_similarity(blank, blank).is_defined
    assert sm.segmentation_similarity(blank, blank).value == 1


def test_known_difference_windows_of_256_gaps_fail_because_numbers_are_compared_by_identity() -> None:
    line = Spans.from_masses([300, 300])
    with pytest.raises(AssertionError):
        segeval.window_diff(masses(line), masses(line), window_size=256)
    assert sm.window_diff(line, line, k=256).value == 0


@pytest.mark.parametrize(
    ("name", "k", "padded"),
    [
        ("A", 2, "0.125"),
        ("B", 2, "0.1875"),
        ("C", 2, "0.25"),
        ("SB", 3, "0.1875"),
        ("SC", 3, "0.125"),
        ("SD", 3, "0.1875"),
        ("SE", 3, "0.3125"),
        ("X0", 5, "0"),
        ("X1", 5, "0.8125"),
        ("X2", 2, "0.769231"),
        ("U2b", 1, "0.25"),
        ("U2b", 2, "0.4"),
        ("U1", 1, "0"),
    ],
)
def test_known_difference_its_padding_never_reaches_1(name: str, k: int, padded: str) -> None:
    true, pred = pair(name)
    theirs = segeval.window_diff(masses(pred), masses(true), window_size=k, lamprier_et_al_2007_fix=True)
    assert float(theirs) == pytest.approx(float(padded), abs=1e-6)


def test_known_difference_coders_without_boundaries_are_an_error_in_agreement() -> None:
    items = Annotations.from_masses({"a": {"x": [4], "y": [4]}, "b": {"x": [1, 3], "y": [1, 3]}})
    theirs = {item: {coder: masses(found) for coder, found in coded.items()} for item, coded in items.items.items()}
    with pytest.raises(ValueError, match="empty"):
        segeval.fleiss_kappa_linear(theirs)
    kappa = sm.agreement_kappa(items)
    rate = Fraction(1, 6)
    assert kappa.value == float((1 - rate**2) / (1 - rate**2)) == 1
