"""Notes about a data set: labels that look like classes and sides without a common class, and no false alarms."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.adapters.epoch import EpochSettings
from segmetry.errors import ClassesError, DataWarning, OptionError, ShapeMismatchError
from segmetry.evaluation.data_notes import (
    DataFacts,
    LabelsAndClasses,
    facts_of_tables,
    ignored_in,
    labels_like_classes,
    labels_of_classes,
)
from segmetry.overlaps.item_tables import ItemTables
from segmetry.run.settings import Settings
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair

Sets = list[tuple[set[int], set[int]]]


def suspected(items: Sets, *, crossing: bool = True) -> bool:
    facts = [LabelsAndClasses(frozenset(true), frozenset(pred), crossing=crossing) for true, pred in items]
    return labels_like_classes(facts) is not None


@pytest.mark.parametrize(
    "items",
    [
        [({60, 61}, {60, 61})],
        [({1, 3}, {1, 3}), ({1, 2, 3}, {1, 2, 3})],
        [({1, 2, 3}, {1, 2, 3})] * 3,
        [({1, 2, 3}, {1, 2, 3})] * 3 + [({1, 2}, {1, 2, 3})],
        [({7, 8, 11}, {7, 8, 11, 12}), ({7, 11, 12}, {7, 11, 12}), ({8, 12}, {8, 12})],
    ],
)
def test_few_recurring_labels_look_like_classes(items: Sets) -> None:
    assert suspected(items)
    assert not suspected(items, crossing=False), "no label overlaps another one, so the meaning does not matter"


@pytest.mark.parametrize(
    "items",
    [
        [({1}, {1})] * 5,  # masks of one object
        [({1, 2, 3}, {1, 2, 3})],  # one image with as many instances on both sides
        [({1, 2, 3}, {1, 2, 3})] * 2,
        [({1, 2, 3}, {1, 2}), ({1, 2}, {1, 2}), ({1, 2, 3, 4, 5}, {1, 2, 3, 4})],  # instances, counted
        [(set(range(1, 9)), {2, 3, 5, 8}), (set(range(1, 6)), {1, 3, 4}), (set(range(1, 12)), {2, 4, 9})],
        [({3, 17, 25}, {1, 2, 9})],  # gaps, but different ones
        [({3, 7}, {3, 7, 9})],
        [(set(range(2, 60)), set(range(2, 60)))] * 4,  # too many
        [({300, 301}, {300, 301})],  # too large for classes
        [(set(), set())],
    ],
)
def test_instances_do_not_look_like_classes(items: Sets) -> None:
    assert not suspected(items)


def test_labels_with_classes_or_too_many_labels_have_nothing_to_suspect() -> None:
    assert (
        labels_like_classes([LabelsAndClasses(), LabelsAndClasses(frozenset({5, 6}), frozenset({5, 6}), crossing=True)])
        is None
    )
    many = np.arange(1, 101).reshape(10, 10)
    assert LabelsAndClasses.of(None, sm.overlap(many, many)).true_labels is None


def written(folder: Path, name: str, arrays: dict[str, NDArray[Any]]) -> Path:
    np.savez(folder / name, **arrays)
    return folder / name


def notes(*arguments: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sm.evaluate(*arguments, metrics="pq", **options)
    return [str(warning.message) for warning in caught if issubclass(warning.category, DataWarning)]


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_one_note_for_a_data_set(tmp_path: Path, engine: str) -> None:
    numbers = np.random.default_rng(0)
    sides = [
        written(tmp_path, side, {f"i{at}": numbers.integers(59, 62, (6, 6)) for at in range(5)})
        for side in ("t.npz", "p.npz")
    ]
    (note,) = notes(*sides, engine=engine)
    assert note.startswith(
        "labels are read as instances, and 5 items have the same few labels on both sides (59, 60, 61)"
    )
    for meaning in ("instances", "classes"):
        assert notes(*sides, read={"labels": meaning}) == []
    assert len(notes(*sides, read={"true_labels": "instances"})) == 1, "nothing is stated about the prediction"


def class_maps(folder: Path, change: Any = None, n_items: int = 1) -> tuple[Path, Path]:
    """Two folders of class maps 0 to 5 that differ; ``change`` is applied to the truth."""
    numbers = np.random.default_rng(3)
    true = {f"i{at}": np.kron(numbers.integers(0, 6, (5, 5)), np.ones((4, 4), int)) for at in range(n_items)}
    pred = {
        name: np.where(numbers.random(a.shape) < 0.2, numbers.integers(0, 6, a.shape), a) for name, a in true.items()
    }
    changed = {name: a if change is None else change(a.copy()) for name, a in true.items()}
    return written(folder, "t.npz", changed), written(folder, "p.npz", pred)


def with_ignored(labels: NDArray[Any]) -> NDArray[Any]:
    labels[:2] = 255
    return labels


@pytest.mark.parametrize("n_items", [1, 2, 5])
def test_the_note_about_classes_survives_a_label_that_is_ignored(tmp_path: Path, n_items: int) -> None:
    paths = class_maps(tmp_path, with_ignored, n_items)
    (note,) = notes(*paths)
    assert "255" in note and "--protocol semantic" in note and "--void 255 (read={'void': 255})" in note
    assert ("the same few labels on both sides (1, 2, 3, 4, 5), and 255 in the truth only" in note) == (n_items > 2)
    assert notes(*paths, read={"labels": "instances"}) == []
    assert all("255" not in note for note in notes(*paths, read={"void": 255}))


def test_instances_up_to_255_have_no_label_that_is_ignored() -> None:
    many = frozenset(range(240, 256)), frozenset(range(240, 255))
    facts = DataFacts([LabelsAndClasses(*many, crossing=True)], labels_stated=False, settings=Settings())
    assert ignored_in(facts) is None


def test_class_maps_say_what_becomes_of_255_and_of_0(tmp_path: Path) -> None:
    paths = class_maps(tmp_path, with_ignored)
    classes = {"labels": "classes"}
    ignored, zero = notes(*paths, read=classes)
    assert ignored.startswith("class 255 is only in true") and "--void 255" in ignored and "semantic" in ignored
    n_zero = int((np.load(paths[0])["i0"] == 0).sum())
    assert zero.startswith(f"label 0 is outside and not a class ({n_zero} elements of the truth); --no-outside")
    assert notes(*paths, read={**classes, "true_void": 255, "outside": None}) == []
    assert notes(*paths, read={**classes, "void": 255, "outside": 0}) == []
    assert notes(*paths, protocol="semantic") == []


def white_masks(folder: Path, values: tuple[int, int]) -> tuple[Path, Path]:
    mask = np.zeros((12, 12), int)
    mask[1:4, 1:4] = mask[6:11, 5:10] = 1
    true, pred = (value * np.roll(mask, at, axis=1) for at, value in enumerate(values))
    return written(folder, "t.npz", {"a": true, "b": true}), written(folder, "p.npz", {"a": pred, "b": pred})


def test_white_masks_are_one_instance_each_and_the_note_says_what_else(tmp_path: Path) -> None:
    paths = white_masks(tmp_path, (255, 255))
    (note,) = notes(*paths)
    assert "255 is the only label" in note and "--components 8" in note and "--labels classes" in note
    assert notes(*paths, read={"components": 8}) == notes(*paths, read={"labels": "instances"}) == []
    run = sm.evaluate(*paths, metrics="n_matched", read={"components": 8})
    assert [row["n_matched"] for row in run.items()] == [1, 1], "the small one is half covered"
    assert notes(*white_masks(tmp_path, (1, 1))) == [], "masks of one object"


def test_a_stack_of_masks_is_a_volume_unless_stated(tmp_path: Path) -> None:
    stack = np.zeros((2, 60, 60), np.uint8)
    stack[0, 5:20, 5:20] = stack[1, 25:55, 25:55] = 1
    moved = np.roll(stack, 2, axis=2)[::-1]
    paths = []
    for side, labels in (("t", stack), ("p", moved)):
        np.save(tmp_path / f"{side}.npy", labels)
        paths.append(tmp_path / f"{side}.npy")
    (note,) = notes(*paths)
    assert "read as volumes" in note and "first axis has length 2" in note and "--labels masks" in note
    masks = {"labels": "masks"}
    assert notes(*paths, read=masks) == notes(*paths, read={"labels": "instances"}) == []
    run = sm.evaluate(*paths, metrics="pq,n_matched", read=masks)
    assert run.summary()["n_matched"]["pooled"].value == 2 and run.table("t").true.sizes.tolist() == [225, 900]
    assert run.summary()["pq"]["pooled"].value == sm.pq(*map(sm.Masks.from_dense, (stack > 0, moved > 0))).value
    np.save(paths[1], np.concatenate([moved, np.roll(stack[:1], 38, axis=1)]))
    with pytest.raises(ShapeMismatchError, match="stacks of masks are read by --labels masks"):
        sm.evaluate(*paths, metrics="pq")
    assert sm.evaluate(*paths, metrics="n_spurious", read=masks).summary()["n_spurious"]["pooled"].value == 1
    for wrong in ({"void": 255}, {"components": 8}):
        with pytest.raises(OptionError, match="applies to label arrays, but labels is 'masks'"):
            sm.evaluate(*paths, metrics="pq", read={**masks, **wrong})


def test_a_volume_of_known_spacing_is_no_stack() -> None:
    volume = sm.LabelArray(np.ones((2, 60, 60), int), spacing=(5, 1, 1))
    assert LabelsAndClasses.of(SegmentationPair.of(volume, volume), sm.overlap(volume, volume)).stack == 0
    bare = sm.LabelArray(volume.labels)
    assert LabelsAndClasses.of(SegmentationPair.of(bare, bare), sm.overlap(bare, bare)).stack == 2


def test_the_labels_of_video_objects_are_neither_instances_nor_classes() -> None:
    looks = [LabelsAndClasses(frozenset({3, 7}), frozenset({3, 7}), crossing=True)]
    for protocol, is_noted in (("davis", False), (None, True), ("cremi", True)):
        facts = DataFacts(looks, labels_stated=False, settings=Settings(protocol=protocol))
        assert (labels_of_classes(facts) is not None) == is_noted, protocol


@pytest.mark.parametrize("protocol", ["semantic", "torchmetrics-miou", "ade20k"])
def test_label_arrays_without_classes_cannot_be_compared_by_class(protocol: str) -> None:
    true, pred = (sm.LabelArray(labels) for labels in ([[1, 1, 2]], [[1, 2, 2]]))
    for call in (sm.score, lambda *sides, **how: sm.evaluate([sides[0]], [sides[1]], **how)):
        with pytest.raises(ClassesError, match=r"mean_iou compares classes, and the segments carry none.*classes="):
            call(true, pred, protocol=protocol)
    with_classes = (sm.LabelArray.from_classes(side.labels, outside=None) for side in (true, pred))
    assert sm.score(*with_classes, protocol=protocol)["mean_iou"].is_defined


def test_an_epoch_of_labels_without_classes_has_no_class_metric() -> None:
    labels = np.array([[[1, 1, 2], [0, 0, 2]]])
    with pytest.raises(ClassesError, match=r"mean_iou compares classes.*read=\{'labels': 'classes'\}"):
        EpochSettings("mean_iou").count(labels, labels)
    assert (
        EpochSettings("mean_iou", read={"labels": "classes", "outside": None}).values(
            EpochSettings("pq").count(labels, labels)
        )["mean_iou/by_class"]
        == 1
    )


def test_objects_cause_no_note() -> None:
    assert notes({"a": [[60, 61]]}, {"a": [[61, 60]]}) == []


def test_no_class_in_common(tmp_path: Path) -> None:
    true, pred = np.array([[3, 3, 5]]), np.array([[4, 4, 6]])
    paths = written(tmp_path, "t.npz", {"a": true}), written(tmp_path, "p.npz", {"a": pred})
    (note,) = notes(*paths, read={"labels": "classes"})
    assert "no class in common" in note and "true has 3, 5, pred has 4, 6" in note
    assert notes(*paths, read={"labels": "classes"}, classes="ignore") == []
    true_items, pred_items = {"a": true, "b": pred}, {"a": pred, "b": true}
    assert notes(true_items, pred_items, read={"labels": "classes"}) == [], "over the data set they have all in common"
    assert notes({"a": true}, {"a": true * 0}, read={"labels": "classes"}) == [], "nothing is predicted"


def test_the_example_of_facts_of_tables() -> None:
    from segmetry.overlaps.count import overlap

    tables = ItemTables.together([overlap([[60, 61]], [[61, 60]]), overlap([[60]], [[60]])])
    facts, _ = facts_of_tables(tables, LabelArray([[0]]), [(1, 2), (1, 1)])
    assert [(sorted(of_item.true_labels), of_item.crossing) for of_item in facts] == [([60, 61], True), ([60], False)]
