"""A run in memory has what the same run has after it was saved in a file and opened again."""

from __future__ import annotations

import gc
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry._base import ColumnsOfItem
from segmetry.overlaps import OverlapTable
from segmetry.run import Run
from segmetry.runfile import CollectedItems, RunInMemory
from segmetry.runfile.collected import as_read
from segmetry.runfile.writer import ITEMS_TOGETHER

BIG = np.array([[2**63 + 5, 2**63 + 5, 3, 0]], dtype=np.uint64)
CLASSES = ({1: "sky", 2: "car"}, {1: "car", 7: "sky"}, {1: np.int64(4), 2: np.int64(11)})
DATA: dict[str, Any] = {
    "labels": ({"b": [[1, 1, 2]], "a": [[0, 3, 3]]}, {"b": [[1, 2, 2]], "a": [[0, 3, 0]]}),
    "ids beyond int64": ({"b": BIG, "a": [[1, 1, 2, 2]]}, {"b": BIG[:, ::-1], "a": BIG}),
    "classes": (
        {str(at): sm.LabelArray([[1, 1, 0]], classes=own, crowd=[1] if at else None) for at, own in enumerate(CLASSES)},
        {str(at): sm.LabelArray([[1, 0, 1]], classes=own) for at, own in enumerate(CLASSES)},
    ),
    "no segments": ({"a": [[0, 0]]}, {"a": [[0, 0]]}),
    "lines": tuple({str(at): sm.Spans.from_masses(own) for at, own in enumerate(side)} for side in (
        [[2, 3], [5], [1, 1, 3]], [[3, 2], [2, 3], [5]],
    )),
    "lines with classes": tuple(
        {"b": sm.Spans([0, 2], [2, 5], 6, classes=own), "a": sm.Spans([0], [6], 6, classes=own[:1])}
        for own in (["x", "y"], ["y", "y"])
    ),
    "entities": tuple(
        {str(at): sm.Spans.from_tags(tags) for at, tags in enumerate(side)}
        for side in (
            [["B-PER", "I-PER", "O"], ["O"], ["B-LOC", "B-PER"], ["O", "B-ORG"]],
            [["B-PER", "O", "O"], ["B-ORG"], ["B-LOC", "B-PER"], ["O", "O"]],
        )
    ),
    "masks": tuple(
        {"a": sm.Masks.from_dense(np.array(stack, dtype=bool), classes=[3, 4], scores=[0.5, 0.25])}
        for stack in ([[[1, 1, 0]], [[0, 1, 1]]], [[[1, 0, 0]], [[0, 1, 1]]])
    ),
}  # fmt: skip

METRICS = {"ids beyond int64": "pq,voi", "masks": "pq,average_precision,mean_iou", "lines with classes": "pq,der"} | {
    "entities": "entity_f1,entity_recall,pq"
}


def same(first: Any, second: Any) -> bool:
    """Return whether two columns have the same values and types."""
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    return type(first) is type(second) and first == second and repr(first) == repr(second)


def by_item(collected: CollectedItems) -> dict[str, ColumnsOfItem]:
    """Return the columns of every item, also of those that were evaluated together."""
    grouped = {
        name: of for names, together in collected.groups for name, of in zip(names, together.items(), strict=True)
    }
    return {**collected.by_item, **grouped}


@pytest.mark.parametrize("name", DATA)
def test_a_run_in_memory_is_as_one_that_was_saved(name: str, tmp_path: Path) -> None:
    kept = sm.evaluate(*DATA[name], metrics=METRICS.get(name, "all"))
    assert isinstance(kept._source, RunInMemory)
    assert "connection" not in kept._source.__dict__  # no database was made
    kept.save(tmp_path / "run.segm")
    read = Run.open(tmp_path / "run.segm")
    assert (kept.facts, kept.names, kept.n_done) == (read.facts, read.names, read.n_done)
    assert list(kept.class_names.items()) == list(read.class_names.items())
    assert list(kept.tables_together.items) == list(read.tables_together.items)
    for of, other in ((kept.tables_together, read.tables_together),):
        for column in ("class_names", "row_starts", "row_item", "row_true", "row_pred", "shared"):
            assert same(getattr(of, column), getattr(other, column)), column
        for side in ("true", "pred"):
            for column in (field.name for field in fields(of.true)):
                assert same(getattr(getattr(of, side), column), getattr(getattr(other, side), column)), column
    assert kept.stored_scores() == read.stored_scores()
    assert kept.collected().keys() == read.collected().keys()
    for key, collected in kept.collected().items():
        items = by_item(collected)
        assert items.keys() == read.collected()[key].by_item.keys()
        for item, columns in items.items():
            assert columns.keys() == read.collected()[key].by_item[item].keys()
            assert all(
                same(as_read(column), read.collected()[key].by_item[item][at]) for at, column in columns.items()
            ), key
    assert kept.content_digest() == read.content_digest()
    assert repr(kept.scalars()) == repr(read.scalars())


def test_lines_and_other_items_of_one_run_are_in_the_order_of_the_data_set(tmp_path: Path) -> None:
    lines = {str(at): sm.Spans.from_masses([at + 1, 2]) for at in range(4)}
    mixed = {**lines, "2": sm.Spans([0], [5], 5, classes=["x"])}
    true = {name: mixed[name] for name in "3201"}
    kept = sm.evaluate(true, true, metrics="pk")
    kept.save(tmp_path / "run.segm")
    read = Run.open(tmp_path / "run.segm")
    assert list(kept.tables_together.items) == list(read.tables_together.items)
    assert same(kept.tables_together.true.sizes, read.tables_together.true.sizes)
    assert kept.stored_scores() == read.stored_scores()


def test_a_run_in_memory_keeps_columns_instead_of_the_tables_of_its_items() -> None:
    def tables_in_memory() -> int:
        return sum(isinstance(found, OverlapTable) for found in gc.get_objects())

    data, before = {str(at): [[1, 1, 2]] for at in range(3 * ITEMS_TOGETHER)}, tables_in_memory()
    kept = sm.evaluate(data, data, metrics="pq")
    assert tables_in_memory() - before < ITEMS_TOGETHER
    assert kept.n_done == len(kept.tables_together) == 3 * ITEMS_TOGETHER
