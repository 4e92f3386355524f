"""The truth and the prediction, and their errors or matched segments, side by side, of arrays or segmented lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments import Alignment, MatchRule, rule_heading
from segmetry.errors import KindError, OptionError
from segmetry.kernels import paint
from segmetry.outputs.plots.aligned_bars import draw_bars
from segmetry.outputs.plots.pair_picture import COLOURS, MOST
from segmetry.outputs.plots.picture import GREY, PALE, Picture, Raster, Rectangle, Shape, Words, rgb
from segmetry.overlaps import overlap
from segmetry.results import counted, number
from segmetry.segmentation import LabelArray, SegmentationPair, Spans

BOTH = "#7b3294"
"""Of elements in a true and in a predicted segment that do not belong together: missed and spurious at once."""
KINDS = dict(zip(("shared", "missed", "spurious", "in two segments that are no pair"), (*COLOURS, BOTH), strict=True))
PANEL, MARGIN = 280.0, 14.0


def look(true: Any, pred: Any, *, rule: MatchRule | str = "theta_plus", axis: int | None = None) -> Picture:
    """Draw the truth, the prediction and their errors; matched segments have one colour on both sides.

    Of a volume the slice with the most wrong elements is drawn. Lines, such as texts, are drawn as bars.

    Parameters
    ----------
    true, pred : array_like, LabelArray or Spans
        The segmentations.
    rule : MatchRule or str, default 'theta_plus'
        Which segments belong together, as for :func:`segmetry.score`.
    axis : int, optional
        The axis across which a volume is cut, by default its shortest one.

    Returns
    -------
    Picture
        The picture, which draws itself in a notebook; ``.save("look.svg")`` or ``.save("look.png")`` writes a file.

    Examples
    --------
    >>> look([[1, 1, 2], [1, 1, 2]], [[5, 5, 0], [5, 5, 0]]).title
    'PQ 0.6667: 1 matched, 1 missed, 0 spurious segments, IoU > 0.5'
    """
    pair = SegmentationPair.of(true, pred)
    if isinstance(pair.true, Spans) and isinstance(pair.pred, Spans):
        return draw_bars({"true": pair.true, "pred": pair.pred}, rule=rule)
    if (
        not isinstance(pair.true, LabelArray)
        or not isinstance(pair.pred, LabelArray)
        or not 1 < pair.true.labels.ndim < 4
    ):
        raise KindError(
            "look draws arrays of 2 or 3 axes and segmented lines; of other segmentations "
            "alignment.draw(pair) draws one pair, and of a video look(true[0], pred[0]) one frame"
        )
    alignment = overlap(true, pred).align(rule)
    sides: list[NDArray[Any]] = [pair.true.labels, pair.pred.labels]
    codes, where = _codes(alignment, *sides), ""
    if codes.ndim == 3:
        across = int(np.argmin(codes.shape)) if axis is None else axis
        if not 0 <= across < 3:
            raise OptionError(f"axis is {axis}; expected 0, 1 or 2 of a volume")
        at = int((np.moveaxis(codes, across, 0) > 1).sum((1, 2)).argmax())
        where = f", slice {at} of axis {across}"
        codes, sides = np.take(codes, [at], across).squeeze(across), [np.take(side, at, across) for side in sides]
    elif axis is not None:
        raise OptionError(f"axis is {axis}, but an image is not cut; leave axis out")
    return _picture(alignment, codes, [np.ascontiguousarray(side) for side in sides], where)


def _codes(alignment: Alignment, true: NDArray[Any], pred: NDArray[Any]) -> NDArray[np.int8]:
    """Return 0 for elements in no segment, else 1 and the place of what they are in ``KINDS``."""
    table, (n_true, n_pred) = alignment.table, (len(alignment.table.true), len(alignment.table.pred))
    places = []
    for labels, ids in ((true, table.true.ids), (pred, table.pred.ids)):
        order = np.argsort(ids)
        at = np.searchsorted(ids, labels, sorter=order)
        places.append(
            np.where(np.isin(labels, ids), order[np.minimum(at, max(ids.size - 1, 0))] if ids.size else 0, -1)
        )
    t, p = places
    is_pair = np.isin(t * n_pred + p, alignment.at_true * n_pred + alignment.at_pred) & (t >= 0) & (p >= 0)
    both = (t >= 0) & (p >= 0)
    kinds = [is_pair, (t >= 0) & ~both, (p >= 0) & ~both, both]
    return np.select(kinds, np.arange(1, 5), 0).astype(np.int8) if n_true + n_pred else np.zeros(true.shape, np.int8)


def _picture(alignment: Alignment, codes: NDArray[np.int8], sides: list[NDArray[Any]], where: str) -> Picture:
    counts = len(alignment), int(alignment.missed_true.sum()), int(alignment.spurious_pred.sum())
    words = ", ".join(
        f"{count:,} {word}" for count, word in zip(counts, ("matched", "missed", "spurious"), strict=True)
    )
    heading = rule_heading(alignment.rule.name).partition(" (θ")[0]  # the letters of pictures have no Greek
    title = f"PQ {number(alignment.pq.value)}: {words} segments, {heading}{where}"
    colours = np.array([(*rgb(colour), 255) for colour in ("#ffffff", *KINDS.values())], np.uint8)
    ids = (alignment.table.true.ids, alignment.at_true), (alignment.table.pred.ids, alignment.at_pred)
    panels = [
        paint(side, own, segment_colours(own.size, at), MATCHED_WHITE)
        for side, (own, at) in zip(sides, ids, strict=True)
    ]
    step = -(-max(codes.shape) // (2 * MOST))
    scale = PANEL / codes.shape[1]
    shapes: list[Shape] = [Words(MARGIN, 16, title, 13)]
    for at, (name, pixels) in enumerate(zip(("true", "pred", "errors"), [*panels, colours[codes]], strict=True)):
        left = MARGIN + at * (PANEL + MARGIN)
        shapes.append(Words(left, 38, name, 12, fill=GREY))
        high = scale * codes.shape[0]
        shapes.append(Rectangle(left, 50, PANEL, high, "#ffffff", PALE))
        shapes.append(Raster(left, 50, PANEL, high, np.ascontiguousarray(pixels[::step, ::step])))
    y, x = 50 + scale * codes.shape[0] + 18, MARGIN
    for code, (word, colour) in enumerate(KINDS.items(), start=1):
        text = f"{word} {counted(int((codes == code).sum()), 'element')}"
        shapes += [Rectangle(x, y - 5, 10, 10, colour), Words(x + 14, y, text, 11)]
        x += 26 + 6.2 * len(text)
    return Picture(3 * (PANEL + MARGIN) + MARGIN, y + 20, title, tuple(shapes))


# Paul Tol's muted scheme: distinguishable in every common colour blindness.
MATCHED = ("#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#882255", "#332288")
UNMATCHED = "#3a3a3a"


def _opaque(colour: str) -> tuple[int, int, int, int]:
    return *rgb(colour), 255


MATCHED_WHITE = (255, 255, 255, 255)


def segment_colours(count: int, matched: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return one colour per segment: the k-th pair has the k-th colour on both sides."""
    colours = np.full((count, 4), _opaque(UNMATCHED), dtype=np.uint8)
    for pair, position in enumerate(matched.tolist()):
        colours[position] = _opaque(MATCHED[pair % len(MATCHED)])
    return colours
