"""Damaged files of every format: a clear error or items, never another exception."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from segmetry.errors import SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.reader import READERS
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.hardening.mutations import damaged
from tests.profiles import count
from tests.readers.data_sets import DATA_SETS
from tests.readers.memory import at_most
from tests.readers.samples import SAMPLES, Sample, read

DAMAGES = count(25)
BUDGET = 10**6


def test_every_format_has_a_sample() -> None:
    assert sorted({**SAMPLES, **DATA_SETS}) == sorted(READERS)


def check(item: Item) -> None:
    """What is read must be a segmentation within the budget."""
    assert item.name.isprintable()
    assert isinstance(item.load(), Spans | TimeIntervals | LabelArray)
    assert 0 <= item.load().n_elements <= BUDGET
    if isinstance(item.load(), Spans):
        assert (item.load().starts < item.load().stops).all()


def test_the_limit_on_memory_holds() -> None:
    with at_most(2**30), pytest.raises(MemoryError):
        np.ones(2**32, dtype=np.uint8)  # far more: what was freed in the meantime may be used again
    assert np.ones(2**20, dtype=np.uint8).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("chosen", [True, False], ids=["asked for", "sniffed"])
def test_damaged_files_are_rejected_or_read(name: str, chosen: bool, tmp_path: Path) -> None:
    sample: Sample = SAMPLES[name]
    if name == "textgrid":
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    chance = random.Random(f"{name} 20120607")  # noqa: S311
    path = tmp_path / f"sample{sample.suffix}"
    refused = []
    for _ in range(DAMAGES if chosen else DAMAGES // 10):
        path.write_bytes(damaged(sample.content, chance))
        try:
            with at_most(2**30):
                asked = {"chosen": name, **sample.options} if chosen else {}
                for item in read(path, most_elements=BUDGET, **asked):
                    check(item)
        except SegmetryError as problem:
            refused.append(str(problem))
    assert refused, "some of the damage must have been noticed"
    assert [words for words in refused if str(path) not in words or not words.isprintable()] == []
