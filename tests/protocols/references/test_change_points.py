"""change-points against TCPDBench, transcribed from its definitions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import segmetry as sm
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.protocols.references.table_values import DATA_SETS, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Series = tuple[int, list[list[int]], list[int]]
"""The number of observations, the change points of each annotator, and the predicted ones."""


def points(rng: np.random.Generator, n: int) -> list[int]:
    return sorted({*rng.integers(1, n, rng.integers(0, 6)).tolist()})


def random_series(rng: np.random.Generator) -> Series:
    n = int(rng.integers(8, 60))
    return n, [points(rng, n) for _ in range(rng.integers(1, 6))], points(rng, n)


def degenerate() -> Iterator[Series]:
    yield 10, [[]], []
    yield 10, [[], []], [5]
    yield 10, [[5]], []
    yield 1, [[]], []
    yield 45, [[10, 20], [11, 20], [10], [5]], [10, 20]


def found(true: set[int], pred: set[int], margin: int) -> int:
    """Each true point, in ascending order, takes the nearest free prediction; the lower of two at one distance."""
    free, hits = set(pred), 0
    for point in sorted(true):
        near = sorted((abs(point - other), other) for other in free if abs(point - other) <= margin)
        if near:
            hits += 1
            free.discard(near[0][1])
    return hits


def f_measure(series: Series, margin: int = 5) -> float:
    _, annotations, predictions = series
    truths = [{0, *listed} for listed in annotations]
    guessed = {0, *predictions}
    precision = found(set().union(*truths), guessed, margin) / len(guessed)
    recall = sum(found(truth, guessed, margin) / len(truth) for truth in truths) / len(truths)
    return 2 * precision * recall / (precision + recall)


def parts(listed: list[int], n: int) -> list[set[int]]:
    edges = [0, *listed, n]
    return [set(range(*edges[at : at + 2])) for at in range(len(edges) - 1)]


def covering(series: Series) -> float:
    n, annotations, predictions = series
    guessed = parts(predictions, n)
    values = [
        sum(len(part) * max(len(part & other) / len(part | other) for other in guessed) for part in parts(listed, n))
        / n
        for listed in annotations
    ]
    return sum(values) / len(values)


def truth(series: Series) -> TimeIntervals:
    n, annotations, _ = series
    rows = [
        (start, stop, f"{number}")
        for number, listed in enumerate(annotations)
        for start, stop in zip([0, *listed], [*listed, n], strict=True)
    ]
    starts, stops, tracks = (list(column) for column in zip(*rows, strict=True))
    return TimeIntervals(starts, stops, n, tracks=tracks)


def prediction(series: Series) -> TimeIntervals:
    return TimeIntervals.of_spans(Spans.from_boundaries(series[2], series[0]))


def check(data: list[Series]) -> None:
    sides = ({f"{at}": side(series) for at, series in enumerate(data)} for side in (truth, prediction))
    row = shown(sm.evaluate(*sides, protocol="change-points", engine="serial"))["mean over series"]
    assert row["F1"] == pytest.approx(np.mean([f_measure(series) for series in data]), abs=1e-12), data
    assert row["covering"] == pytest.approx(np.mean([covering(series) for series in data]), abs=1e-12), data


def test_the_protocol_equals_the_reference() -> None:
    rng = np.random.default_rng(81)
    for _ in range(DATA_SETS):
        check([random_series(rng) for _ in range(rng.integers(1, 4))])


@pytest.mark.parametrize("at", range(len(list(degenerate()))))
def test_the_protocol_equals_the_reference_on_degenerate_series(at: int) -> None:
    check([list(degenerate())[at]])


def test_the_numbers_that_the_reference_states() -> None:
    worked = [
        (f_measure, sm.change_point_f1, (60, [[], [10], [50]], [10]), 0.9090909090909091),
        (f_measure, sm.change_point_f1, (60, [[], [10], [50]], []), 0.8),
        (covering, sm.change_point_covering, (45, [[10, 20], [10], [5]], [10, 20]), 0.7962962962962963),
        (covering, sm.change_point_covering, (45, [[], [10], [40]], []), 0.8189300411522634),
    ]
    for reference, metric, series, value in worked:
        assert reference(series) == pytest.approx(value)
        assert metric(truth(series), prediction(series)).value == pytest.approx(value)


def test_named_exception_the_order_of_a_set() -> None:
    """A Python set of these numbers does not list them in ascending order, so the greedy choice differs."""
    listed = {8, 16, 1}
    assert list(listed) != sorted(listed)
