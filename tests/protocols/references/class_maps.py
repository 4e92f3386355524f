"""Random data sets of class maps for tests that compare protocols of semantic segmentation with their references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.protocols.references.table_values import DATA_SETS

ClassMap = NDArray[Any]
Pair = tuple[ClassMap, ClassMap]


def class_maps(
    seed: int, true_values: list[int], pred_values: list[int], dtype: Any = np.uint8
) -> Iterator[list[Pair]]:
    """Data sets of one to three images: blocks of classes, predictions that agree with the truth in places."""
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        pairs = []
        for _ in range(rng.integers(1, 4)):
            shape = tuple(rng.integers(1, 7, 2).tolist())
            some = rng.choice(true_values, rng.integers(1, len(true_values) + 1))
            true = rng.choice(some, shape)
            pred = rng.choice(pred_values, shape)
            agree = np.isin(true, pred_values) & (rng.random(shape) < rng.choice([0, 0.5, 0.9, 1]))
            pairs.append((true.astype(dtype), np.where(agree, true, pred).astype(dtype)))
        yield pairs


def degenerate_maps(ignored: int | None, class_value: int = 1, other: int = 2) -> Iterator[list[Pair]]:
    """One pixel, right and wrong; one class on each side; everything ignored; an ignored image among others."""

    def image(*rows: list[int]) -> ClassMap:
        return np.array(rows, dtype=np.uint8)

    one, two = image([class_value]), image([other])
    yield [(one, one)]
    yield [(one, two)]
    yield [(image([class_value, class_value]), image([other, other])), (two, two)]
    if ignored is not None:
        void = image([ignored, ignored])
        yield [(void, image([class_value, other]))]
        yield [(void, image([class_value, other])), (one, one)]
        yield [(image([ignored, class_value]), image([other, class_value]))]


def as_items(pairs: list[Pair], side: int) -> dict[str, ClassMap]:
    return {f"{at}": pair[side] for at, pair in enumerate(pairs)}
