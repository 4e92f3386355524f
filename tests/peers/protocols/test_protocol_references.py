"""The protocols of text and page streams against their references on random data sets, degenerate ones included."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from nltk.metrics import segmentation as nltk_segmentation
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import f1_score

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.peers.linear_data import gap_string, masses, random_pairs
from tests.protocols.references.table_values import DATA_SETS, same, shown

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    import segeval

pytestmark = pytest.mark.peers


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
