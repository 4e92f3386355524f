"""Painting a value per label, against copying the labels and the image once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, case
from bench.shapes import cells
from segmetry.kernels.painting import paint

COPY = "copying labels and picture"
SEGMENTS = 100


def _contest(dtype: str, values: NDArray[Any], fill: Any) -> Contest:
    labels = cells((1024, 2048), SEGMENTS, seed=1).astype(dtype)
    ids = np.arange(SEGMENTS)
    picture = paint(labels, ids, values, fill)
    return Contest(lambda: paint(labels, ids, values, fill), {COPY: lambda: (labels.copy(), picture.copy())})


def _shades() -> NDArray[np.float64]:
    return np.linspace(0, 1, SEGMENTS)


@case("1024×2048 int32 as float64", Limit(COPY, at_most=3))
def float64() -> Contest:
    return _contest("int32", _shades(), 0.0)


@case("1024×2048 int32 as float32", Limit(COPY, at_most=3))
def float32() -> Contest:
    return _contest("int32", _shades().astype(np.float32), 0.0)


@case("1024×2048 int64 as RGBA", Limit(COPY, at_most=3))
def rgba() -> Contest:
    colours = np.random.default_rng(1).integers(0, 256, (SEGMENTS, 4), dtype=np.uint8)
    return _contest("int64", colours, (0, 0, 0, 0))
