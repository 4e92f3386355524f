"""nltk, mir_eval and scikit-learn on random pairs of linear segmentations; each known difference with its example."""

from __future__ import annotations

import math

import mir_eval
import numpy as np
import pytest
from nltk.metrics import segmentation as nltk_segmentation
from sklearn.metrics import hamming_loss, precision_recall_fscore_support

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.metrics.linear_pairs import pair
from tests.peers.linear_data import gap_string, random_pairs

pytestmark = pytest.mark.peers


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-15)


def test_nltk_pk_and_window_diff_of_gap_strings() -> None:
    rng = np.random.default_rng(21)
    for true, pred in random_pairs(20):
        k, strings = int(rng.integers(1, true.n)), (gap_string(true), gap_string(pred))
        assert close(sm.pk(true, pred, k=k).value, nltk_segmentation.pk(*strings, k=k))
        assert close(sm.window_diff(true, pred, k=k).value, nltk_segmentation.windowdiff(*strings, k))
        weighted = sm.window_diff(true, pred, k=k, weighted=True)
        assert close(weighted.value, nltk_segmentation.windowdiff(*strings, k, weighted=True))


def test_nltk_pk_with_its_default_window_size() -> None:
    for true, pred in random_pairs(22):
        assert close(sm.pk(true, pred, k="nltk").value, nltk_segmentation.pk(gap_string(true), gap_string(pred)))


@pytest.mark.parametrize(("insert", "delete", "shift"), [(2, 2, 1), (1, 1, 0.5), (1, 2, 0.5), (5, 3, 2)])
def test_nltk_generalized_hamming(insert: float, delete: float, shift: float) -> None:
    for true, pred in random_pairs(23):
        theirs = nltk_segmentation.ghd(gap_string(true), gap_string(pred), insert, delete, shift)
        assert close(sm.generalized_hamming(true, pred, insert=insert, delete=delete, shift=shift).value, theirs)


def test_known_difference_nltk_counts_boundaries_where_segments_are_meant() -> None:
    """One boundary in 12 elements: half the mean segment is 3; nltk takes 6, and then no boundary at all scores 1."""
    true, pred = Spans.from_masses([6, 6]), Spans.from_masses([12])
    assert sm.window_size(true) == 3
    assert sm.window_size(true, "nltk") == 6
    assert nltk_segmentation.pk(gap_string(true), gap_string(pred)) == 1
    assert close(sm.pk(true, pred).value, 1 / 3)


def test_known_difference_nltk_may_take_windows_of_no_gap_and_then_all_is_perfect() -> None:
    true, pred = Spans.from_masses([1] * 10), Spans.from_masses([10])
    assert sm.window_size(true, "nltk") == 0
    assert nltk_segmentation.pk(gap_string(true), gap_string(pred)) == 0
    assert sm.pk(true, pred, k="nltk").value == 0
    assert sm.pk(true, pred).value == 1


def test_known_difference_nltk_has_one_window_too_many_for_strings_of_elements() -> None:
    """With one character for each element, the last of a segment marked, the final mark is shared by everyone."""
    assert close(nltk_segmentation.pk("0000100100001", "0001000100001", k=2), 2 / 12)
    assert close(sm.pk(Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5]), k=2).value, 2 / 11)


@pytest.mark.parametrize(
    ("name", "k", "pk", "window_diff"),
    [
        ("A", 2, 0.166667, 0.166667),
        ("B", 2, 0.25, 0.25),
        ("C", 2, 0.25, 0.3),
        ("SB", 3, 0.3, 0.3),
        ("SC", 3, 0.2, 0.2),
        ("SD", 3, 0.1, 0.1),
        ("SE", 3, 0.2, 0.5),
        ("M", 2, 0.5, 0.5),
        ("X0", 5, 0, 0),
        ("X1", 5, 0.833333, 1),
        ("X2", 1, 0.9, 0.9),
        ("X2", 2, 0.888889, 1),
        ("X3", 1, 0, 0),
        ("U2b", 1, 0.5, 0.5),
    ],
)
def test_known_difference_nltk_on_strings_with_the_last_element_of_a_segment_marked(
    name: str, k: int, pk: float, window_diff: float
) -> None:
    """The extra window holds the mark that everyone shares, so it dilutes the score, or hides a miss."""
    strings = [gap_string(found) + "1" for found in pair(name)]
    assert nltk_segmentation.pk(*strings, k=k) == pytest.approx(pk, abs=1e-6)
    assert nltk_segmentation.windowdiff(*strings, k) == pytest.approx(window_diff, abs=1e-6)


def intervals(found: Spans) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.stack((found.starts, found.stops), axis=1).astype(float)


@pytest.mark.filterwarnings("ignore:.*intervals are empty:UserWarning")
@pytest.mark.parametrize("tolerance", [0, 1, 3])
def test_mir_eval_boundary_detection(tolerance: int) -> None:
    for true, pred in random_pairs(24):
        theirs = mir_eval.segment.detection(intervals(true), intervals(pred), window=tolerance, trim=True)
        keys = (sm.boundary_precision, sm.boundary_recall, sm.boundary_f1)
        # Known difference: mir_eval writes 0 for what is undefined without boundaries.
        ours = [key(true, pred, tolerance=tolerance).or_else(0).value for key in keys]
        assert all(close(a, float(b)) for a, b in zip(ours, theirs, strict=True)), (true.masses, pred.masses)


@pytest.mark.filterwarnings("ignore:.*intervals are empty:UserWarning")
def test_known_difference_mir_eval_counts_the_ends_of_the_line_as_boundaries_by_default() -> None:
    blank = Spans.from_masses([10])
    assert mir_eval.segment.detection(intervals(blank), intervals(blank)) == (1, 1, 1)
    assert mir_eval.segment.detection(intervals(blank), intervals(blank), trim=True) == (0, 0, 0)
    assert not sm.boundary_f1(blank, blank).is_defined


def test_scikit_learn_on_the_bits_of_the_gaps() -> None:
    for true, pred in random_pairs(25):
        bits = [np.array(list(gap_string(found)), dtype=int) for found in (true, pred)]
        precision, recall, f1, _ = precision_recall_fscore_support(*bits, average="binary", zero_division=np.nan)
        for stem in ("boundary", "winpr"):
            options = {"k": 1} if stem == "winpr" else {}
            for part, theirs in (("precision", precision), ("recall", recall), ("f1", f1)):
                ours = sm.list_metrics()[f"{stem}_{part}"](true, pred, **options)
                # Known difference: scikit-learn's F1 is undefined where a part of it is; ours comes from the counts.
                if math.isnan(theirs):
                    assert not ours.is_defined or part == "f1"
                else:
                    assert close(ours.value, theirs)
        assert close(sm.pk(true, pred, k=1).value, hamming_loss(*bits))
