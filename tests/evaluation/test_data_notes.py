"""Notes about a data set: labels that look like classes and sides without a common class, and no false alarms."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import DataWarning
from segmetry.evaluation.data_notes import LabelsAndClasses, labels_like_classes

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
