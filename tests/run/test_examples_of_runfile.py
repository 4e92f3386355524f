"""Small examples of internal functions in runfile/."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from segmetry.errors import ClassesError
from segmetry.kernels.pairs import PairCounts
from segmetry.overlaps.count import overlap
from segmetry.overlaps.item_tables import ItemTables
from segmetry.runfile.collected import CollectedTogether, CountedBlocks, add_part, as_read, column_rows, read_columns
from segmetry.runfile.counts import _narrowest_widths, rows_of_items, table_rows
from segmetry.runfile.merge import Shard
from segmetry.runfile.values import (
    details_text,
    json_of_text,
    number_of_text,
    stored_class,
    stored_classes,
    stored_id,
    stored_text,
)
from segmetry.runfile.writer import changed_input, settings_differences


def test_the_example_of_collectedtogether_items() -> None:
    starts = {"class": np.array([0, 1, 1])}
    assert list(CollectedTogether({"class": np.array([1])}, starts, {"class": ("car", "sky")}).items()) == [
        {"class": ["sky"]},
        {"class": []},
    ]


def test_the_example_of_column_rows() -> None:
    assert column_rows({"size": np.array([3, 400]), "class": ["sky"]}) == [
        ("size", "<i2", "[2]", b"\x03\x00\x90\x01"),
        ("class", "labels", "[1]", b'["sky"]'),
    ]


def test_the_example_of_as_read() -> None:
    assert repr(as_read(np.array([3], dtype=np.int16)).dtype) == "dtype('int64')"


def test_the_example_of_read_columns() -> None:
    assert read_columns(column_rows({"class": ["sky"]})) == {"class": ["sky"]}


def test_the_example_of_add_part() -> None:
    one, two = (PairCounts(np.array([1]), np.array([label]), np.array([4])) for label in (1, 2))
    parts = [CountedBlocks(((0, 2, 4),), frozenset({at}), one if at else two) for at in (1, 0, 1)]
    total = add_part("volume", add_part("volume", parts[0], parts[1]), parts[2])
    assert (sorted(total.blocks), total.counts.pred_labels.tolist()) == ([0, 1], [1, 2])


def test_the_example_of_table_rows() -> None:
    [row] = table_rows([(1, overlap([[1, 1, 2]], [[7, 7, 7]]))])
    assert (row[:7], row[7].hex(), row[-1].hex()) == ((1, 0, 2, 1, 2, 0, None), "010207", "000002010001")


def test_the_example_of_rows_of_items() -> None:
    [row] = rows_of_items([1], ItemTables.of(overlap([[1, 1, 2]], [[7, 7, 7]])))
    assert (row[:7], row[8].hex(), row[-1].hex()) == ((1, 0, 2, 1, 2, 0, None), "020000010000030000", "000002010001")


def test_the_example_of_narrowest_widths() -> None:
    assert _narrowest_widths(np.array([7, -128, 128, 2**31]), np.array([2, 0, 1, 1])).tolist() == [1, 1, 2, 8]


def test_the_example_of_shard_of() -> None:
    assert repr(Shard.of("3/16")) == "Shard(number=3, count=16)"


def test_the_example_of_shard_takes() -> None:
    assert [item for item in range(1, 10) if Shard(2, 4).takes(item)] == [2, 6]


def test_the_example_of_shard_divides_volumes() -> None:
    assert (Shard(2, 4).divides_volumes(1), Shard(2, 4).divides_volumes(4)) == (True, False)


def test_the_example_of_shard_slab() -> None:
    assert repr([Shard(number, 3).slab(8) for number in (1, 2, 3)]) == "[range(0, 2), range(2, 5), range(5, 8)]"


def test_the_example_of_stored_id() -> None:
    assert (stored_id(7), stored_id(2**64 - 1)) == (7, "18446744073709551615")


def test_the_example_of_stored_text() -> None:
    assert stored_text("tree") == "tree"
    with pytest.raises(
        ClassesError, match=re.escape("class '\\ud800' cannot be kept in a run file; expected a name that is text")
    ):
        stored_text("\ud800")


def test_the_example_of_stored_class() -> None:
    assert (stored_class(3), stored_class("3")) == (3, "3")


def test_the_example_of_stored_classes() -> None:
    assert stored_classes((3, "3", 1.5)) == [3, "3", 1.5]


def test_the_example_of_details_text() -> None:
    assert details_text({"k": 3, "missed": 1}) == json.dumps({"k": 3, "missed": 1})


def test_the_example_of_json_of_text() -> None:
    assert json_of_text('{"k": 3}') == {"k": 3}


def test_the_example_of_number_of_text() -> None:
    assert repr((number_of_text("3/2"), number_of_text("-7"), number_of_text("0.5"))) == "(Fraction(3, 2), -7, 0.5)"


def test_the_example_of_changed_input() -> None:
    assert (
        changed_input({("true", "a.png"): "12", ("pred", "b.png"): "34"}, {("true", "a.png"): "12"})
        == "the input b.png of pred is gone since the run started"
    )


def test_the_example_of_settings_differences() -> None:
    assert settings_differences('{"rule": "theta_plus", "also": []}', '{"rule": "theta_and", "also": []}') == [
        "rule was 'theta_plus' and is now 'theta_and'"
    ]
