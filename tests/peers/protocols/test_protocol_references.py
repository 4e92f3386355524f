"""Each protocol against its reference on random data sets, degenerate ones included.

The panoptic reference is transcribed from its definition: it is not on PyPI.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from nltk.metrics import segmentation as nltk_segmentation
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import f1_score

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.peers.linear_data import gap_string, masses, random_pairs
from tests.peers.protocols.table_values import DATA_SETS, same, shown

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    import segeval

pytestmark = pytest.mark.peers

THINGS, STUFF = (1, 2, 3), (11, 12)
Image = tuple[NDArray[Any], dict[int, int], list[int]]
"""Ids of the pixels (0 is void), the class of every segment, and the crowd segments in the order of their list."""


# --- coco-panoptic


def image(rng: np.random.Generator, truth: NDArray[Any] | None = None) -> Image:
    """Blocks of segments with gaps of void; a prediction is like the truth in places."""
    shape = tuple(rng.integers(1, 9, 2)) if truth is None else truth.shape
    ids = np.kron(rng.integers(0, rng.integers(1, 7), (4, 4)), np.ones((2, 2), dtype=int))[: shape[0], : shape[1]]
    if truth is not None and rng.random() < 0.8:
        ids = np.where(rng.random(shape) < rng.choice([0.2, 0.5, 0.9, 1]), truth, ids)
    segments = [number for number in np.unique(ids).tolist() if number]
    classes = {number: int(rng.choice((*THINGS, *STUFF))) for number in rng.permutation(segments).tolist()}
    crowd = [number for number in classes if truth is None and rng.random() < 0.25]
    return ids, classes, crowd


def degenerate_images() -> Iterator[tuple[Image, Image]]:
    """Empty sides, only void, one pixel, everything ignored, several crowds of a class."""
    blank, one = np.zeros((2, 3), dtype=int), np.ones((1, 1), dtype=int)
    half, whole = np.array([[1, 1, 2], [1, 1, 2]]), np.ones((2, 3), dtype=int)
    yield (half, {1: 1, 2: 11}, []), (blank, {}, [])
    yield (blank, {}, []), (half, {1: 1, 2: 11}, [])
    yield (blank, {}, []), (blank, {}, [])
    yield (one, {1: 2}, []), (one, {1: 2}, [])
    yield (one, {1: 2}, []), (one, {1: 3}, [])
    yield (half, {1: 1, 2: 1}, [1, 2]), (whole, {1: 1}, [])
    yield (half, {2: 1, 1: 1}, [2, 1]), (whole, {1: 1}, [])
    yield (np.array([[0, 0, 1, 2]]), {1: 1, 2: 1}, [1, 2]), (np.array([[1, 1, 1, 1]]), {1: 1}, [])


def reference_counts(true: Image, pred: Image, counts: dict[int, list[float]]) -> None:
    """TP, FP, FN and the sum of IoUs by class, as the reference defines them, over sets of pixels."""
    (true_ids, true_classes, crowd), (pred_ids, pred_classes, _) = true, pred

    def pixels(ids: NDArray[Any], number: int) -> set[tuple[int, ...]]:
        return set(map(tuple, np.argwhere(ids == number).tolist()))

    void = pixels(true_ids, 0)
    truths = {number: pixels(true_ids, number) for number in true_classes}
    preds = {number: pixels(pred_ids, number) for number in pred_classes}
    found_true, found_pred = set(), set()
    for t, t_pixels in truths.items():
        for p, p_pixels in preds.items():
            if t in crowd or true_classes[t] != pred_classes[p]:
                continue
            iou = Fraction(len(t_pixels & p_pixels), len(t_pixels | (p_pixels - void)))
            if iou > Fraction(1, 2):
                found_true.add(t)
                found_pred.add(p)
                counts[true_classes[t]][0] += 1
                counts[true_classes[t]][3] += float(iou)
    for t, name in true_classes.items():
        counts[name][2] += t not in found_true and t not in crowd
    last_crowd = {true_classes[number]: number for number in true_classes if number in crowd}
    for p, name in pred_classes.items():
        excused = preds[p] & void
        if name in last_crowd:
            excused = excused | (preds[p] & truths[last_crowd[name]])
        counts[name][1] += p not in found_pred and not 2 * len(excused) > len(preds[p])


def reference_averages(counts: dict[int, list[float]], classes: tuple[int, ...]) -> dict[str, float]:
    occurring = [counts[name] for name in classes if name in counts and sum(counts[name][:3])]
    if not occurring:
        return {"PQ": math.nan, "SQ": math.nan, "RQ": math.nan, "N": 0}
    rows = [
        (iou / (tp + fp / 2 + fn / 2), iou / tp if tp else 0.0, tp / (tp + fp / 2 + fn / 2))
        for tp, fp, fn, iou in occurring
    ]
    n = len(rows)
    return {key: sum(row[at] for row in rows) / n for at, key in enumerate(("PQ", "SQ", "RQ"))} | {"N": n}


def check_panoptic(images: list[tuple[Image, Image]]) -> None:
    counts: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0, 0.0])
    for true, pred in images:
        reference_counts(true, pred, counts)
    sides = (
        {
            f"{at}": sm.LabelArray(ids, outside=None, void=0, classes=classes, crowd=crowd)
            for at, ((ids, classes, crowd), _) in enumerate(images)
        },
        {f"{at}": sm.LabelArray(ids, classes=classes) for at, (_, (ids, classes, _)) in enumerate(images)},
    )
    run = sm.evaluate(*sides, protocol="coco-panoptic", groups={"things": THINGS, "stuff": STUFF}, engine="serial")
    assert run.modified == ()
    rows = shown(run)
    for row, classes in (("All", (*THINGS, *STUFF)), ("Things", THINGS), ("Stuff", STUFF)):
        for heading, expected in reference_averages(counts, classes).items():
            assert same(rows[row][heading], expected), (row, heading, rows, counts)


@pytest.mark.filterwarnings("ignore")
def test_coco_panoptic_equals_the_reference() -> None:
    rng = np.random.default_rng(31)
    for _ in range(DATA_SETS):
        truths = [image(rng) for _ in range(rng.integers(1, 5))]
        check_panoptic([(truth, image(rng, truth[0])) for truth in truths])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at", range(len(list(degenerate_images()))))
def test_coco_panoptic_equals_the_reference_on_degenerate_images(at: int) -> None:
    check_panoptic([list(degenerate_images())[at]])


# --- text and page-streams


def line_data_sets(seed: int) -> Iterator[list[tuple[Spans, Spans]]]:
    """Data sets of one to five lines, then single lines of one, two and four elements, then all of those together."""
    rng = np.random.default_rng(seed)
    lines = random_pairs(seed, 5 * DATA_SETS, longest=25)
    for _ in range(DATA_SETS):
        yield [next(lines) for _ in range(rng.integers(1, 6))]
    small = [Spans.from_masses(lengths) for lengths in ([1], [2], [1, 1], [4], [1, 1, 1, 1], [2, 2])]
    pairs = [(true, pred) for true in small for pred in small if true.n == pred.n]
    yield from ([pair] for pair in pairs)
    yield pairs


def evaluated(pairs: list[tuple[Spans, Spans]], protocol: str) -> dict[str, float | None]:
    true, pred = ({f"{at}": pair[side] for at, pair in enumerate(pairs)} for side in (0, 1))
    run = sm.evaluate(true, pred, protocol=protocol, engine="serial")
    (row,) = shown(run).values()
    return row


def mean(values: list[float | None]) -> float:
    used = [value for value in values if value is not None]
    return math.fsum(used) / len(used) if used else math.nan


def segeval_row(true: Spans, pred: Spans) -> dict[str, float | None]:
    """The values of segeval; None where it has none, S 1 where neither side has a boundary (a named exception)."""
    size = segeval.compute_window_size(masses(true), boundary_format=segeval.BoundaryFormat.mass)
    bounded = true.boundaries.size + pred.boundaries.size > 0
    sides = masses(pred), masses(true)
    return {
        "Pk": float(segeval.pk(*sides)) if size < true.n else None,
        "WD": float(segeval.window_diff(*sides)) if size < true.n else None,
        "B": float(segeval.boundary_similarity(*sides)) if bounded else None,
        "S": float(segeval.segmentation_similarity(*sides)) if bounded else 1.0 if true.n > 1 else None,
    }


def test_text_equals_segeval() -> None:
    for pairs in line_data_sets(41):
        rows = [segeval_row(*pair) for pair in pairs]
        values = evaluated(pairs, "text")
        for heading in ("Pk", "WD", "B", "S"):
            expected = mean([row[heading] for row in rows])
            assert same(values[heading], expected), (heading, values, expected, pairs)


def stream_row(true: Spans, pred: Spans) -> dict[str, float | None]:
    """WindowDiff of nltk, F1 of scikit-learn, PQ and perfection over sets of pages."""
    n = true.n
    documents = [
        [frozenset(range(start, stop)) for start, stop in zip(side.starts.tolist(), side.stops.tolist(), strict=True)]
        for side in (true, pred)
    ]
    ious = [Fraction(len(t & h), len(t | h)) for t in documents[0] for h in documents[1] if 2 * len(t & h) > len(t | h)]
    both = len(documents[0]) + len(documents[1])
    k = max(1, min(round(Fraction(n, 2 * len(documents[0]))), n - 1))
    bits = [np.array(list(map(int, gap_string(side))), dtype=int) for side in (true, pred)] if n > 1 else []
    return {
        "PQ": float(2 * sum(ious, Fraction(0)) / both),
        "SQ": float(sum(ious, Fraction(0)) / len(ious)) if ious else None,
        "RQ": 2 * len(ious) / both,
        "WD": nltk_segmentation.windowdiff(gap_string(true), gap_string(pred), k) if n > 1 else None,
        "boundary F1": float(f1_score(*bits)) if bits and any(side.any() for side in bits) else None,
        "perfect": float(documents[0] == documents[1]),
        "MNDD": float(n - _largest_stay(documents)),
    }


def _largest_stay(documents: list[list[frozenset[int]]]) -> int:
    """The pages that no drag moves: the best one-to-one assignment of documents, by scipy."""
    shared = np.array([[len(t & h) for h in documents[1]] for t in documents[0]])
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


def test_page_streams_equal_nltk_scikit_learn_and_the_definition_of_pq() -> None:
    for pairs in line_data_sets(42):
        rows = [stream_row(*pair) for pair in pairs]
        values = evaluated(pairs, "page-streams")
        for heading in rows[0]:
            expected = mean([row[heading] for row in rows])
            assert same(values[heading], expected), (heading, values, expected, pairs)
