"""Tables of a batch are the tables of its items."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import KindError, OptionError
from segmetry.overlaps.label_tables import tables_of_labels
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.value_map import LabelMeaning


def test_every_table_equals_that_of_its_item() -> None:
    true, pred = np.random.default_rng(0).integers(0, 4, (2, 3, 5, 6))
    together = sm.overlap_batch(true, pred)
    assert [list(table.rows()) for table in together] == [
        list(sm.overlap(first, second).rows()) for first, second in zip(true, pred, strict=True)
    ]
    assert [table.n_elements for table in together] == [30, 30, 30]


def test_background_void_and_classes_hold_for_every_item() -> None:
    facts = {"outside": None, "void": 3, "classes": {0: "sky", 1: "car", 2: "car"}}
    true, pred = np.random.default_rng(1).integers(0, 4, (2, 2, 5, 6))
    together = sm.overlap_batch(sm.LabelArray(true, **facts), sm.LabelArray(pred, **facts))
    alone = [
        sm.overlap(sm.LabelArray(first, **facts), sm.LabelArray(second, **facts))
        for first, second in zip(true, pred, strict=True)
    ]
    assert [list(table.rows()) for table in together] == [list(table.rows()) for table in alone]
    assert [table.class_names for table in together] == [table.class_names for table in alone]
    assert [table.background for table in together] == [table.background for table in alone]


def test_what_is_not_a_batch_is_rejected() -> None:
    with pytest.raises(KindError, match=r"expected label arrays \(items, …\)"):
        sm.overlap_batch([1, 2], [1, 2])
    with pytest.raises(OptionError, match="threads is 0"):
        sm.overlap_batch([[1]], [[1]], threads=0)


def test_the_example_of_tables_of_labels() -> None:
    from segmetry.kernels import count_item_pairs

    pairs = count_item_pairs([np.array([1, 1, 2]), np.array([0, 4])], [np.array([1, 0, 2]), np.array([0, 1])])
    plain = LabelMeaning(LabelArray([0]))
    tables = tables_of_labels(pairs, np.array([3, 2]), plain, plain)
    assert (tables.table.true.sizes.tolist(), tables.table.shared.tolist()) == ([2, 1, 1], [1, 1, 1])
    assert tables.counts.tolist() == [[3, 0, 0, 0, 0], [2, 1, 0, 0, 0]]
