"""Tables of a batch are the tables of its items."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import KindError, OptionError


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
