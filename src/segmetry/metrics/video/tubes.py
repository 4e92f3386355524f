"""Video: label arrays whose first axis is time and whose ids are tubes, the same object in every frame.

A window of k frames is scored as a whole, so a tube whose id changes is two tubes. Frames are counted
once; the table of a window is the sum of the tables of its frames.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.align import align
from segmetry.alignments.alignment import Alignment, clash_error
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.errors import InputError, OptionError
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.merge_tables import merge, sorted_names
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair

ANY = "all"
"""The class of all segments where they have no classes."""


@dataclass(frozen=True)
class TubeCounts:
    """The IoUs of the matched tubes of a class, and the number of its unmatched tubes."""

    ious: tuple[float, ...] = ()
    unmatched: int = 0

    @property
    def n_halves(self) -> int:
        """The denominator of PQ, doubled: 2·pairs + unmatched."""
        return 2 * len(self.ious) + self.unmatched


Window = Mapping[Hashable, TubeCounts]
"""The counts of each class that occurs in some frames."""


def frame_tables(true: LabelArray, pred: LabelArray) -> list[OverlapTable]:
    """Return the overlap table of every frame.

    >>> [len(table) for table in frame_tables(LabelArray([[[1, 1]], [[0, 1]]]), LabelArray([[[1, 2]], [[0, 0]]]))]
    [2, 0]
    """
    check_video(true)
    return [count_overlaps(SegmentationPair(_frame(true, at), _frame(pred, at))) for at in range(true.domain[0])]


def check_video(true: LabelArray) -> None:
    """Refuse an array that has no frames."""
    if true.axes < 3:
        raise InputError(
            f"a video has shape {true.domain}; expected frames on the first axis and at least two axes more: the rows "
            "of an image are not frames (frames that are lines need an axis of length 1: labels[:, None])"
        )


def read_frames(video: LabelArray, first: int, stop: int) -> NDArray[Any]:
    """Return the labels of some frames."""
    return video.read((slice(first, stop), *(slice(0, length) for length in video.domain[1:])))


def as_lengths(k: int | Sequence[int]) -> tuple[int, ...]:
    """Return the requested lengths of windows.

    >>> as_lengths((1, 3)), as_lengths(2)
    ((1, 3), (2,))
    """
    listed: tuple[Any, ...] = tuple(k) if isinstance(k, Iterable) else (k,)
    if not listed:
        raise OptionError("k is empty; expected at least one number of frames")
    for length in listed:
        if isinstance(length, bool) or not isinstance(length, Integral) or int(length) < 1:
            raise OptionError(f"k contains {length!r}; expected integer numbers of frames, at least 1")
    if len(set(listed)) < len(listed):
        raise OptionError(f"k is {listed}; expected each number of frames once")
    return tuple(map(int, listed))


def windows_of(
    tables: Sequence[OverlapTable], k: int, rule: MatchRule | str, policy: Policy | str | None
) -> list[Window]:
    """Return the counts by class of each window of k frames, stride 1."""
    return [
        counts_by_class(align(merge(tables[start : start + k]), rule, policy=policy))
        for start in range(len(tables) - k + 1)
    ]


def counts_by_class(alignment: Alignment) -> Window:
    """Return the matched and unmatched segments of every class that occurs."""
    if not alignment.is_one_to_one:
        raise clash_error(alignment)
    table = alignment.table
    names = (ANY,) if table.class_names is None else table.class_names
    of_true, of_pred = (side.class_codes for side in (table.true, table.pred))
    of_pair, iou = of_true[alignment.at_true], alignment.iou
    counts = {}
    for code, name in enumerate(names):
        unmatched = _count(alignment.missed_true, of_true, code) + _count(alignment.spurious_pred, of_pred, code)
        counts[name] = TubeCounts(tuple(iou[of_pair == code].tolist()), unmatched)
    return {name: count for name, count in counts.items() if count.ious or count.unmatched}


def pooled_classes(windows: Sequence[Window]) -> Window:
    """Return the summed counts of all windows, by class."""
    return {
        name: _added([window[name] for window in windows if name in window])
        for name in sorted_names({name for window in windows for name in window})
    }


def _added(parts: list[TubeCounts]) -> TubeCounts:
    return TubeCounts(tuple(iou for part in parts for iou in part.ious), sum(part.unmatched for part in parts))


def _frame(video: LabelArray, at: int) -> LabelArray:
    return LabelArray(
        read_frames(video, at, at + 1)[0],
        outside=video.outside,
        void=video.void,
        classes=video.classes,
        crowd=video.crowd,
        allow_negative=video.allow_negative,
    )


def _count(flags: NDArray[np.bool_], classes: IntArray, code: int) -> int:
    return int(np.count_nonzero(flags & (classes == code)))
