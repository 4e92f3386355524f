"""What the files of a detection data set state besides the masks: areas, boxes, and which classes were looked for."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base.exact import FloatArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import InputError


@frozen_dataclass(eq=False)
class DetectionFacts:
    """Facts about the masks of one image, one entry per mask in the order of the masks.

    Parameters
    ----------
    areas : array of float, optional
        The stated area of each mask, by which sizes are judged; by default its number of elements.
    boxes : array of float, optional
        The stated box of each mask: x and y of its corner, width and height. By default the box of its elements.
    boxes_only : bool, default False
        Whether there are boxes only; the masks are then these boxes, drawn.
    absent : collection of classes, optional
        The classes that were looked for and are not in the image, where a data set looks for some classes only
        (LVIS's ``neg_category_ids``). None: it looks for all classes in every image.
    incomplete : collection of classes
        The classes of which only some objects are annotated (LVIS's ``not_exhaustive_category_ids``).

    Examples
    --------
    >>> DetectionFacts(areas=[12.5, 8]).areas.tolist()
    [12.5, 8.0]
    """

    areas: FloatArray | None = None
    boxes: FloatArray | None = None
    boxes_only: bool = False
    absent: frozenset[Hashable] | None = None
    incomplete: frozenset[Hashable] = field(default_factory=frozenset)

    def __init__(
        self,
        *,
        areas: ArrayLike | None = None,
        boxes: ArrayLike | None = None,
        boxes_only: bool = False,
        absent: Collection[Hashable] | None = None,
        incomplete: Collection[Hashable] = (),
    ) -> None:
        self.__dict__.update(  # the dataclass is frozen
            areas=None if areas is None else np.asarray(areas, dtype=np.float64).reshape(-1),
            boxes=None if boxes is None else np.asarray(boxes, dtype=np.float64).reshape(-1, 4),
            boxes_only=boxes_only,
            absent=None if absent is None else frozenset(absent),
            incomplete=frozenset(incomplete),
        )

    def check(self, count: int) -> None:
        """Raise an error unless there is one entry for each of ``count`` masks."""
        for name, column in (("areas", self.areas), ("boxes", self.boxes)):
            if column is not None and len(column) != count:
                raise InputError(f"{len(column)} {name} for {count} masks; expected one for each")
            if column is not None and not np.isfinite(column).all():
                raise InputError(f"{name} contain a number that is not finite; expected numbers")

    def of_masks(self, kept: NDArray[np.intp] | list[int]) -> DetectionFacts:
        """Return the facts of some of the masks.

        >>> DetectionFacts(areas=[1, 2, 3]).of_masks([2, 0]).areas.tolist()
        [3.0, 1.0]
        """
        return DetectionFacts(
            areas=None if self.areas is None else self.areas[kept],
            boxes=None if self.boxes is None else self.boxes[kept],
            boxes_only=self.boxes_only,
            absent=self.absent,
            incomplete=self.incomplete,
        )
