"""Hypothesis strategies: small segmentations, including edge cases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise, permutations
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from segmetry.segmentation import Annotations, LabelArray, Masks, Sets, Spans

# Beyond 16 and 32 bits, beyond a double's integers, and the largest int64: where ids have been lost elsewhere.
AWKWARD_IDS = (1, 2, 3, 2**16, 2**32, 2**53 + 1, 2**63 - 1)
Drawn = TypeVar("Drawn")


# Hypothesis examines a strategy when it first draws from it, which costs more than drawing. So strategies are made
# once, and the elements of an array are drawn together as one string of bytes.
_flag = st.booleans()
_cuts = st.binary(max_size=5)
_many_cuts = st.binary(max_size=8)


@cache
def _random_bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def _drawn_choices(draw: st.DrawFn, values: Sequence[Drawn], size: int) -> list[Drawn]:
    """Draw ``size`` of the values, each as often as it occurs among them."""
    return [values[byte % len(values)] for byte in draw(_random_bytes(size))]


@cache
def _numbers_between(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)


@cache
def _id_lists(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One to ``most`` of the awkward ids in any order."""
    return st.one_of(*(st.sampled_from(list(permutations(AWKWARD_IDS, n))) for n in range(1, most + 1)))


@st.composite
def label_pairs(
    draw: st.DrawFn,
    *,
    dimensions: tuple[int, int] = (1, 3),
    least_length: int = 1,
    most_segments: int = 4,
    outside: bool = True,
) -> tuple[LabelArray, LabelArray]:
    """Generate two label arrays of one shape, fragmented, with outside elements (0) and large ids.

    The first axis has at least ``least_length`` elements.
    """
    ndim = draw(_numbers_between(*dimensions))
    longest = {1: 24, 2: 6, 3: 4}.get(ndim, 3)
    first, *others = (draw(_numbers_between(1, longest)) for _ in range(ndim))
    shape = (max(first, least_length), *others)
    return tuple(  # type: ignore[return-value]
        LabelArray(_label_arrays(draw, shape, most_segments=most_segments, outside=outside)) for _ in range(2)
    )


def _label_arrays(
    draw: st.DrawFn, shape: tuple[int, ...], *, most_segments: int = 4, outside: bool = True
) -> NDArray[np.int64]:
    """Generate a label array of a given shape: random elements, long runs of one label, or one segment.

    Half of the arrays have elements outside all segments, unless ``outside=False``.
    """
    ids = draw(_id_lists(most_segments))
    labels = (0, *ids) if outside and draw(_flag) else ids
    size = int(np.prod(shape))
    if draw(_flag):
        flat = _drawn_choices(draw, labels, size)
    else:
        cuts = sorted(byte % (size + 1) for byte in draw(_cuts))
        runs = zip([0, *cuts], [*cuts, size], _drawn_choices(draw, labels, len(cuts) + 1), strict=True)
        flat = [label for start, stop, label in runs for _ in range(start, stop)]
    return np.array(flat, dtype=np.int64).reshape(shape)


label_arrays = st.composite(_label_arrays)


@st.composite
def span_pairs(draw: st.DrawFn, *, longest: int = 20, shortest: int = 1, total: bool = False) -> tuple[Spans, Spans]:
    """Generate two segmentations of one line, with gaps unless ``total``."""
    n = draw(_numbers_between(shortest, longest))
    return _spans_of_line(draw, n, total=total), _spans_of_line(draw, n, total=total)


def _spans_of_line(draw: st.DrawFn, n: int, *, total: bool = False) -> Spans:
    """Generate a segmentation of the line 0 … n-1."""
    cuts = sorted({1 + byte % (n - 1) for byte in draw(_many_cuts)}) if n > 1 else []
    edges = [0, *cuts, n]
    pieces = list(pairwise(edges)) if n else []
    if not total:
        kept = _drawn_choices(draw, (False, True, True, True), len(pieces))
        pieces = [piece for piece, is_kept in zip(pieces, kept, strict=True) if is_kept]
    return Spans.from_spans(pieces, n)


spans = st.composite(_spans_of_line)


@st.composite
def set_pairs(draw: st.DrawFn, *, disjoint: bool = True) -> tuple[Sets, Sets]:
    """Generate two families of sets over a small universe, which may overlap unless ``disjoint``."""
    universe = range(draw(_numbers_between(1, 10)))

    def family() -> Sets:
        if disjoint:
            segment_of = _drawn_choices(draw, range(5), len(universe))
            segments = [{element for element in universe if segment_of[element] == k} for k in range(1, 5)]
        else:
            count = draw(_numbers_between(0, 4))
            members = iter(_drawn_choices(draw, (False, True), count * len(universe)))
            segments = [{element for element in universe if next(members)} for _ in range(count)]
        return Sets([segment for segment in segments if segment], universe=universe)

    return family(), family()


@st.composite
def mask_pairs(draw: st.DrawFn, *, scores: bool = False, empty: bool = True) -> tuple[Masks, Masks]:
    """Generate two stacks of masks of one shape that may overlap, and be empty unless ``empty=False``."""
    shape = (draw(_numbers_between(1, 5)), draw(_numbers_between(1, 5)))

    def stack() -> Masks:
        count = draw(_numbers_between(0, 4))
        bits = _drawn_choices(draw, (False, True), count * shape[0] * shape[1])
        dense = np.array(bits, dtype=bool).reshape((count, *shape))
        if not empty:
            dense[~dense.any(axis=(1, 2))] = True
        options: dict[str, Any] = {}
        if scores:
            options["scores"] = _drawn_choices(draw, (0, 0.25, 0.5, 0.75, 1), count)
        return Masks.from_dense(dense, **options)

    return stack(), stack()


@st.composite
def annotated_items(
    draw: st.DrawFn, *, most_items: int = 3, most_annotators: int = 4, longest: int = 12
) -> Annotations:
    """Generate lines, each segmented by the same annotators."""
    annotators = [f"annotator {number}" for number in range(draw(_numbers_between(2, most_annotators)))]
    lengths = [draw(_numbers_between(1, longest)) for _ in range(draw(_numbers_between(1, most_items)))]
    return Annotations(
        {f"item {at}": {name: _spans_of_line(draw, n) for name in annotators} for at, n in enumerate(lengths)}
    )


def pairs_for(
    kinds: tuple[str, ...], dimensions: tuple[int, int] | None = None, least_length: int = 1
) -> st.SearchStrategy[tuple[Any, Any]]:
    """Generate pairs of the first kind a metric accepts; annotations are paired with None."""
    if "annotations" in kinds:
        return st.tuples(annotated_items(), st.none())
    if "labels" in kinds:
        return label_pairs(dimensions=dimensions or (1, 3), least_length=least_length)
    if "spans" in kinds:
        return span_pairs()
    if "sets" in kinds:
        return set_pairs()
    return mask_pairs(scores=True, empty=False)


@st.composite
def void_pairs(draw: st.DrawFn, *, longest: int = 12) -> tuple[LabelArray, LabelArray]:
    """Generate two short label arrays with outside (0) and void (255) elements on both sides."""
    n = draw(_numbers_between(1, longest))
    both = [_drawn_choices(draw, (1, 1, 2, 2, 3, 4, 0, 255), n) for _ in range(2)]
    first, second = (LabelArray(np.array([side]), void=255) for side in both)
    return first, second
