"""The truth and the prediction side by side: matched segments in one colour, unmatched ones dark."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments import Alignment
from segmetry.errors import KindError
from segmetry.kernels import paint
from segmetry.outputs.plots.picture import png_file
from segmetry.outputs.plots.shapes import rgb
from segmetry.segmentation import LabelArray

# Paul Tol's muted scheme: distinguishable in every common colour blindness.
MATCHED = ("#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#882255", "#332288")
UNMATCHED = "#3a3a3a"


def matched_images(alignment: Alignment, true: LabelArray, pred: LabelArray) -> tuple[bytes, bytes]:
    """Return two PNGs of a pair of label images; pixels outside are white.

    >>> import segmetry as sm
    >>> true, pred = sm.LabelArray([[1, 1, 2]]), sm.LabelArray([[5, 5, 0]])
    >>> [picture[1:4] for picture in matched_images(sm.align(sm.overlap(true, pred)), true, pred)]
    [b'PNG', b'PNG']
    """
    for name, side in (("true", true), ("pred", pred)):
        if side.labels.ndim != 2:
            raise KindError(f"{name} has {side.labels.ndim} axes; matched_images draws label images of 2")
    sides = ((true, alignment.table.true.ids, alignment.at_true), (pred, alignment.table.pred.ids, alignment.at_pred))
    first, second = (
        _enlarged_png(paint(side.labels, ids, _segment_colours(ids.size, at), _WHITE)) for side, ids, at in sides
    )
    return first, second


def _opaque(colour: str) -> tuple[int, int, int, int]:
    return *rgb(colour), 255


_WHITE = (255, 255, 255, 255)


def _segment_colours(count: int, matched: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return one colour per segment: the k-th pair has the k-th colour on both sides."""
    colours = np.full((count, 4), _opaque(UNMATCHED), dtype=np.uint8)
    for pair, position in enumerate(matched.tolist()):
        colours[position] = _opaque(MATCHED[pair % len(MATCHED)])
    return colours


def _enlarged_png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    factor = max(1, 480 // pixels.shape[1])
    return png_file(Image.fromarray(pixels.repeat(factor, axis=0).repeat(factor, axis=1)).convert("RGB"))
