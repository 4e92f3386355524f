"""Pairs of label arrays and masks whose segments overlap often enough to be matched."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import segmetry as sm

SPACINGS = (1.0, 0.5, 0.1, 2.0, 3.0)


@st.composite
def similar_labels(
    draw: st.DrawFn, *, dimensions: tuple[int, int] = (1, 3), uneven: bool = True
) -> tuple[sm.LabelArray, sm.LabelArray]:
    """A label array of few segments and a copy with some elements changed; with a spacing, sometimes."""
    shape = draw(st.lists(st.integers(1, 6), min_size=dimensions[0], max_size=dimensions[1]))
    size = int(np.prod(shape))
    true = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    pred = true.copy()
    for at in draw(st.lists(st.integers(0, size - 1), max_size=max(1, size // 3))):
        pred[at] = draw(st.integers(0, 2))
    spacing = [draw(st.sampled_from(SPACINGS)) for _ in shape] if uneven and draw(st.booleans()) else None
    return (
        sm.LabelArray(true.reshape(shape), spacing=spacing),
        sm.LabelArray(pred.reshape(shape), spacing=spacing),
    )


def as_masks(found: sm.LabelArray) -> sm.Masks:
    """The same segments as masks."""
    ids = [label for label in np.unique(found.labels).tolist() if label not in found.outside]
    stack: NDArray[np.bool_] = np.zeros((len(ids), *found.labels.shape), dtype=bool)
    for at, label in enumerate(ids):
        stack[at] = found.labels == label
    facts: dict[str, Any] = {"ids": ids or None, "spacing": found.spacing}
    return sm.Masks.from_dense(stack, **facts)


def random_blobs(rng: np.random.Generator, shape: tuple[int, ...], roughness: float = 2.0) -> NDArray[np.bool_]:
    """A smooth random region that is not empty."""
    from scipy.ndimage import gaussian_filter

    field = gaussian_filter(rng.standard_normal(shape), roughness)
    found: NDArray[np.bool_] = field > np.quantile(field, 0.6)
    return found
