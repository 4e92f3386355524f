"""Matching by descending score and precision at recalls: native code, the numpy twin, and the plain definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from segmetry.kernels import backend
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.coco_detections import HIT, IGNORED, match_greedily, precision_at_recalls

Rows = list[dict[int, float]]
"""The overlap of each prediction with each truth that it meets."""


@st.composite
def matchings(draw: st.DrawFn) -> tuple[Rows, list[bool], list[bool], list[float]]:
    n_true = draw(st.integers(0, 4))
    overlaps = st.sampled_from([0.25, 0.5, 0.75, 1.0])
    truths = st.dictionaries(st.integers(0, n_true - 1), overlaps) if n_true else st.just(dict[int, float]())
    rows = draw(st.lists(truths, max_size=5))
    reusable = draw(st.lists(st.booleans(), min_size=n_true, max_size=n_true))
    ignored = [own or draw(st.booleans()) for own in reusable]
    return rows, ignored, reusable, draw(st.lists(st.sampled_from([0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=3))


def by_definition(rows: Rows, ignored: list[bool], reusable: list[bool], threshold: float) -> list[int]:
    taken: set[int] = set()
    partners = []
    for row in rows:
        free = [(value, at) for at, value in row.items() if at not in taken and value >= min(threshold, 1 - 1e-10)]
        best = max([one for one in free if not ignored[one[1]]], default=None) or max(free, default=None)
        partners.append(-1 if best is None else best[1])
        if best is not None and not reusable[best[1]]:
            taken.add(best[1])
    return partners


def columns(rows: Rows) -> tuple[Any, Any, Any]:
    pairs = [(at, row[at]) for row in rows for at in sorted(row)]
    starts = np.cumsum([0, *map(len, rows)])
    return starts, np.array([at for at, _ in pairs], dtype=np.int64), np.array([value for _, value in pairs])


@given(matchings())
def test_every_prediction_takes_the_best_free_truth(case: tuple[Rows, list[bool], list[bool], list[float]]) -> None:
    rows, ignored, reusable, thresholds = case
    flags = np.array(ignored, dtype=bool), np.array(reusable, dtype=bool)
    given: Any = {"ignored": flags[0], "reusable": flags[1], "thresholds": np.array(thresholds)}
    found = match_greedily(*columns(rows), **given)
    assert found.T.tolist() == [by_definition(rows, ignored, reusable, threshold) for threshold in thresholds]
    assert numpy_twin(match_greedily)(*columns(rows), **given).tolist() == found.tolist()


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([0, HIT, IGNORED]), st.sampled_from([0, HIT, IGNORED])), max_size=8)),
    st.data(),
)
def test_precision_is_the_best_at_a_recall_or_beyond(classes: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    outcomes = np.array([row for name in classes for row in name], dtype=np.uint8).reshape(-1, 2)
    starts = np.cumsum([0, *map(len, classes)])
    n_true = np.array([data.draw(st.integers(max(len(name), 1), 12)) for name in classes], dtype=np.int64)
    recalls = np.linspace(0, 1, 11)
    precision, recall = precision_at_recalls(outcomes, starts, n_true, recalls)
    for at, name in enumerate(classes):
        for column in (0, 1):
            counted = [row[column] for row in name if row[column] != IGNORED]
            points = [
                (counted[: k + 1].count(HIT) / n_true[at], counted[: k + 1].count(HIT) / (k + 1))
                for k in range(len(counted))
            ]
            best = [max([p for r, p in points if r >= least], default=0.0) for least in recalls]
            assert precision[at, column].tolist() == best
            assert recall[at, column] == counted.count(HIT) / n_true[at]
    twin = numpy_twin(precision_at_recalls)(outcomes, starts, n_true, recalls)
    assert np.array_equal(twin[0], precision) and np.array_equal(twin[1], recall)


def test_without_native_code_the_numpy_twins_are_used(monkeypatch: Any) -> None:
    monkeypatch.setattr(backend, "native", None)
    found = match_greedily(
        np.array([0, 1]),
        np.array([0]),
        np.array([0.5]),
        ignored=np.zeros(1, bool),
        reusable=np.zeros(1, bool),
        thresholds=np.array([0.5, 0.6]),
    )
    assert found.tolist() == [[0, -1]]
    precision, recall = precision_at_recalls(
        np.array([[HIT]], np.uint8), np.array([0, 1]), np.array([1]), np.array([1.0])
    )
    assert precision.tolist() == [[[1.0]]] and recall.tolist() == [[1.0]]
