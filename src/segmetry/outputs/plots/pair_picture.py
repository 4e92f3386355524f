"""The picture of one pair of segments: shared, missed and spurious elements in three colours, and both outlines.

As figures 1, 2 and 4 and Table 1 of [vanheusden2024sharper]. Of a volume the slice with the most elements of the pair
is drawn; polygons are drawn on a grid; where the elements have no places (sets, and tables without their
segmentations) they stand in a row: missed, shared, spurious.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments import Alignment, Pair, counted_sizes, theta_and, theta_plus
from segmetry.errors import InputError, KindError
from segmetry.geometry import shapes_of, union_of
from segmetry.outputs.plots.picture import Line, Picture, Rectangle, Shape, Words
from segmetry.results import number
from segmetry.segmentation import Polygons, SegmentationPair

if TYPE_CHECKING:
    from segmetry.segmentation import Segmentation

COLOURS = ("#009e73", "#d55e00", "#e69f00")
"""Of shared, missed and spurious elements, as in every view of errors."""
OUTLINES = ("#0b3d91", "#6a1b9a")
WORDS = ("shared", "missed", "spurious")
SIDE, MARGIN, BAR = 300.0, 14.0, 36.0
MOST = 300
"""Rows and columns that are drawn; of a larger box every second, third … one."""


def pair_picture(alignment: Alignment, pair: Pair | tuple[int, int], true: Any = None, pred: Any = None) -> Picture:
    """Draw a true and a predicted segment of an alignment, matched or not; see :meth:`segmetry.Alignment.draw`."""
    one = pair if isinstance(pair, Pair) else _counted_pair(alignment, *pair)
    known = alignment.table.segmentations if true is None else SegmentationPair.of(true, pred)
    codes, where = _element_codes(alignment, one, known)
    counts = one.shared, one.missed, one.spurious
    listed = ", ".join(f"{count:,} {word}" for count, word in zip(counts, WORDS, strict=True))
    title = f"true {one.true_id} and pred {one.pred_id}: IoU {number(float(one.iou))}; {listed}"
    step = -(-max(codes.shape) // MOST)
    codes = codes[::step, ::step]
    cell = SIDE / max(codes.shape)
    tall = BAR if codes.shape[0] == 1 else cell
    width, top = MARGIN + SIDE, 34.0
    left = MARGIN + (SIDE - cell * codes.shape[1]) / 2
    shapes: list[Shape] = [Words(MARGIN, 18, title.partition(";")[0], 13)]
    for row, line in enumerate(codes):
        for code, colour in enumerate(COLOURS, start=1):
            for start, stop in _true_runs(line == code):
                # Rows overlap, or their smoothed edges would show as pale stripes.
                shapes.append(Rectangle(left + start * cell, top + row * tall, (stop - start) * cell, tall + 1, colour))
    for inside, colour in zip(((1, 2), (1, 3)), OUTLINES, strict=True):
        shapes += _outline(np.isin(codes, inside), left, top, cell, tall, colour)
    y = top + tall * codes.shape[0] + 18
    x = MARGIN
    for count, word, colour in zip(counts, WORDS, COLOURS, strict=True):
        shapes += [Rectangle(x, y - 5, 10, 10, colour), Words(x + 14, y, f"{word} {count:,}", 11)]
        x += max(SIDE / 3, 24 + 6.4 * len(f"{word} {count:,}"))
    for at, (word, colour) in enumerate(zip(("true", "pred"), OUTLINES, strict=True)):
        x = MARGIN + at * SIDE / 6
        shapes += [Line(((x, y + 18), (x + 14, y + 18)), colour, 2), Words(x + 18, y + 18, word, 11)]
    held = [rule.accepts(*(np.array([count]) for count in counts))[0] for rule in (theta_and, theta_plus)]
    verdict = "majority overlap: {}, IoU > 0.5: {}".format(*("yes" if holds else "no" for holds in held))
    shapes.append(Words(width, y + 18, verdict, 11, "end"))
    if where:
        shapes.append(Words(MARGIN, y + 36, where, 11))
    return Picture(max(width, x) + MARGIN, y + (50 if where else 32), title, tuple(shapes))


def _counted_pair(alignment: Alignment, true_id: int, pred_id: int) -> Pair:
    """Return two segments with their elements as the policy counts them."""
    table = alignment.table
    sizes, at = counted_sizes(table, alignment.policy), []
    for name, side, own in (("true", table.true, true_id), ("pred", table.pred, pred_id)):
        if own not in side.ids:
            known = ", ".join(map(str, side.ids[:8])) + ", …" * (len(side) > 8)
            raise InputError(f"there is no {name} segment {own}; expected one of {known or 'no segments'}")
        at.append(int(np.flatnonzero(side.ids == own)[0]))
    row = np.flatnonzero((table.row_true == at[0]) & (table.row_pred == at[1]))
    shared = int(table.shared[row[0]]) if row.size else 0
    return Pair(true_id, pred_id, shared, int(sizes[0][at[0]]) - shared, int(sizes[1][at[1]]) - shared)


def _element_codes(alignment: Alignment, pair: Pair, known: SegmentationPair | None) -> tuple[NDArray[np.int8], str]:
    """Return a plane of elements (1 shared, 2 missed, 3 spurious) and which part of a volume it is."""
    if known is not None and isinstance(known.true, Polygons) and isinstance(known.pred, Polygons):
        true, pred = _polygons_on_grid(known.true, known.pred, pair)
    else:
        try:
            if known is None:
                raise KindError("no places")
            true, pred = _masks(alignment, pair, known.true, known.pred)
        except KindError:  # elements without places
            counts = np.array([pair.missed, pair.shared, pair.spurious])
            lengths = counts if counts.sum() <= MOST else np.ceil(counts * ((MOST - 3) / counts.sum())).astype(int)
            return np.repeat(np.array([2, 1, 3], dtype=np.int8), lengths)[None], "elements in a row"
    codes = (true * 2 + pred * 3 - (true & pred) * 4).astype(np.int8)
    if codes.ndim == 1:
        return codes[None], ""
    where = []
    while codes.ndim > 2:
        axis = int(np.argmin(codes.shape))
        others = tuple(other for other in range(codes.ndim) if other != axis)
        best = int(np.argmax(np.count_nonzero(codes, axis=others)))
        where.append(f"slice {best + 1} of {codes.shape[axis]}")
        codes = codes.take(best, axis)
    return codes, ", ".join(where)


def _masks(
    alignment: Alignment, pair: Pair, true: Segmentation, pred: Segmentation
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return both segments in the box around them, without the void elements that the policy does not count."""
    ids = alignment.table.true.ids, alignment.table.pred.ids
    sides = [
        shapes_of(side, own[own == segment])
        for side, own, segment in zip((true, pred), ids, (pair.true_id, pair.pred_id), strict=True)
    ]
    box = union_of(sides[0].boxes[0], sides[1].boxes[0])
    margin = -(-int((box[:, 1] - box[:, 0]).max()) // 25)
    box = np.stack((np.maximum(box[:, 0] - margin, 0), np.minimum(box[:, 1] + margin, true.domain)), axis=1)
    of_true, of_pred = (side.crop(0, box) for side in sides)
    if alignment.policy.true_void:
        of_true &= ~sides[1].void(box)
    if alignment.policy.pred_void:
        of_pred &= ~sides[0].void(box)
    return of_true, of_pred


def _polygons_on_grid(true: Polygons, pred: Polygons, pair: Pair) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which points of a grid over both polygons each contains; maps have north at the top."""
    from shapely import contains_xy, total_bounds

    step = min(true.precision, pred.precision)
    shapes = [
        side.in_steps_of(step).geometries[side.ids == segment][0]
        for side, segment in ((true, pair.true_id), (pred, pair.pred_id))
    ]
    west, south, east, north = total_bounds(shapes)
    size = max(east - west, north - south) / (MOST - 20)
    x, y = np.arange(west - 10 * size, east + 10 * size, size), np.arange(north + 10 * size, south - 10 * size, -size)
    columns, rows = np.meshgrid(x + size / 2, y - size / 2)
    inside = [contains_xy(shape, columns, rows) for shape in shapes]
    return inside[0], inside[1]


def _outline(inside: NDArray[np.bool_], left: float, top: float, cell: float, tall: float, colour: str) -> list[Shape]:
    """Return lines between the elements of a segment and others."""
    padded = np.pad(inside, 1)
    shapes: list[Shape] = []
    for row, edge in enumerate((padded[1:] != padded[:-1])[:, 1:-1]):
        y = top + row * tall
        shapes += [Line(((left + a * cell, y), (left + b * cell, y)), colour, 1.6) for a, b in _true_runs(edge)]
    for column, edge in enumerate((padded[:, 1:] != padded[:, :-1])[1:-1].T):
        x = left + column * cell
        shapes += [Line(((x, top + a * tall), (x, top + b * tall)), colour, 1.6) for a, b in _true_runs(edge)]
    return shapes


def _true_runs(flags: NDArray[np.bool_]) -> list[list[int]]:
    """Return where flags are True, as starts and stops."""
    runs: list[list[int]] = np.flatnonzero(np.diff(np.pad(flags, 1))).reshape(-1, 2).tolist()
    return runs
