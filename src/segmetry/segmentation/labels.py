"""Label arrays: every element carries the id of its segment. Images, volumes, video, point clouds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import EmptyInputError, LabelTypeError, NegativeLabelError, OptionError
from segmetry.segmentation.base import ClassMap, Segmentation, as_ids, as_spacing
from segmetry.segmentation.run_length_labels import RunLengthLabels
from segmetry.storage.opened_arrays import as_stored
from segmetry.storage.stored_arrays import READ_AT_ONCE, Region, StoredArray

LabelsT = TypeVar("LabelsT", NDArray[Any], StoredArray, RunLengthLabels)


@dataclass(frozen=True, eq=False, init=False)
class LabelArray(Segmentation):
    """An n-dimensional array of integer labels; equal labels are one segment, connected or not.

    Parameters
    ----------
    labels
        Any integer or bool array, of any strides, or an object with ``__dlpack__`` or ``__array__``. It is not copied.
        Large arrays of zarr, h5py and dask and memory maps stay where they are: overlaps are counted block by block,
        and ``labels`` reads them whole for whoever asks. Label images that were read are kept as runs of equal labels,
        which is all that overlaps need; ``labels`` gives their elements.
    outside
        The label(s) that mean "in no segment"; None if every label is a segment.
    void
        The label(s) of elements that must not count; what that means is said by the policy.
    classes
        The class of every segment, by label.
    crowd
        Labels of segments that stand for several things at once (COCO's ``iscrowd``).
    spacing
        The distance between neighbours along each axis, for metrics that measure distances.
    allow_float
        Accept floats whose values are whole numbers. They are refused otherwise, because a resampled
        label image has values between its labels.
    allow_negative
        Accept negative labels that are neither outside nor void.

    >>> LabelArray(np.array([[1, 1], [0, 2]])).n_elements
    4
    """

    kind: ClassVar[str] = "labels"

    stored: StoredArray | None
    in_runs: RunLengthLabels | None
    outside: tuple[int, ...]
    void: tuple[int, ...]
    classes: ClassMap | None
    crowd: frozenset[int]
    spacing: tuple[float, ...]
    allow_negative: bool
    dtype: np.dtype[Any] = field(repr=False)
    _array: NDArray[Any] | None = field(repr=False)
    _shape: tuple[int, ...] = field(repr=False)

    def __init__(
        self,
        labels: Any,
        *,
        outside: int | Collection[int] | None = 0,
        void: int | Collection[int] | None = None,
        classes: ClassMap | None = None,
        crowd: int | Collection[int] | None = None,
        spacing: Sequence[float] | None = None,
        allow_float: bool = False,
        allow_negative: bool = False,
    ) -> None:
        array = _integers(labels, allow_float=allow_float)
        outside_ids, void_ids = as_ids(outside, "outside"), as_ids(void, "void")
        if set(outside_ids) & set(void_ids):
            both = min(set(outside_ids) & set(void_ids))
            raise OptionError(f"label {both} is declared both outside= and void=; choose one")
        self.__dict__.update(  # the dataclass is frozen
            stored=array if isinstance(array, StoredArray) else None,
            in_runs=array if isinstance(array, RunLengthLabels) else None,
            _array=array if isinstance(array, np.ndarray) else None,
            _shape=tuple(map(int, array.shape)),
            dtype=array.dtype,
            outside=outside_ids,
            void=void_ids,
            classes=classes,
            crowd=frozenset(as_ids(crowd, "crowd")),
            spacing=as_spacing(spacing, array.ndim),
            allow_negative=bool(allow_negative),
        )

    @classmethod
    def from_categories(
        cls,
        category: Any,
        instance: Any = None,
        *,
        things: Collection[int] = (),
        stuff: Collection[int] = (),
        unknown: str = "error",
        **facts: Any,
    ) -> LabelArray:
        """From the category and the instance of every element (of stuff, the instance does not matter).

        ``unknown`` says what elements of other categories are: an ``"error"``, ``"void"`` or ``"outside"``. The
        category of a segment becomes its class; segments are numbered by (category, instance). Give whole arrays, not
        blocks.

        >>> found = LabelArray.from_categories([[7, 7, 6, 255]], [[1, 2, 9, 0]], things={7}, stuff={6}, unknown="void")
        >>> found.labels.tolist(), found.classes, found.void
        ([[2, 3, 1, 0]], {1: 6, 2: 7, 3: 7}, (0,))
        """
        from segmetry.segmentation.categories import labels_of

        second = None if instance is None else _as_array(instance)
        labels, classes = labels_of(_as_array(category), second, things, stuff, unknown)
        outside, void = (None, 0) if unknown == "void" else (0, None)
        return cls(labels, classes=classes, outside=outside, void=void, **facts)

    @property
    def labels(self) -> NDArray[Any]:
        """All labels; of a stored array they are read anew each time."""
        if self._array is not None:
            return self._array
        return self.stored.whole() if self.stored is not None else cast(RunLengthLabels, self.in_runs).whole

    def read(self, box: Region) -> NDArray[Any]:
        """The labels of one part."""
        return self.labels[box] if self.stored is None else self.stored.read(box)

    def part(self, box: Region) -> LabelArray:
        """One part as a segmentation of its own, read into memory."""
        return self.with_labels(self.read(box))

    def with_labels(self, labels: Any, outside: Collection[int] | None = None) -> LabelArray:
        """Other labels with the same facts: outside (unless another is given), void, classes, crowd and spacing."""
        return LabelArray(
            labels,
            outside=self.outside if outside is None else outside,
            void=self.void,
            classes=self.classes,
            crowd=self.crowd,
            spacing=self.spacing,
            allow_negative=self.allow_negative,
        )

    @property
    def axes(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def n_elements(self) -> int:
        return math.prod(self._shape)

    @property
    def domain(self) -> tuple[int, ...]:
        return self._shape

    @property
    def is_disjoint(self) -> bool:
        return True

    def check_labels(self, labels: NDArray[Any], side: str) -> None:
        """Refuse negative labels of a part unless they were declared, before the rest is read."""
        negative = np.unique(labels[labels < 0])
        self.check_ids(negative[~np.isin(negative, [*self.outside, *self.void])], side)

    def check_ids(self, ids: NDArray[Any], side: str) -> None:
        """Refuse negative segment ids unless they were declared (``ids`` sorted, outside and void taken out)."""
        if ids.size and ids[0] < 0 and not self.allow_negative:
            raise NegativeLabelError(
                f"{side}: label {int(ids[0])} is negative; if it means background declare outside={int(ids[0])} "
                "(--outside), if it must not count void=… (--void), if it is a segment allow_negative=True "
                "(--allow-negative)"
            )


def _integers(labels: Any, *, allow_float: bool) -> NDArray[Any] | StoredArray | RunLengthLabels:
    """Labels that are known to be integers; stored ones are checked as they are read."""
    if isinstance(labels, RunLengthLabels):
        return _checked_kind(labels)
    stored = None if type(labels) is np.ndarray else as_stored(labels)
    if stored is None or stored.size <= READ_AT_ONCE:
        array = _as_array(labels) if stored is None or isinstance(labels, np.ndarray) else stored.whole()
        return _checked_kind(_whole_numbers(array) if array.dtype.kind == "f" and allow_float else array)
    return _checked_kind(WholeNumbers(stored) if stored.dtype.kind == "f" and allow_float else stored)


def _checked_kind(array: LabelsT) -> LabelsT:
    if array.dtype.kind not in "biu":
        hint = (
            "pass allow_float=True (--allow-float) if they are whole numbers"
            if array.dtype.kind == "f"
            else "convert them to integers first"
        )
        raise LabelTypeError(f"labels have dtype {array.dtype}; expected integers or bool: {hint}")
    if array.size == 0:
        raise EmptyInputError(f"labels have shape {tuple(array.shape)}; expected at least one element")
    return array


class WholeNumbers(StoredArray):
    """A stored array of floats that must be whole numbers, as integers."""

    def __init__(self, found: StoredArray) -> None:
        self.found, self.shape, self.edges, self.dtype = found, found.shape, found.edges, np.dtype(np.int64)

    def read(self, box: Region) -> NDArray[Any]:
        return _whole_numbers(self.found.read(box), [part.start for part in box])


def _as_array(labels: Any) -> NDArray[Any]:
    if isinstance(labels, np.ma.MaskedArray):
        raise LabelTypeError(
            "labels are a masked array, whose mask would be lost; fill it with a label of its own, "
            "labels.filled(255), and declare that label void=255 or outside=255"
        )
    if isinstance(labels, np.ndarray):
        return labels
    if hasattr(labels, "__array__") or hasattr(labels, "__dlpack__"):
        try:
            return np.asarray(labels) if hasattr(labels, "__array__") else np.from_dlpack(labels)
        except (BufferError, TypeError, RuntimeError) as problem:
            # A tensor on another device, one that requires gradients, or of a type numpy does not know.
            raise LabelTypeError(
                f"labels are a {type(labels).__name__} that numpy cannot read ({problem}); "
                "expected integers in the memory of this machine: detach it and move it to the CPU first"
            ) from None
    if isinstance(labels, list | tuple):
        try:
            return np.asarray(labels)
        except ValueError:
            raise LabelTypeError(
                "labels are a ragged list; expected a rectangular array of integers "
                "(for lists of hashables use Sets, for segment lengths Spans.from_masses)"
            ) from None
    raise LabelTypeError(f"labels are a {type(labels).__name__}; expected an array of integers")


def _whole_numbers(array: NDArray[Any], origin: Sequence[int] | None = None) -> NDArray[np.int64]:
    """Floats as integers; ``origin`` is where the array lies in a larger one, for the places errors name."""
    finite = np.isfinite(array)
    if not finite.all():
        raise LabelTypeError(f"labels hold {_first(array, ~finite, origin)}; expected whole numbers")
    fractional = array != np.trunc(array)
    if fractional.any():
        raise LabelTypeError(
            f"labels hold {_first(array, fractional, origin)}; expected whole numbers "
            "(was the image resampled with interpolation?)"
        )
    if array.size and float(np.abs(array).max()) > 2.0**53:
        raise LabelTypeError(
            f"labels hold {float(np.abs(array).max()):g}; floats beyond 2**53 have lost digits: "
            "store the labels as integers"
        )
    return array.astype(np.int64)


def _first(array: NDArray[Any], wrong: NDArray[np.bool_], origin: Sequence[int] | None) -> str:
    where = np.argwhere(wrong)[0]
    place = tuple(int(at) for at in where + (0 if origin is None else np.asarray(origin)))
    return f"{array[tuple(where)]} at {place}"
