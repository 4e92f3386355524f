"""Hypothesis strategies: small segmentations, including edge cases."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans

AWKWARD_IDS = (1, 2, 3, 2**16, 2**32, 2**53 + 1, 2**63 - 1)


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
    ndim = draw(st.integers(*dimensions))
    longest = {1: 24, 2: 6, 3: 4}.get(ndim, 3)
    first, *others = draw(st.lists(st.integers(1, longest), min_size=ndim, max_size=ndim))
    shape = (max(first, least_length), *others)
    return tuple(  # type: ignore[return-value]
        LabelArray(draw(label_arrays(shape, most_segments=most_segments, outside=outside))) for _ in range(2)
    )


@st.composite
def label_arrays(
    draw: st.DrawFn, shape: tuple[int, ...], *, most_segments: int = 4, outside: bool = True
) -> NDArray[np.int64]:
    """Generate a label array of a given shape: random elements, long stretches of one label, or one segment."""
    ids = draw(st.lists(st.sampled_from(AWKWARD_IDS), min_size=1, max_size=most_segments, unique=True))
    labels = ([0] if outside else []) + ids
    size = int(np.prod(shape))
    if draw(st.booleans()):
        flat = draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))
    else:
        cuts = sorted(draw(st.lists(st.integers(0, size), max_size=5)))
        flat = []
        for start, stop in zip([0, *cuts], [*cuts, size], strict=True):
            flat += [draw(st.sampled_from(labels))] * (stop - start)
    return np.array(flat, dtype=np.int64).reshape(shape)


@st.composite
def span_pairs(draw: st.DrawFn, *, longest: int = 20, shortest: int = 1, total: bool = False) -> tuple[Spans, Spans]:
    """Generate two segmentations of one line, with gaps unless ``total``."""
    n = draw(st.integers(shortest, longest))
    return draw(spans(n, total=total)), draw(spans(n, total=total))


@st.composite
def spans(draw: st.DrawFn, n: int, *, total: bool = False) -> Spans:
    """Generate a segmentation of the line 0 … n-1."""
    cuts = sorted(draw(st.sets(st.integers(1, n - 1), max_size=8))) if n > 1 else []
    edges = [0, *cuts, n]
    pieces = list(pairwise(edges)) if n else []
    kept = pieces if total else [piece for piece in pieces if draw(st.integers(0, 3))]
    return Spans.from_spans(kept, n)


@st.composite
def set_pairs(draw: st.DrawFn, *, disjoint: bool = True) -> tuple[Sets, Sets]:
    """Generate two families of sets over a small universe, which may overlap unless ``disjoint``."""
    universe = range(draw(st.integers(1, 10)))

    def family() -> Sets:
        if disjoint:
            segment_of = {element: draw(st.integers(0, 4)) for element in universe}
            segments = [{e for e, segment in segment_of.items() if segment == k} for k in range(1, 5)]
        else:
            segments = draw(st.lists(st.sets(st.sampled_from(universe), min_size=1), max_size=4))
        return Sets([segment for segment in segments if segment], universe=universe)

    return family(), family()


@st.composite
def mask_pairs(draw: st.DrawFn, *, scores: bool = False, empty: bool = True) -> tuple[Masks, Masks]:
    """Generate two stacks of masks of one shape that may overlap, and be empty unless ``empty=False``."""
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 5)))

    def stack() -> Masks:
        count = draw(st.integers(0, 4))
        bits = draw(st.lists(st.booleans(), min_size=count * shape[0] * shape[1], max_size=count * shape[0] * shape[1]))
        dense = np.array(bits, dtype=bool).reshape((count, *shape))
        if not empty:
            dense[~dense.any(axis=(1, 2))] = True
        options: dict[str, Any] = {}
        if scores:
            options["scores"] = draw(st.lists(st.integers(0, 4).map(lambda s: s / 4), min_size=count, max_size=count))
        return Masks.from_dense(dense, **options)

    return stack(), stack()


@st.composite
def annotated_items(
    draw: st.DrawFn, *, most_items: int = 3, most_annotators: int = 4, longest: int = 12
) -> Annotations:
    """Generate some lines, each segmented by the same annotators."""
    annotators = [f"annotator {number}" for number in range(draw(st.integers(2, most_annotators)))]
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=most_items))
    return Annotations({f"item {at}": {name: draw(spans(n)) for name in annotators} for at, n in enumerate(lengths)})


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
    n = draw(st.integers(1, longest))
    labels = st.sampled_from((1, 1, 2, 2, 3, 4, 0, 255))
    both = [draw(st.lists(labels, min_size=n, max_size=n)) for _ in range(2)]
    first, second = (LabelArray(np.array([side]), void=255) for side in both)
    return first, second
