"""Items travel between processes as paths and how to read them."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from segmetry.evaluation.fingerprint import object_fingerprint
from segmetry.readers.items import empty_item
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import find_reader, read_items
from tests.readers.data_sets import DATA_SETS

MOST_BYTES = 5000


@pytest.mark.parametrize("name", DATA_SETS)
def test_items_of_every_format_travel(name: str, tmp_path: Path) -> None:
    path = DATA_SETS[name].write(tmp_path)
    for side in ("true", "pred"):
        options = ReadOptions(side=side)  # type: ignore[arg-type]
        for item in read_items(path, None if DATA_SETS[name].sniffed else name, options):
            sent = pickle.dumps(item)
            assert not item.is_lazy or len(sent) < MOST_BYTES
            there = pickle.loads(sent)  # noqa: S301
            assert there.name == item.name
            assert object_fingerprint(there.load()) == object_fingerprint(item.load())
    assert find_reader(path).name


def test_an_item_without_a_prediction_travels(tmp_path: Path) -> None:
    (true,) = read_items(DATA_SETS["zarr"].write(tmp_path))
    there = pickle.loads(pickle.dumps(empty_item(true)))  # noqa: S301
    assert there.load().domain == true.load().domain
