"""The lesions of a class: true parts that lie close together are one lesion, paired with all it touches.

As in the BraTS challenges since 2023: the truth is dilated, and what lies in one connected component of the dilation is
one lesion. All predicted components that touch the dilation of a lesion are its prediction together; a component may
serve several lesions. A predicted component that touches none is spurious [saluja2023brats].
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from typing import NamedTuple
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.errors import OptionError
from segmetry.geometry.class_shapes import class_masks
from segmetry.geometry.segment_shapes import Mask, union_of
from segmetry.geometry.surface_statistics import percentile_of_area, weighted_distances
from segmetry.kernels import label_components, segment_geometry
from segmetry.segmentation import Segmentation, Spacing

NEIGHBOURS = {2: 8, 3: 26}
"""Components are connected by faces, edges and corners."""


@dataclass(frozen=True, eq=False)
class Lesion:
    """A true lesion and all that is predicted for it, cropped to both; ``pred`` is empty where it is missed."""

    true: Mask
    pred: Mask

    @cached_property
    def size(self) -> int:
        """The number of elements of the true lesion."""
        return int(np.count_nonzero(self.true))

    @cached_property
    def found(self) -> bool:
        """Whether anything is predicted for it."""
        return bool(self.pred.any())

    @cached_property
    def dice(self) -> float:
        """The Dice coefficient."""
        return 2 * int(np.count_nonzero(self.true & self.pred)) / (self.size + int(np.count_nonzero(self.pred)))

    def hausdorff95(self, spacing: Spacing) -> float:
        """Return the distance within which lies 95 % of the area of both surfaces."""
        if spacing not in self._known_distances:
            self._known_distances[spacing] = percentile_of_area(weighted_distances(self.true, self.pred, spacing), 95)
        return self._known_distances[spacing]

    @cached_property
    def _known_distances(self) -> dict[Spacing, float]:
        return {}


class Lesions(NamedTuple):
    """The lesions of a class, and the number of predicted components that touch none."""

    lesions: list[Lesion]
    spurious: int


_KNOWN: WeakKeyDictionary[Segmentation, tuple[ReferenceType[Segmentation], dict[int, dict[Hashable, Lesions]]]]
_KNOWN = WeakKeyDictionary()
"""The lesions of the items at hand, for all metrics of them, as long as their truth exists."""


def lesions_by_class(true: Segmentation, pred: Segmentation, dilation: int) -> dict[Hashable, Lesions]:
    """Return the lesions of every class of two segmentations, found once for all metrics."""
    partner, known = _KNOWN.get(true, (None, {}))
    if partner is None or partner() is not pred:
        known = {}
        _KNOWN[true] = ref(pred), known
    if dilation not in known:
        known[dilation] = {part.name: find_lesions(part.true, part.pred, dilation) for part in class_masks(true, pred)}
    return known[dilation]


def find_lesions(true: Mask, pred: Mask, dilation: int) -> Lesions:
    """Return the lesions of the truth with their predictions."""
    true, pred = _crop_both(true, pred, dilation)
    neighbours = NEIGHBOURS[true.ndim]
    areas = label_components(dilate(true, dilation), neighbours)
    parts = label_components(pred, neighbours)
    partners = _touching_parts(areas.numbers, parts.numbers)
    lesion_of = np.where(true, areas.numbers, 0)
    touched = {part for members in partners.values() for part in members}
    return Lesions(
        [Lesion(*crops) for crops in _lesion_crops(lesion_of, parts.numbers, areas.sizes.size, partners)],
        int(parts.sizes.size) - len(touched),
    )


def _crop_both(true: Mask, pred: Mask, margin: int) -> tuple[Mask, Mask]:
    """Return both masks around all that is marked, with room to grow."""
    marked = true | pred
    if not marked.any():
        return true, pred
    box = []
    for axis in range(marked.ndim):
        places = np.flatnonzero(marked.any(axis=tuple(other for other in range(marked.ndim) if other != axis)))
        box.append(slice(max(0, int(places[0]) - margin), int(places[-1]) + 1 + margin))
    return true[tuple(box)], pred[tuple(box)]


def _touching_parts(areas: NDArray[np.int32], parts: NDArray[np.int32]) -> dict[int, list[int]]:
    """Return the predicted components in each dilated component of the truth."""
    both = (areas > 0) & (parts > 0)
    pairs = np.unique(np.stack((areas[both], parts[both])), axis=1)
    partners: dict[int, list[int]] = {}
    for area, part in pairs.T.tolist():
        partners.setdefault(area, []).append(part)
    return partners


def _lesion_crops(
    lesion_of: NDArray[np.int32], parts: NDArray[np.int32], n_lesions: int, partners: dict[int, list[int]]
) -> Iterator[tuple[Mask, Mask]]:
    boxes, part_boxes = _component_boxes(lesion_of), _component_boxes(parts)
    for lesion in range(1, n_lesions + 1):
        members = partners.get(lesion, [])
        box = boxes[lesion]
        for part in members:
            box = union_of(box, part_boxes[part])
        place = tuple(slice(*ends) for ends in box.tolist())
        yield lesion_of[place] == lesion, np.isin(parts[place], members)


def _component_boxes(numbers: NDArray[np.int32]) -> dict[int, IntArray]:
    if not numbers.any():
        return {}
    geometry = segment_geometry(numbers)
    return dict(zip(geometry.labels.tolist(), geometry.box, strict=True))


def dilate(mask: NDArray[np.bool_], times: int) -> NDArray[np.bool_]:
    """Return a mask grown by its neighbours, several times; it does not grow beyond the frame.

    Neighbours share at least an edge in a volume (18), or a corner in an image (8): the union of the 3 × 3 squares in
    all planes of two axes. A square is a step along one axis after a step along the other, so a few shifted unions
    suffice instead of one for every neighbour.
    """
    if mask.ndim not in (2, 3):
        raise OptionError(f"dilation needs two or three axes; the mask has {mask.ndim}")
    grown = mask
    for _ in range(times):
        # Two axes at a time: a step along all three would reach the 26 neighbours.
        planes = [
            _grown_along(_grown_along(grown, first), second) for first, second in combinations(range(mask.ndim), 2)
        ]
        grown = reduce(np.logical_or, planes)
    return grown


def _grown_along(mask: NDArray[np.bool_], axis: int) -> NDArray[np.bool_]:
    """Return the mask grown by one step both ways along an axis."""
    grown = mask.copy()
    lines, result = np.moveaxis(mask, axis, 0), np.moveaxis(grown, axis, 0)
    result[1:] |= lines[:-1]
    result[:-1] |= lines[1:]
    return grown
