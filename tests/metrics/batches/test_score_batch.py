"""Scores of a batch are the scores of its items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import ClashError, KindError, OptionError, SegmetryError, ShapeMismatchError
from segmetry.metrics.batches import score_batch as batch_module
from segmetry.testing.strategies import span_pairs
from tests.profiles import examples

COUNTS = ("pq", "sq", "rq", "precision", "recall", "f1", "weighted_f1", "n_matched", "n_missed", "n_spurious")


def stacks(seed: int, shape: tuple[int, ...] = (7, 5, 6), most: int = 4) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, most, shape)
    pred = np.where(rng.random(shape) < 0.3, rng.integers(0, most, shape), true)
    pred[0], true[1] = 0, 0
    pred[1] = 0 if seed % 2 else pred[1]
    return true, pred


def expected(true: Any, pred: Any, keys: Any, **options: Any) -> dict[str, list[float]]:
    scores = [sm.score(t, p, keys, **options) for t, p in zip(true, pred, strict=True)]
    return {key: [score[key].value for score in scores] for key in scores[0]}


def equal(batch: sm.BatchScores, each: dict[str, list[float]]) -> None:
    assert list(batch) == list(each)
    for key, column in each.items():
        np.testing.assert_array_equal(batch[key], column, err_msg=key)


@given(st.integers(0, 10**6), st.sampled_from([None, "theta_and", "iou(above=3/4)", "greedy(weight=iou)"]))
@examples(2)
def test_crops(seed: int, rule: str | None) -> None:
    true, pred = stacks(seed)
    equal(sm.score_batch(true, pred, COUNTS, rule=rule), expected(true, pred, COUNTS, rule=rule))


def test_crops_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "AT_ONCE", 70)
    true, pred = stacks(3)
    equal(sm.score_batch(true, pred, COUNTS), expected(true, pred, COUNTS))


@pytest.mark.parametrize("facts", [{"void": 2}, {"outside": None}, {"outside": (0, 3)}, {"outside": -1, "void": 1}])
def test_background_and_void_hold_for_every_item(facts: dict[str, Any]) -> None:
    true, pred = stacks(5)

    def with_facts(labels: NDArray[Any]) -> sm.LabelArray:
        return sm.LabelArray(labels, **facts)

    batch = sm.score_batch(with_facts(true), with_facts(pred), COUNTS)
    equal(batch, expected(map(with_facts, true), map(with_facts, pred), COUNTS))


def test_other_metrics_and_classes_are_scored_item_by_item() -> None:
    true, pred = stacks(7)
    keys = ("pq", "iou", "adjusted_rand_index")
    equal(sm.score_batch(true, pred, keys), expected(true, pred, keys))
    classes = {label: "even" if label % 2 == 0 else "odd" for label in range(4)}
    sides = [[sm.LabelArray(item, classes=classes) for item in side] for side in (true, pred)]
    whole = [sm.LabelArray(side, classes=classes) for side in (true, pred)]
    equal(sm.score_batch(whole[0], whole[1], "pq"), expected(sides[0], sides[1], "pq"))


@pytest.mark.parametrize("low", [-(2**62), 2**62])
def test_labels_far_apart(low: int) -> None:
    true = np.array([[[1, 1, low]], [[1, 1, 1]]])
    side = sm.LabelArray(true, allow_negative=True)
    assert sm.score_batch(side, side, "pq")["pq"].tolist() == [1, 1]


@given(
    st.lists(span_pairs(), min_size=1, max_size=6),
    st.sampled_from([None, 2, "segeval"]),
    st.booleans(),
    st.integers(1, 4),
    st.sampled_from(["optimal", "greedy"]),
)
@examples(3)
def test_lines(pairs: list[tuple[sm.Spans, sm.Spans]], k: Any, padded: bool, n_t: int, match: str) -> None:
    true, pred = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    keys = ("pk", "window_diff", "boundary_similarity", "pq")
    options: Any = {
        "pk": {"k": k, "padded": padded},
        "window_diff": {"k": k, "padded": padded, "weighted": padded},
        "boundary_similarity": {"n_t": n_t, "match": match},
    }
    each = expected(true, pred, keys, options=options)
    equal(sm.score_batch(true, pred, keys, options=options), each)
    columns = [sm.SpanLines.of(side) for side in (true, pred)]
    equal(sm.score_batch(columns[0], columns[1], keys, options=options), each)


def test_very_long_lines_are_scored_one_by_one() -> None:
    n = 2**61
    true, pred = [sm.Spans.from_masses([n])], [sm.Spans.from_boundaries(range(1, 17), n)]
    options = {"window_diff": {"k": n - 1, "padded": True, "weighted": True}}
    assert sm.score_batch(true, pred, "window_diff", options=options)["window_diff"][0] == (
        sm.window_diff(true[0], pred[0], k=n - 1, padded=True, weighted=True).value
    )


def test_means_and_words() -> None:
    batch = sm.score_batch([[[1, 1, 0]], [[0, 0, 0]]], [[[1, 1, 1]], [[0, 0, 0]]])
    assert batch.means() == {"pq": 2 / 3, "sq": 2 / 3, "rq": 1.0}
    assert repr(batch) == "BatchScores(2 items: pq, sq, rq; rule theta_plus)"
    assert "defined" in str(batch)
    assert "<table" in batch._repr_html_()


TWO, THREE = sm.Spans.from_masses([2]), sm.Spans.from_masses([3])
WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any], type[SegmetryError], str]] = {
    "no batch": (([1, 2], [1, 2]), {}, KindError, r"expected label arrays \(items, …\), SpanLines or lists of Spans"),
    "one list": (([TWO], [[1, 1]]), {}, KindError, "pred is a list; expected a list of Spans"),
    "numbers of lines": (([TWO], [TWO, TWO]), {}, ShapeMismatchError, "true has 1 lines and pred 2"),
    "lengths of lines": (([TWO, TWO], [TWO, THREE]), {}, ShapeMismatchError, "line 1: true has 2 elements"),
    "window": (([TWO], [TWO], "pk"), {"options": {"pk": {"k": 0}}}, OptionError, "k is 0"),
    "clash": (([[1, 1]], [[1, 2]]), {"rule": "iou(at_least=1/2)"}, ClashError, "item 0: true segment 1"),
    "negative": (([[1, -1]], [[1, 1]]), {}, SegmetryError, "true: label -1 is negative"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_batches(name: str) -> None:
    arguments, options, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        sm.score_batch(*arguments, **options)
