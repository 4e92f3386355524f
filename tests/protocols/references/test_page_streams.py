"""The protocol page-streams against its definitions over sets of pages, windows of gaps and an assignment by scipy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.peers.linear_data import gap_string, random_pairs
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = pytest.mark.generated


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


def window_size(true: Spans) -> int:
    """Half the mean length of the true documents, at most all gaps but one."""
    return max(1, min(round(Fraction(true.n, 2 * true.starts.size)), true.n - 1))


def window_diff(true: str, pred: str, k: int) -> float:
    """The share of windows of k gaps in which the numbers of boundaries differ."""
    windows = [slice(at, at + k) for at in range(len(true) - k + 1)]
    return sum(true[window].count("1") != pred[window].count("1") for window in windows) / len(windows)


def boundary_f1(true: str, pred: str) -> float:
    both = sum(one == other == "1" for one, other in zip(true, pred, strict=True))
    return 2 * both / (true.count("1") + pred.count("1"))


def stream_row(true: Spans, pred: Spans) -> dict[str, float | None]:
    n = true.n
    documents = [
        [frozenset(range(start, stop)) for start, stop in zip(side.starts.tolist(), side.stops.tolist(), strict=True)]
        for side in (true, pred)
    ]
    ious = [Fraction(len(t & h), len(t | h)) for t in documents[0] for h in documents[1] if 2 * len(t & h) > len(t | h)]
    both = len(documents[0]) + len(documents[1])
    gaps = [gap_string(side) for side in (true, pred)] if n > 1 else ["", ""]
    return {
        "PQ": float(2 * sum(ious, Fraction(0)) / both),
        "SQ": float(sum(ious, Fraction(0)) / len(ious)) if ious else None,
        "RQ": 2 * len(ious) / both,
        "WD": window_diff(*gaps, window_size(true)) if n > 1 else None,
        "boundary F1": boundary_f1(*gaps) if "1" in "".join(gaps) else None,
        "perfect": float(documents[0] == documents[1]),
        "MNDD": float(n - _largest_stay(documents)),
    }


def _largest_stay(documents: list[list[frozenset[int]]]) -> int:
    """The pages that no drag moves: the best one-to-one assignment of documents, by scipy."""
    shared = np.array([[len(t & h) for h in documents[1]] for t in documents[0]])
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


def test_page_streams_equal_their_definitions() -> None:
    for pairs in line_data_sets(42):
        rows = [stream_row(*pair) for pair in pairs]
        values = evaluated(pairs, "page-streams")
        for heading in rows[0]:
            expected = mean([row[heading] for row in rows])
            assert same(values[heading], expected), (heading, values, expected, pairs)
