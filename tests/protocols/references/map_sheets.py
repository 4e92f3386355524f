"""Generated map sheets in files as the MapSeg competition names them, and the arithmetic of its program over pixels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Sheet = tuple[NDArray[np.generic], NDArray[np.generic]]
"""The truth and the prediction of one map sheet, as their files contain them."""
Values = tuple[float, float, float]
"""PQ, SQ and RQ."""
RANDOM = 60


def write_sheets(sheets: list[Sheet], folder: Path) -> tuple[Path, Path]:
    """Write the sheets of a data set into two folders; every third one has its prediction in TIFF."""
    import tifffile

    for at, (true, pred) in enumerate(sheets, 201):
        for side, image in (("GT", true), ("PRED", pred)):
            (folder / side).mkdir(exist_ok=True)
            if side == "PRED" and image.dtype == np.uint16 and at % 3 == 0:
                tifffile.imwrite(folder / side / f"{at}-OUTPUT-PRED.tiff", image)
            else:
                Image.fromarray(image).save(folder / side / f"{at}-OUTPUT-{side}.png")
    return folder / "GT", folder / "PRED"


def data_sets() -> Iterator[list[Sheet]]:
    """Random data sets of one to three sheets, each degenerate sheet alone, and all of those together."""
    rng = np.random.default_rng(2021)
    for _ in range(RANDOM):
        yield [_sheet(rng) for _ in range(int(rng.integers(1, 4)))]
    yield from ([sheet] for sheet in degenerate())
    yield degenerate()


def _blocks(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A plan of blocks of several sizes divided by lines, some of them damaged."""
    rows, columns = (np.cumsum(rng.integers(2, 6, 5)) for _ in range(2))
    plan = np.full((rows[-1], columns[-1]), 255, np.uint8)
    plan[rows[:-1] - 1], plan[:, columns[:-1] - 1] = 0, 0
    return plan


def _sheet(rng: np.random.Generator) -> Sheet:
    true = _blocks(rng)
    pred = np.where(rng.random(true.shape) < rng.choice([0, 0.02, 0.1]), 255 - true, true)
    return _stored(true, rng), _stored(pred, rng)


def _stored(plan: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.generic]:
    """The plan as an image of 8 bits or 1 bit, of the values 0 and 1, or with a label per block in 8 or 16 bits."""
    kind = rng.integers(0, 5)
    if kind < 3:
        return (plan, plan > 0, (plan > 0).astype(np.uint8))[kind]
    labels = regions(plan)
    kept = rng.random(labels.max() + 1) < 0.9
    numbers = np.cumsum(kept) * kept - int(kept[0])
    return np.where(numbers[labels] > 0, numbers[labels], 0).astype((np.uint8, np.uint16)[kind - 3])


def degenerate() -> list[Sheet]:
    blank, whole = np.zeros((6, 9), np.uint8), np.full((6, 9), 255, np.uint8)
    halves, corner, equal = whole.copy(), blank.copy(), blank.copy()
    halves[:, 4] = 0
    corner[0, 0] = corner[1, 1] = 255
    equal[0, :2] = equal[2, :2] = equal[4] = 255
    shorter = equal.copy()
    shorter[4, 6:] = 0
    point = np.full((1, 1), 255, np.uint8)
    two = np.where(np.arange(9) < 4, 1, 2).astype(np.uint8)[None].repeat(6, 0)
    wide = np.where(np.arange(9) < 4, 1, 2).astype(np.uint16)[None].repeat(6, 0)
    apart = np.array([[1, 0, 1, 0, 2, 0, 3]], np.uint8)
    return [
        (halves, blank),
        (blank, halves),
        (blank, blank),
        (whole, whole),
        (whole, halves),
        (halves, whole),
        (corner, corner),
        (corner, blank),
        (equal, shorter),
        (shorter, equal),
        (point, point),
        (point, 0 * point),
        (two, two),
        (two, wide),
        (two, whole),
        (apart, apart),
        (apart, (apart > 0).astype(np.uint8)),
        (np.array([[1, 1, 3, 0]], np.uint8), np.array([[1, 1, 1, 0]], np.uint8)),
        (whole, corner),
        (corner, 255 - corner),
        (halves, 255 - halves),
    ]


def regions(image: NDArray[np.generic]) -> NDArray[np.int64]:
    """Number the 4-connected regions of equal value other than 0."""
    numbers, fresh = np.zeros(image.shape, np.int64), count(1)
    for start in zip(*np.nonzero(image), strict=True):
        if numbers[start]:
            continue
        number, waiting = next(fresh), [start]
        while waiting:
            row, column = waiting.pop()
            inside = 0 <= row < image.shape[0] and 0 <= column < image.shape[1]
            if inside and image[row, column] == image[start] and not numbers[row, column]:
                numbers[row, column] = number
                waiting += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    return numbers


def labelled(image: NDArray[np.generic]) -> NDArray[np.int64]:
    """The labels of an image: its regions if it has two values in at most 8 bits."""
    is_binary = image.dtype.itemsize == 1 and np.unique(image).size <= 2
    return regions(image) if is_binary else image.astype(np.int64)


def by_definition(true: NDArray[np.generic], pred: NDArray[np.generic]) -> Values:
    """PQ, SQ and RQ of a sheet over sets of pixels, with the distinct IoUs of all pairs of blocks above one half."""
    sides = []
    for image in (true, pred):
        labels = labelled(image)
        sides.append([set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels) if label])
    ious = [len(t & h) / len(t | h) for t in sides[0] for h in sides[1] if 2 * len(t & h) > len(t | h)]
    if not ious:
        return 0.0, 0.0, 0.0
    sq, rq = sum(sorted(set(ious))) / len(set(ious)), 2 * len(ious) / (len(sides[0]) + len(sides[1]))
    return sq * rq, sq, rq


def exception_of(true: NDArray[np.generic], pred: NDArray[np.generic]) -> str | None:
    """Which of the stated differences from the program a sheet shows."""
    labels = [labelled(image) for image in (true, pred)]
    if labels[1].any() and not labels[0].any():
        return "no true block"
    if any(np.setdiff1d(np.arange(1, side.max() + 1), side).size for side in labels):
        return "numbers that no pixel has"
    for own, other in (labels, labels[::-1]):
        outside = other == 0
        for label in np.unique(own[own > 0]):
            block = own == label
            if 2 * np.count_nonzero(block & outside) > np.count_nonzero(block | outside):
                return "outside as a partner"
    return None
