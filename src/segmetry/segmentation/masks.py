"""Masks: one region per segment, which may overlap. Instance segmentation, detections with scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import FloatArray, IntArray, distinct, frozen_dataclass, short_repr
from segmetry.errors import InputError, LabelTypeError, OptionError, RunLengthError
from segmetry.kernels import (
    RunLengthMasks,
    decode_coco_counts,
    decode_coco_masks,
    run_lengths_from_counts,
    run_lengths_from_dense,
    self_overlaps,
    sizes as run_length_masks_sizes,
    union_run_lengths,
)
from segmetry.segmentation.base import ClassMap, Segmentation, as_crowd
from segmetry.segmentation.spacing import Spacing, as_spacing


@frozen_dataclass(eq=False, init=False)
class Masks(Segmentation):
    """Regions of one domain as run lengths in column-major order (the order of COCO's run-length encoding).

    Parameters
    ----------
    run_lengths : RunLengthMasks
        The runs of each mask; :meth:`from_dense` and :meth:`from_rle` make them.
    shape : sequence of int
        The shape of the domain.
    ids : array of int, optional
        The ids of the segments; by default 1, 2, … in the order given.
    classes : sequence or mapping, optional
        The class of each segment, in order or by id.
    crowd : int or collection of int, optional
        Ids of segments that stand for several objects at once (COCO's ``iscrowd``).
    scores : array of float, optional
        The confidence of each mask.
    spacing : sequence of float, optional
        The distance between neighbouring elements along each axis.
    unit : str, optional
        The unit of the spacing, such as ``"mm"``.
    detection : DetectionFacts, optional
        What the file of a detection data set states besides the masks: areas, boxes, the classes it looked for.

    Examples
    --------
    >>> stack = np.zeros((2, 4, 4), dtype=bool); stack[0, :2] = True; stack[1, 1:] = True
    >>> masks = Masks.from_dense(stack)
    >>> masks.sizes.tolist(), masks.is_disjoint
    ([8, 12], False)
    """

    __repr__ = short_repr

    kind: ClassVar[str] = "masks"

    shape: tuple[int, ...]
    run_lengths: RunLengthMasks
    ids: IntArray
    classes: ClassMap | None
    crowd: tuple[int, ...]
    scores: FloatArray | None
    spacing: Spacing
    detection: DetectionFacts | None

    def __init__(
        self,
        run_lengths: RunLengthMasks,
        shape: Sequence[int],
        *,
        ids: ArrayLike | None = None,
        classes: Sequence[Any] | ClassMap | None = None,
        crowd: int | Collection[int] | None = None,
        scores: ArrayLike | None = None,
        spacing: Sequence[float] | None = None,
        unit: str | None = None,
        detection: DetectionFacts | None = None,
    ) -> None:
        count = run_lengths.offsets.size - 1
        size = math.prod(shape)
        if run_lengths.starts.size and (int(run_lengths.starts.min()) < 0 or int(run_lengths.stops.max()) > size):
            raise RunLengthError(f"run lengths reach beyond the {size} elements of shape {tuple(shape)}")
        numbers = checked_ids(ids, count)
        by_id = classes
        if classes is not None and not isinstance(classes, Mapping):
            if len(classes) != count:
                raise InputError(f"{len(classes)} classes for {count} masks; expected one for each")
            by_id = dict(zip(numbers.tolist(), classes, strict=True))
        if detection is not None:
            detection.check(count)
        self.__dict__.update(  # the dataclass is frozen
            shape=tuple(int(length) for length in shape),
            run_lengths=run_lengths,
            ids=numbers,
            classes=by_id,
            crowd=as_crowd(crowd),
            scores=_checked_scores(scores, count),
            spacing=as_spacing(spacing, len(shape), unit),
            detection=detection,
        )

    @classmethod
    def from_dense(cls, stack: ArrayLike, **facts: Any) -> Masks:
        """Build from a boolean stack: the first axis counts the masks, the others are the domain."""
        array: NDArray[Any] = np.asarray(stack)
        if array.dtype != np.bool_:
            raise LabelTypeError(f"the mask stack has dtype {array.dtype}; expected bool (for example stack > 0)")
        if array.ndim < 2:
            raise InputError(f"the mask stack has shape {array.shape}; expected (masks, …domain)")
        axes = (0, *range(array.ndim - 1, 0, -1))
        flat = array.transpose(axes).reshape(array.shape[0], math.prod(array.shape[1:]))
        return cls(run_lengths_from_dense(flat), array.shape[1:], **facts)

    @classmethod
    def from_rle(cls, encoded: Sequence[Mapping[str, Any]], shape: Sequence[int] | None = None, **facts: Any) -> Masks:
        """Build from COCO run-length encodings ``{"size": [h, w], "counts": …}``, counts as a list or compressed.

        >>> Masks.from_rle([{"size": [2, 3], "counts": [1, 2, 3]}]).sizes.tolist()
        [2]
        """
        sizes = {_rle_size(rle, at) for at, rle in enumerate(encoded)}
        if shape is not None:
            sizes.add(tuple(int(length) for length in shape))
        if len(sizes) != 1:
            raise RunLengthError(
                f"masks of sizes {', '.join(map(str, sorted(sizes)))}; expected one size"
                if sizes
                else "no masks and no shape; pass shape=(height, width)"
            )
        domain = sizes.pop()
        return cls(_decode_rles(encoded, math.prod(domain)), domain, **facts)

    def with_detection(self, facts: DetectionFacts) -> Masks:
        """Return the same masks with what their file states besides them."""
        facts.check(self.ids.size)
        masks = object.__new__(Masks)
        masks.__dict__.update(self.__dict__, detection=facts)  # the dataclass is frozen
        return masks

    @property
    def n_elements(self) -> int:
        return math.prod(self.shape)

    @property
    def domain(self) -> tuple[int, ...]:
        return self.shape

    @cached_property
    def is_disjoint(self) -> bool:
        return not self_overlaps(self.run_lengths)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of elements of every mask."""
        return run_length_masks_sizes(self.run_lengths)

    def painted(self) -> Masks:
        """Return the masks made disjoint: painted by descending score (ties: the smaller id first), the first one keeps
        an element.

        A mask that is covered completely disappears.
        """
        if self.scores is None:
            raise OptionError("resolve='by_score' needs a score for every mask; pass scores= to Masks")
        order = np.lexsort((self.ids, -self.scores))
        taken = RunLengthMasks(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        kept: dict[int, RunLengthMasks] = {}
        for mask in order.tolist():
            part = slice(int(self.run_lengths.offsets[mask]), int(self.run_lengths.offsets[mask + 1]))
            free = _subtract_runs(self.run_lengths.starts[part], self.run_lengths.stops[part], taken)
            if free.starts.size:
                kept[mask] = free
                taken = union_run_lengths(stacked_masks([taken, free]))
        order_kept = sorted(kept)
        return Masks(
            stacked_masks([kept[mask] for mask in order_kept]),
            self.shape,
            ids=self.ids[order_kept],
            classes=self.classes,
            crowd=self.crowd,
            scores=self.scores[order_kept],
            spacing=self.spacing,
            detection=None if self.detection is None else self.detection.of_masks(order_kept),
        )

    def dense(self) -> NDArray[np.bool_]:
        """Return the boolean stack (masks, …domain)."""
        count = self.ids.size
        flat = np.zeros((count, self.n_elements), dtype=bool)
        for mask in range(count):
            for run in range(int(self.run_lengths.offsets[mask]), int(self.run_lengths.offsets[mask + 1])):
                flat[mask, self.run_lengths.starts[run] : self.run_lengths.stops[run]] = True
        axes = (0, *range(len(self.shape), 0, -1))
        return flat.reshape((count, *self.shape[::-1])).transpose(axes)


def _rle_field(rle: Mapping[str, Any], at: int, name: str) -> Any:
    try:
        return rle[name]
    except (KeyError, TypeError):
        raise RunLengthError(f"mask {at} has no field {name!r}; expected {{'size': [h, w], 'counts': …}}") from None


def _rle_size(rle: Mapping[str, Any], at: int) -> tuple[int, ...]:
    size = _rle_field(rle, at, "size")
    try:
        return tuple(index(length) for length in size)
    except TypeError:
        raise RunLengthError(f"mask {at} has size {size!r}; expected [height, width]") from None


def _decode_rles(encoded: Sequence[Mapping[str, Any]], size: int) -> RunLengthMasks:
    counts = [_rle_field(rle, at, "counts") for at, rle in enumerate(encoded)]
    try:
        if counts and all(isinstance(text, str | bytes) for text in counts):
            return decode_coco_masks([_ascii_bytes(text, at) for at, text in enumerate(counts)], size)
        lists = [
            decode_coco_counts(_ascii_bytes(value, at)) if isinstance(value, str | bytes) else _rle_counts(value, at)
            for at, value in enumerate(counts)
        ]
        return run_lengths_from_counts(lists, size)
    except RunLengthError:
        raise
    except ValueError as problem:
        raise RunLengthError(f"{problem}; expected run lengths that sum to height × width = {size}") from None


def _ascii_bytes(text: str | bytes, at: int) -> bytes:
    try:
        return text.encode("ascii") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError:
        raise RunLengthError(
            f"mask {at}: counts contain a character that is not ASCII; expected a compressed COCO string"
        ) from None


def _rle_counts(counts: Any, at: int) -> IntArray:
    array: NDArray[Any] = np.asarray(counts)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise RunLengthError(f"mask {at}: counts are {type(counts).__name__}; expected a list of integers or a string")
    return array.astype(np.int64)


def checked_ids(ids: ArrayLike | None, count: int) -> IntArray:
    """Return the ids of several segments: those passed, or 1, 2, …"""
    if ids is None:
        return np.arange(1, count + 1, dtype=np.int64)
    numbers: NDArray[Any] = np.asarray(ids)
    if numbers.shape != (count,) or (count and numbers.dtype.kind not in "iu"):
        raise InputError(f"ids have dtype {numbers.dtype} and shape {numbers.shape}; expected {count} integers")
    if distinct(numbers).size != count:
        raise InputError("ids contain a value twice; expected one id per segment")
    return numbers.astype(np.int64)


def _checked_scores(scores: ArrayLike | None, count: int) -> FloatArray | None:
    if scores is None:
        return None
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (count,):
        raise InputError(f"scores have shape {values.shape}; expected one for each of {count} masks")
    if np.isnan(values).any():
        raise InputError(f"scores[{int(np.argmax(np.isnan(values)))}] is NaN; expected a confidence")
    return values


def stacked_masks(parts: Sequence[RunLengthMasks]) -> RunLengthMasks:
    """Return the masks of several parts, one after the other."""
    nothing = np.zeros(0, dtype=np.int64)
    counts = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(part.offsets) for part in parts)])
    return RunLengthMasks(
        np.cumsum(counts, dtype=np.int64),
        np.concatenate([nothing, *(part.starts for part in parts)]),
        np.concatenate([nothing, *(part.stops for part in parts)]),
    )


def _subtract_runs(starts: IntArray, stops: IntArray, taken: RunLengthMasks) -> RunLengthMasks:
    """Return a mask without what is taken: sweep over all ends, keep where only the first is open."""
    edges = np.concatenate((starts, stops, taken.starts, taken.stops))
    sizes = [starts.size, stops.size, taken.starts.size, taken.stops.size]
    own, other = np.repeat([1, -1, 0, 0], sizes), np.repeat([0, 0, 1, -1], sizes)
    order = np.argsort(edges, kind="stable")
    edges, own, other = edges[order], np.cumsum(own[order]), np.cumsum(other[order])
    free = (own[:-1] > 0) & (other[:-1] == 0) & (edges[1:] > edges[:-1])
    left, right = edges[:-1][free], edges[1:][free]
    if left.size:
        fresh = np.concatenate(([True], left[1:] != right[:-1]))
        left, right = left[fresh], right[np.append(fresh[1:], True)]
    return RunLengthMasks(np.array([0, left.size], dtype=np.int64), left, right)


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
        areas = None if self.areas is None else self.areas[kept]
        return replace(self, areas=areas, boxes=None if self.boxes is None else self.boxes[kept])
