"""Painting a value per label, against copying the labels and the picture once. Run: python bench/paint.py

A ratio of 1/3 or more is the aim: at most three times the time of the copies.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from segments import SEGMENTS, Case, picture, show

from segmetry.kernels.paint import paint


def cases() -> list[Case]:
    labels = picture()
    ids = np.arange(1, SEGMENTS + 1)
    shades = np.linspace(0, 1, SEGMENTS)
    colours = np.random.default_rng(1).integers(0, 256, (SEGMENTS, 4), dtype=np.uint8)
    found = []
    for name, values, fill in (
        ("float64", shades, 0.0),
        ("float32", shades.astype(np.float32), 0.0),
        ("RGBA", colours, (0, 0, 0, 0)),
    ):
        for dtype in ("int32", "int64"):
            array = labels.astype(dtype)
            painted = paint(array, ids, values, fill)
            copies = partial(_copy_all, array, painted)
            found.append(
                Case(f"paint {dtype} as {name} against two copies", partial(paint, array, ids, values, fill), copies)
            )
    return found


def _copy_all(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    return [array.copy() for array in arrays]


if __name__ == "__main__":
    show(cases())
