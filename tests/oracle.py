"""Reference implementation on plain Python sets, against which the fast code is tested."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals

Family = Mapping[int, frozenset[Hashable]]


def as_sets(segmentation: Segmentation) -> Family:
    """Return each segment as the set of its elements, by id; void and outside elements are in none."""
    if isinstance(segmentation, Sets):
        return dict(segmentation.segments)
    if isinstance(segmentation, Spans | TimeIntervals):
        ends = zip(segmentation.starts.tolist(), segmentation.stops.tolist(), strict=True)
        return {number: frozenset(range(start, stop)) for number, (start, stop) in enumerate(ends, start=1)}
    if isinstance(segmentation, Masks):
        return {
            number: frozenset(np.flatnonzero(mask.ravel(order="F")).tolist())
            for number, mask in zip(segmentation.ids.tolist(), segmentation.dense(), strict=True)
        }
    assert isinstance(segmentation, LabelArray)
    elements: dict[int, set[Hashable]] = {}
    special = {*segmentation.outside, *segmentation.void}
    for position, label in enumerate(segmentation.labels.ravel().tolist()):
        if int(label) not in special:
            elements.setdefault(int(label), set()).add(position)
    return {label: frozenset(elements[label]) for label in sorted(elements)}


def void_elements(segmentation: Segmentation) -> frozenset[Hashable]:
    """Return the elements a label array declares void."""
    if not isinstance(segmentation, LabelArray):
        return frozenset()
    flat = segmentation.labels.ravel().tolist()
    return frozenset(position for position, label in enumerate(flat) if int(label) in segmentation.void)


def boundary_set(spans: Spans) -> frozenset[int]:
    """Return the boundaries between neighbours in different segments, where a maximal gap counts as a segment (P*)."""
    segment_of = {element: number for number, segment in as_sets(spans).items() for element in segment}
    return frozenset(gap for gap in range(1, spans.n) if segment_of.get(gap - 1) != segment_of.get(gap))


def window_counts(true: Spans, pred: Spans, k: int, *, padded: bool) -> list[tuple[int, int]]:
    """Return the numbers of true and pred boundaries in each window of k gaps, by listing the gaps."""
    if true.n < 2:
        return []
    firsts = range(1 - k, true.n - 1) if padded else range(true.n - k)
    covered = [set(range(first + 1, first + k + 1)) for first in firsts]
    return [(len(gaps & boundary_set(true)), len(gaps & boundary_set(pred))) for gaps in covered]


def overlap_rows(true: Family, pred: Family) -> list[tuple[int, int, int]]:
    """Return (true id, pred id, shared) of all pairs that overlap, by set intersection."""
    rows = [(t, h, len(true[t] & pred[h])) for t in sorted(true) for h in sorted(pred)]
    return [row for row in rows if row[2]]


def class_cells(true: Segmentation, pred: Segmentation) -> dict[tuple[Hashable, Hashable], int]:
    """Count the elements of each pair of a true and a pred class, one by one."""
    if isinstance(true, Sets) and isinstance(pred, Sets):
        domain = sorted(true.universe or pred.universe or (true.elements | pred.elements), key=repr)
    else:
        domain = list(range(true.n_elements))
    cells: dict[tuple[Hashable, Hashable], int] = {}
    for element in domain:
        cell = _class_at(true, element), _class_at(pred, element)
        cells[cell] = cells.get(cell, 0) + 1
    return cells


def _class_at(segmentation: Segmentation, element: Hashable) -> Hashable:
    if element in void_elements(segmentation):
        return "(void)"
    assert segmentation.classes is not None
    ids = [segment for segment, elements in as_sets(segmentation).items() if element in elements]
    return segmentation.classes[ids[0]] if ids else "(outside)"


def as_partitions(
    true: Segmentation, pred: Segmentation, background: str
) -> tuple[list[frozenset[Hashable]], list[frozenset[Hashable]]]:
    """Return two disjoint segmentations as partitions of the elements that are not void, by ``background=``."""
    domain = frozenset(range(true.n_elements)) - void_elements(true) - void_elements(pred)
    families = [[segment & domain for segment in as_sets(side).values()] for side in (true, pred)]
    covered = [frozenset().union(*family) for family in families]
    if background in ("common", "cremi", "snemi", "foreground"):
        domain &= covered[0]
    if background == "common":
        domain &= covered[1]
    apart = (background == "singletons", background in ("singletons", "snemi"))
    partitions = []
    for family, cover, alone in zip(families, covered, apart, strict=True):
        rest = domain - cover
        extra = [frozenset({element}) for element in sorted(rest, key=repr)] if alone else [rest]
        partitions.append([block & domain for block in [*family, *extra] if block & domain])
    first, second = partitions
    return first, second
