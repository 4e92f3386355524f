"""Label arrays counted in groups have the results, the run file and the errors of items that are counted alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import DataWarning, SegmetryError
from segmetry.evaluation import schedule, stages
from segmetry.evaluation.data_notes import LabelsAndClasses, facts_of_tables, labels_like_classes
from segmetry.evaluation.inputs import ItemTask
from segmetry.evaluation.label_groups import LabelGroup, group_key
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.pairs import PairsOfItems, add_up_items, count_item_pairs
from segmetry.metrics.instances.segment_scores import threshold_counts
from segmetry.overlaps.item_tables import ItemTables
from segmetry.segmentation.pair import SegmentationPair
from tests.profiles import examples

Arrays = list[np.ndarray[Any, Any]]
METRICS = {"semantic": None, "stardist": None, "cityscapes-pixel": None, None: "pq,mean_iou,vi,segment_accuracy"}


@st.composite
def items(draw: st.DrawFn, most: int = 9) -> tuple[Arrays, Arrays]:
    """Items of a few labels, of different sizes and types, some of them empty of segments."""
    numbers = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds = st.sampled_from([np.uint8, np.int16, np.int64, np.dtype(">i4"), bool])
    sides: tuple[Arrays, Arrays] = ([], [])
    for _ in range(draw(st.integers(2, 7))):
        shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 9)))
        n_labels = draw(st.sampled_from([1, 2, 4, most]))
        for side in sides:
            side.append(numbers.integers(0, n_labels, shape).astype(draw(kinds)))
    return sides


def alone(*sides: Any, **options: Any) -> sm.Run:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schedule, "LABEL_ITEMS", 1)
        return sm.evaluate(*sides, engine="serial", **options)


@given(items(), items())
@examples(2)
def test_the_native_kernel_counts_as_its_twin(first: tuple[Arrays, Arrays], second: tuple[Arrays, Arrays]) -> None:
    true, pred = first[0] + second[1], first[1] + second[0]
    for threads in (1, 3):
        rows = count_item_pairs(true, pred, threads=threads)
        for column, same in zip(rows, numpy_twin(count_item_pairs)(true, pred), strict=True):
            np.testing.assert_array_equal(column, same)


@pytest.mark.parametrize("count", [count_item_pairs, numpy_twin(count_item_pairs)])
def test_labels_that_may_not_fit_and_lists_of_other_lengths_are_rejected(count: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="int64"):
        count([np.array([1], np.uint64)], [np.array([1])])
    with pytest.raises(ValueError, match="as many"):
        count([np.array([1])], [])


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3, st.integers(1, 9)), max_size=12))
def test_replaced_labels_are_added_up_item_by_item(rows: list[tuple[int, int, int, int]]) -> None:
    rows.sort(key=lambda row: row[0])
    starts = np.searchsorted([row[0] for row in rows], np.arange(4))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    made = add_up_items(PairsOfItems(starts, *columns[1:]))
    expected: dict[tuple[int, int, int], int] = {}
    for item, true, pred, n in rows:
        expected[item, true, pred] = expected.get((item, true, pred), 0) + n
    item = np.repeat(np.arange(3), np.diff(made.starts))
    assert list(zip(item.tolist(), *(column.tolist() for column in made[1:]), strict=True)) == [
        (*key, n) for key, n in sorted(expected.items())
    ]


@given(
    items(),
    st.sampled_from(
        [
            {"metrics": "pq,segment_accuracy,vi"},
            {"protocol": "stardist"},
            {"protocol": "semantic"},
            {"metrics": "pq,mean_iou", "read": {"labels": "classes", "void": 3}},
            {"metrics": "pq", "read": {"labels": "classes", "map": {2: 1, 3: 255}, "void": 255, "num_classes": 10}},
            {"metrics": "pq", "read": {"outside": None}, "rule": "theta_and"},
            {"metrics": "segment_accuracy", "options": {"segment_accuracy": {"thresholds": ("0.1", "0.3", "0.5")}}},
        ]
    ),
    st.integers(2, 4),
)
@examples(4)
def test_groups_give_the_run_of_single_items(sides: tuple[Arrays, Arrays], options: dict[str, Any], most: int) -> None:
    single = alone(*sides, **options)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schedule, "LABEL_ITEMS", most)
        for engine, jobs in (("serial", None), ("threads", 2)):
            run = sm.evaluate(*sides, engine=engine, jobs=jobs, **options)
            assert run.content_digest() == single.content_digest()
            assert repr(run.summary().to_dict()) == repr(single.summary().to_dict())
            assert repr(run.items()) == repr(single.items())


@given(items())
def test_a_run_file_of_groups_is_that_of_single_items(sides: tuple[Arrays, Arrays]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder) / "one.segm", Path(folder) / "many.segm"
        alone(*sides, metrics="pq", out=one)
        sm.evaluate(*sides, metrics="pq", out=many, engine="serial")
        assert one.read_bytes() == many.read_bytes()


@given(items(most=60), st.lists(st.sampled_from(["0.01", "0.1", "0.3", "0.5", "0.9"]), min_size=1, unique=True))
@examples(4)
def test_segments_are_matched_at_thresholds_in_all_items_as_in_each(
    sides: tuple[Arrays, Arrays], thresholds: list[str]
) -> None:
    tables = [sm.overlap(true, pred) for true, pred in zip(*sides, strict=True)]
    together = threshold_counts(
        CountedOverlaps.of_items(ItemTables.together(tables), policy="none"), thresholds=thresholds
    )
    for at, table in enumerate(tables):
        of_item, single = together.item(at), threshold_counts(CountedOverlaps.of(table), thresholds=thresholds)
        for name in ("pairs", "true", "pred", "iou"):
            expected = single.columns[name].sum(axis=0)
            np.testing.assert_array_equal(of_item.columns[name].sum(axis=0), expected, err_msg=name)


def test_items_of_one_meaning_and_number_of_axes_are_in_a_group() -> None:
    plain, volume = np.ones((2, 3), int), np.ones((1, 2, 3), int)
    classes = sm.LabelArray.from_classes(plain)
    pairs = [(plain, plain), (plain, plain), (volume, volume), (classes, classes), (classes, classes), (plain, plain)]
    tasks = {at: ItemTask(str(at), *pair) for at, pair in enumerate(pairs, 1)}
    jobs = [job for _, job in schedule.Schedule(tasks, lambda job: job)]
    assert [len(getattr(job, "tasks", "1")) for job in jobs] == [2, 1, 2, 1]
    group = LabelGroup.of(jobs[2].tasks)  # type: ignore[union-attr]
    assert group is not None
    assert group.meanings[0].template.classes == classes.classes


@pytest.mark.parametrize(
    "pair",
    [
        (np.ones((2, 2), int), np.ones((2, 3), int)),
        (np.ones((2, 2), np.uint64), np.ones((2, 2), int)),
        (np.ones((2, 2)), np.ones((2, 2), int)),
        (np.ones((0, 2), int), np.ones((0, 2), int)),
        ([[1]], np.ones((1, 1), int)),
        (sm.LabelArray(np.ones((2, 2), int), spacing=(1, 2)), sm.LabelArray(np.ones((2, 2), int))),
    ],
)
def test_anything_unusual_is_in_no_group(pair: tuple[Any, Any]) -> None:
    assert group_key(ItemTask("a", *pair)) is None


@pytest.mark.parametrize(
    ("wrong", "options"),
    [
        (np.array([[1, -1]]), {}),
        (np.array([[1, 7]]), {"read": {"labels": "classes", "num_classes": 3}}),
        (sm.LabelArray(np.array([[1, 7]]), classes={1: "car"}), {}),
    ],
)
def test_an_error_names_its_item(wrong: Any, options: dict[str, Any]) -> None:
    right = np.array([[1, 1]])
    if isinstance(wrong, sm.LabelArray):
        right = wrong.with_labels(right)
    messages = []
    for run in (alone, sm.evaluate):
        with pytest.raises(SegmetryError, match="item b") as caught:
            run({"a": right, "b": wrong, "c": right}, {"a": right, "b": right, "c": right}, metrics="pq", **options)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_metric_of_shapes_takes_items_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [np.array([[1, 1, 0]]), np.array([[1, 0, 0]])]
    seen: list[str] = []
    kept = stages.score_item
    monkeypatch.setattr(stages, "score_item", lambda name, *rest: seen.append(name) or kept(name, *rest))
    sm.evaluate(arrays, arrays[::-1], metrics="hausdorff_distance,pq", engine="serial")
    assert seen == ["0", "1"]


@pytest.mark.parametrize("true_label", [0, 5])
def test_notes_are_those_of_single_items(true_label: int) -> None:
    true, pred = [np.array([[true_label, 0], [true_label, 7]])] * 3, [np.array([[1, 1], [2, 0]])] * 3
    caught = []
    for run in (alone, sm.evaluate):
        with pytest.warns(DataWarning) as warned:
            run(true, pred, metrics="pq", read={"labels": "classes"})
        caught.append([str(warning.message) for warning in warned])
    assert caught[0] == caught[1]


@given(items(most=60))
@examples(4)
def test_facts_about_items_are_those_of_each(sides: tuple[Arrays, Arrays]) -> None:
    pairs = [SegmentationPair.of(*pair) for pair in zip(*sides, strict=True)]
    tables = [sm.overlap(pair.true, pair.pred) for pair in pairs]
    each = [LabelsAndClasses.of(pair, table) for pair, table in zip(pairs, tables, strict=True)]
    shapes = [pair.true.domain for pair in pairs]
    together, classes = facts_of_tables(ItemTables.together(tables), pairs[0].true, shapes)  # type: ignore[arg-type]
    assert together == each
    assert classes is None
    assert labels_like_classes(together) == labels_like_classes(each)
    assert labels_like_classes(together * 2) == labels_like_classes([replace(facts) for facts in each * 2])
