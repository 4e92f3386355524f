"""``nltk.metrics.segmentation``: Pk and WindowDiff of strings or lists of gaps.

A gap is a boundary if its character (or element) is ``boundary``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segmetry._base import IntArray
from segmetry.compat.patched import say_once


def _gaps(segmentation: Sequence[Any], boundary: Any) -> Any:
    if isinstance(segmentation, str) and isinstance(boundary, str) and len(boundary) == 1:
        return np.frombuffer(segmentation.encode("utf-32-le"), dtype=np.uint32) == ord(boundary)
    return np.fromiter((gap == boundary for gap in segmentation), bool, len(segmentation))


def _in_windows(gaps: Any, k: int) -> IntArray:
    """Count the boundaries in every window of ``k`` gaps."""
    before = np.concatenate(([0], np.cumsum(gaps)))
    windows: IntArray = before[k:] - before[: before.size - k]
    return windows


def _checked(first: Sequence[Any], second: Sequence[Any], k: int) -> None:
    if len(first) != len(second):
        raise ValueError(f"Segmentations have unequal length: {len(first)} and {len(second)} gaps")
    if k < 0:
        raise ValueError(f"Window width k should not be negative: {k}")


def pk(ref: Sequence[Any], hyp: Sequence[Any], k: int | None = None, boundary: Any = "1") -> float:
    """Return Pk as nltk computes it; by default with half the gaps for each *boundary*, not for each segment.

    >>> pk("0100" * 10, "1" * 40, 2)
    0.48717948717948717
    """
    true, pred = _gaps(ref, boundary), _gaps(hyp, boundary)
    if k is None:
        n_boundaries = int(true.sum())
        k = round(len(ref) / (max(n_boundaries, 1) * 2.0))
        half = round((len(ref) + 1) / (2 * (n_boundaries + 1)))
        if k != half:
            say_once("nltk.k", lambda: _window_words(true, pred, k, half))
    _checked(ref, hyp, k)
    wrong = 0 if k > true.size else int(((_in_windows(true, k) > 0) != (_in_windows(pred, k) > 0)).sum())
    return wrong / (len(ref) - k + 1.0)


def _window_words(true: Any, pred: Any, k: int, half: int) -> str:
    import segmetry as sm

    spans = [sm.Spans.from_masses(np.diff(np.flatnonzero(np.concatenate(([1], side, [1]))))) for side in (true, pred)]
    return (
        f"nltk.pk takes a window of {k} gaps, as it counts boundaries where segments are meant; half the mean segment "
        f"is {half}, and Pk is {sm.pk(*spans).value:.4g} (segmetry.pk)"
    )


def windowdiff(
    seg1: Sequence[Any],
    seg2: Sequence[Any],
    k: int,
    boundary: Any = "1",
    weighted: bool = False,  # noqa: FBT001, FBT002
) -> float:
    """Return WindowDiff as nltk computes it.

    >>> windowdiff("00000010000000001000000", "00000001000000010000000", 3)
    0.19047619047619047
    """
    _checked(seg1, seg2, k)
    if k > len(seg1):
        raise ValueError(f"Window width k should be at most the length of the segmentations: {k} > {len(seg1)}")
    differences = np.abs(_in_windows(_gaps(seg1, boundary), k) - _in_windows(_gaps(seg2, boundary), k))
    return int((differences if weighted else differences > 0).sum()) / (len(seg1) - k + 1.0)
