"""Data sets without names: lists of segmentations or paths, and batches; items are called by their positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from segmetry.errors import InputError, KindError
from segmetry.segmentation.base import Segmentation


def by_position(true: Any, pred: Any, *, batch: bool) -> tuple[Any, Any]:
    """Return two sequences, or the slices of two batches, as mappings from positions; anything else unchanged.

    >>> by_position(["a.png"], [Path("b.png")], batch=False)
    ({'0': 'a.png'}, {'0': PosixPath('b.png')})
    """
    if batch:
        slices = [_slices(value, side) for side, value in (("true", true), ("pred", pred))]
    elif isinstance(true, list | tuple) and isinstance(pred, list | tuple):
        slices = [_items_of(value, side) for side, value in (("true", true), ("pred", pred))]
    elif hasattr(true, "shape") and hasattr(pred, "shape"):
        raise KindError(
            f"true is a {type(true).__name__} of shape {tuple(true.shape)}; evaluate takes a data set: "
            "evaluate([true], [pred]) is one of a single pair, segmetry.score compares it alone, batch=True makes an "
            "item of each element along the first axis"
        )
    else:
        return true, pred
    if len(slices[0]) != len(slices[1]):
        raise InputError(f"true has {len(slices[0])} items and pred {len(slices[1])}; expected the same number")
    first, second = ({str(at): value for at, value in enumerate(values)} for values in slices)
    return first, second


def _slices(value: Any, side: str) -> list[Any]:
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) < 2:
        raise KindError(
            f"{side} is a {type(value).__name__}; expected an array whose first axis is the batch, as batch=True says"
        )
    return [value[at] for at in range(int(shape[0]))]


def _items_of(values: Any, side: str) -> list[Any]:
    """Return the items of a sequence; nested lists are refused, as their rows could be items or rows of one item."""
    for at, value in enumerate(values):
        if not (isinstance(value, str | Path | Segmentation) or hasattr(value, "__array__") or hasattr(value, "shape")):
            raise KindError(
                f"{side}[{at}] is a {type(value).__name__}; expected an array, a segmentation or a path for each item: "
                "for one pair of nested lists use segmetry.score(true, pred), for several pass "
                "[numpy.array(labels), …] or a mapping from item names"
            )
    return list(values)
