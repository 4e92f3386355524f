"""Small label images of cells for comparisons with references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, shown

Image = NDArray[np.int64]
Pair = tuple[Image, Image]


def cells(rng: np.random.Generator, shape: tuple[int, int], most: int = 6) -> Image:
    """Blocks of cells that touch, with or without background; now and then nothing, or no background."""
    blocks = rng.integers(0, rng.integers(1, most + 1), (4, 4))
    return np.kron(blocks, np.ones((2, 2), dtype=np.int64))[: shape[0], : shape[1]] + int(rng.random() < 0.1)


def consecutive(image: Image) -> Image:
    """Rename labels to 1, 2, …; 0 stays."""
    labels, at = np.unique(image, return_inverse=True)
    return (at.reshape(image.shape) + (labels[0] != 0)).astype(np.int64)


def pair(rng: np.random.Generator) -> Pair:
    """A truth and a prediction that is like it in places."""
    shape = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    true, pred = cells(rng, shape), cells(rng, shape)
    if rng.random() < 0.8:
        pred = np.where(rng.random(shape) < rng.choice([0.2, 0.5, 0.9, 1]), true, pred)
    if rng.random() < 0.5:
        true[0, 0] = pred[-1, -1] = 0
    return consecutive(true), consecutive(pred)


def degenerate() -> list[Pair]:
    """Empty sides, one pixel, no background pixel, touching cells, one cell split into halves."""
    blank, whole, point = np.zeros((2, 3), np.int64), np.ones((2, 3), np.int64), np.ones((1, 1), np.int64)
    half, thirds = np.array([[1, 1, 2], [1, 1, 2]]), np.array([[1, 2, 3], [1, 2, 3]])
    corner = np.array([[0, 1, 2], [0, 1, 2]])
    return [
        (blank, half),
        (half, blank),
        (blank, blank),
        (point, point),
        (point, 0 * point),
        (whole, half),
        (half, whole),
        (half, thirds),
        (corner, thirds),
        (np.array([[1, 1, 0]]), np.array([[1, 2, 0]])),
        (np.array([[1, 2, 0]]), np.array([[1, 1, 0]])),
    ]


def data_sets(seed: int) -> Iterator[list[Pair]]:
    """Random data sets of one or two images, then each degenerate image alone, then all of those together."""
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        yield [pair(rng) for _ in range(rng.integers(1, 3))]
    yield from ([images] for images in degenerate())
    yield degenerate()


def evaluated(images: list[Pair], protocol: str) -> dict[str, dict[str, float | None]]:
    """The table of a protocol."""
    true, pred = ({f"{at}": images[at][side] for at in range(len(images))} for side in (0, 1))
    run = sm.evaluate(true, pred, protocol=protocol, engine="serial")
    assert run.modified == ()
    return shown(run)
