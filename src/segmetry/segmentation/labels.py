"""Label arrays: every element carries the id of its segment. Images, volumes, video, point clouds."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import (
    ClassesError,
    EmptyInputError,
    InputError,
    LabelTypeError,
    NegativeLabelError,
    OptionError,
    ShapeMismatchError,
)
from segmetry.kernels import DeviceLabels, LabelRunLengths
from segmetry.segmentation.base import ClassMap, Segmentation, as_crowd, as_ids
from segmetry.segmentation.spacing import Spacing, as_spacing
from segmetry.storage import READ_AT_ONCE, Region, StoredArray


@frozen_dataclass(eq=False)
class RunLengthLabels:
    """The run lengths of a label array of a shape and dtype, in the order of its elements (C order).

    ``sizes`` are the labels that occur, in ascending order, and the number of elements of each, where they are known.
    """

    run_lengths: LabelRunLengths
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def whole(self) -> NDArray[Any]:
        lengths = np.diff(self.run_lengths.stops, prepend=0)
        return np.repeat(self.run_lengths.labels.astype(self.dtype), lengths).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.whole, dtype=dtype, copy=copy)


COUNTED_AT_ONCE = 2**22
"""The most elements whose segments are counted to show a label array: a few hundredths of a second."""

NUMBERED = "numpy.unique(labels, return_inverse=True)[1].reshape(numpy.shape(labels)) + 1"
"""How text, or anything else that can be sorted, becomes labels."""

_WITHOUT_COORDINATES = np.ndarray, RunLengthLabels

LabelsT = TypeVar("LabelsT", NDArray[Any], StoredArray, RunLengthLabels, DeviceLabels)


@frozen_dataclass(eq=False, init=False, repr=False)
class LabelArray(Segmentation):
    """An n-dimensional array of integer labels; equal labels are one segment, connected or not.

    Parameters
    ----------
    labels
        Any integer or bool array, of any strides, or an object with ``__dlpack__`` or ``__array__``. It is not copied.
        The coordinates of an ``xarray.DataArray`` give the spacing.
        Large arrays of zarr, h5py and dask and memory maps are not loaded: overlaps are counted block by block, and
        ``labels`` reads all of it on request. Label images read from files are kept as run lengths, which is all that
        overlaps need; ``labels`` gives their elements. Tensors on a GPU (torch, or anything with ``__dlpack__``) stay
        there: their overlaps are counted on the device.
    outside
        The label(s) that mean "in no segment"; None if every label is a segment.
    void
        The label(s) of elements that must not count; the policy defines how.
    classes
        The class of every segment, by label.
    crowd
        Labels of segments that stand for several objects at once (COCO's ``iscrowd``), in the order in which the data
        set lists them: the policy ``coco`` uses only the last one of a class. The labels of a set are in ascending
        order.
    spacing
        The distance between neighbours along each axis, for metrics that measure distances; 1 if it is not known.
    unit
        The unit of ``spacing``, such as ``"mm"``; it is printed with distances.
    allow_float
        Accept floats with integer values. They are rejected by default, because a resampled label image has values
        between its labels.
    allow_negative
        Accept negative labels that are neither outside nor void.

    Examples
    --------
    >>> LabelArray(np.array([[1, 1], [0, 2]], np.uint8), void=255)
    LabelArray(shape (2, 2), uint8, 2 segments, outside 0, void 255)
    """

    kind: ClassVar[str] = "labels"

    stored: StoredArray | None
    run_length_labels: RunLengthLabels | None
    on_device: DeviceLabels | None
    outside: tuple[int, ...]
    void: tuple[int, ...]
    classes: ClassMap | None
    crowd: tuple[int, ...]
    spacing: Spacing
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
        unit: str | None = None,
        allow_float: bool = False,
        allow_negative: bool = False,
    ) -> None:
        if type(labels) not in _WITHOUT_COORDINATES and hasattr(labels, "coords"):  # a DataArray of xarray
            from segmetry.segmentation.spacing import spacing_of_coordinates

            spacing = spacing_of_coordinates(labels) if spacing is None else spacing
            labels = labels.data
        array = _integer_labels(labels, allow_float=allow_float)
        outside_ids, void_ids = as_ids(outside, "outside"), as_ids(void, "void")
        if void_ids and set(outside_ids) & set(void_ids):
            both = min(set(outside_ids) & set(void_ids))
            raise OptionError(f"label {both} is declared both outside= and void=; choose one")
        in_memory, in_run_lengths = isinstance(array, np.ndarray), isinstance(array, RunLengthLabels)
        elsewhere = not (in_memory or in_run_lengths)
        self.__dict__.update(  # the dataclass is frozen
            stored=array if elsewhere and isinstance(array, StoredArray) else None,
            run_length_labels=array if in_run_lengths else None,
            on_device=array if elsewhere and isinstance(array, DeviceLabels) else None,
            _array=array if in_memory else None,
            _shape=tuple(map(int, array.shape)) if elsewhere else array.shape,
            dtype=array.dtype,
            outside=outside_ids,
            void=void_ids,
            classes=classes,
            crowd=as_crowd(crowd),
            spacing=as_spacing(spacing, array.ndim, unit),
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
        """Build from the category and the instance of every element (the instance of stuff is ignored).

        ``unknown`` is how elements of other categories are treated: ``"error"``, ``"void"`` or ``"outside"``. The
        category of a segment becomes its class; segments are numbered by (category, instance). Pass complete
        arrays, not blocks.

        >>> array = LabelArray.from_categories([[7, 7, 6, 255]], [[1, 2, 9, 0]], things={7}, stuff={6}, unknown="void")
        >>> array.labels.tolist(), array.classes, array.void
        ([[2, 3, 1, 0]], {1: 6, 2: 7, 3: 7}, (0,))
        """
        second = None if instance is None else _as_array(instance)
        labels, classes = labels_of(_as_array(category), second, things, stuff, unknown)
        outside, void = (None, 0) if unknown == "void" else (0, None)
        return cls(labels, classes=classes, outside=outside, void=void, **facts)

    @classmethod
    def from_classes(
        cls,
        values: Any,
        *,
        instances_per_class: int | None = None,
        names: Mapping[int, Hashable] | None = None,
        **facts: Any,
    ) -> LabelArray:
        """Build from values that are classes (a semantic map), one segment per class; or class · K + instance.

        ``instances_per_class`` is K: without it every value is a class. ``names`` are names of classes; a class without
        one is named by its number. ``facts`` are other arguments of the constructor; ``outside`` and ``void`` are
        classes here, and with K they stand for all their instances. A value of class 0 with an instance other than 0 is
        an error unless ``outside`` is stated.

        >>> semantic = LabelArray.from_classes([[60, 61, 0]])
        >>> semantic.labels.tolist(), semantic.classes[60], semantic.outside
        ([[60, 61, 0]], 60, (0,))
        >>> panoptic = LabelArray.from_classes([[7000, 26001, 26002]], instances_per_class=1000, names={26: "car"})
        >>> [panoptic.classes[label] for label in (7000, 26001, 26002)]
        [7, 'car', 'car']
        """
        from segmetry.segmentation.value_map import replace_values

        classes = ValueClasses(instances_per_class or 1, names or {})
        array = cls(values, classes=classes, **facts)
        if instances_per_class is None:
            return array
        if instances_per_class < 2:
            raise OptionError(f"instances_per_class is {instances_per_class}; expected at least 2, such as 1000")
        undivided = () if "outside" in facts else array.outside
        ignored = (*array.outside, *array.void)
        function = partial(without_instances, factor=instances_per_class, classes=ignored, undivided=undivided)
        outside, void = ([number * instances_per_class for number in side] for side in (array.outside, array.void))
        return array.with_labels(replace_values(array, function), outside, void)

    @property
    def labels(self) -> NDArray[Any]:
        """All labels; a stored array is read again each time, and a tensor on a device is copied."""
        if self._array is not None:
            return self._array
        if self.on_device is not None:
            return self.on_device.whole()
        return self.stored.whole() if self.stored is not None else cast(RunLengthLabels, self.run_length_labels).whole

    def read(self, box: Region) -> NDArray[Any]:
        """Read the labels of a region."""
        return self.labels[box] if self.stored is None else self.stored.read(box)

    def part(self, box: Region) -> LabelArray:
        """Read a region into memory as a segmentation of its own."""
        return self.with_labels(self.read(box))

    def with_labels(
        self, labels: Any, outside: Collection[int] | None = None, void: Collection[int] | None = None
    ) -> LabelArray:
        """Return other labels with the same classes, crowd and spacing, and the same outside and void by default."""
        return LabelArray(
            labels,
            outside=self.outside if outside is None else outside,
            void=self.void if void is None else void,
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

    @property
    def labels_in_memory(self) -> NDArray[Any] | None:
        """Labels that contain every label at least once, where that needs no reading and little time; else None."""
        if self.run_length_labels is not None:
            return self.run_length_labels.run_lengths.labels
        return self._array if self._array is not None and self._array.size <= COUNTED_AT_ONCE else None

    def __repr__(self) -> str:
        labels = self.labels_in_memory
        others = {*self.outside, *self.void}
        words = [f"shape {self._shape}", str(self.dtype)]
        if labels is None:
            words.append("segments not counted")
        else:
            n_segments = sum(label not in others for label in np.unique(labels).tolist())
            words.append(f"{n_segments} segment{'s' * (n_segments != 1)}")
        for name, ids in (("outside", self.outside), ("void", self.void), ("crowd", self.crowd)):
            words += [f"{name} {', '.join(map(str, ids[:5]))}{' …' * (len(ids) > 5)}"] if ids else []
        if isinstance(self.classes, ValueClasses):
            words.append("labels are classes" if self.classes.instances_per_class == 1 else "labels contain classes")
        elif self.classes is not None:
            words.append(f"{len(set(self.classes.values()))} classes")
        if self.spacing.stated:
            words.append(f"spacing {self.spacing}")
        return f"LabelArray({', '.join(words)})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(repr(self))}</p>"

    def check_labels(self, labels: NDArray[Any], side: str) -> None:
        """Raise for undeclared negative labels of a region, before the rest is read."""
        if not labels.size or labels.min() >= 0:
            return
        negative = np.unique(labels[labels < 0])
        self.check_ids(negative[~np.isin(negative, [*self.outside, *self.void])], side)

    def check_ids(self, ids: NDArray[Any], side: str) -> None:
        """Raise for negative segment ids unless they were declared (``ids`` sorted, without outside and void)."""
        if ids.size and ids[0] < 0 and not self.allow_negative:
            raise NegativeLabelError(
                f"{side}: label {int(ids[0])} is negative; if it means background declare outside={int(ids[0])} "
                "(--outside), if it must not count void=… (--void), if it is a segment allow_negative=True "
                "(--allow-negative)"
            )


def _integer_labels(labels: Any, *, allow_float: bool) -> NDArray[Any] | StoredArray | RunLengthLabels | DeviceLabels:
    """Return labels that are known to be integers; stored ones are checked when they are read."""
    if type(labels) is np.ndarray:
        return _checked_kind(_as_integers(labels) if labels.dtype.kind == "f" and allow_float else labels)
    if isinstance(labels, RunLengthLabels):
        return _checked_kind(labels)
    on_device = DeviceLabels.of(labels)
    if on_device is not None:
        return _checked_kind(on_device)
    stored = None
    if not isinstance(labels, list | tuple):
        from segmetry.storage import as_stored

        stored = as_stored(labels)
    if stored is None or stored.size <= READ_AT_ONCE:
        array = _as_array(labels) if stored is None or isinstance(labels, np.ndarray) else stored.whole()
        _check_frame(labels, array)
        return _checked_kind(_as_integers(array) if array.dtype.kind == "f" and allow_float else array)
    return _checked_kind(StoredFloats(stored) if stored.dtype.kind == "f" and allow_float else stored)


def _check_frame(labels: Any, array: NDArray[Any]) -> None:
    """Raise for a data frame with columns of several types: it is a table, not an array of labels."""
    columns = getattr(labels, "columns", None)
    if columns is not None and array.dtype.kind not in "biu":
        names = ", ".join(map(str, list(columns)[:5]))
        raise LabelTypeError(
            f"labels are a {type(labels).__name__} with the columns {names}; expected an array of integers: pass the "
            "column of the labels, frame['label'].to_numpy(), or its segments, Spans(frame['start'], frame['stop'], n)"
        )


def _checked_kind(array: LabelsT) -> LabelsT:
    if array.dtype.kind not in "biu":
        hint = (
            "if their values are integers, LabelArray(labels, allow_float=True) takes them (--allow-float); "
            "probabilities first need a threshold, or the argmax over classes"
            if array.dtype.kind == "f"
            else f"number them first, {NUMBERED}; text and sound are made by "
            "Spans.from_tags(tags), Spans.from_frame_labels(labels) or TimeIntervals.from_seconds([(0, 2.5), …])"
        )
        raise LabelTypeError(f"labels have dtype {array.dtype}; expected integers or bool: {hint}")
    if array.size == 0:
        raise EmptyInputError(f"labels have shape {tuple(array.shape)}; expected at least one element")
    return array


class StoredFloats(StoredArray):
    """A stored array of floats with integer values, read as integers."""

    def __init__(self, stored: StoredArray) -> None:
        self.stored, self.shape, self.edges, self.dtype = stored, stored.shape, stored.edges, np.dtype(np.int64)

    def read(self, box: Region) -> NDArray[Any]:
        return _as_integers(self.stored.read(box), [part.start for part in box])


def _as_array(labels: Any) -> NDArray[Any]:
    # The module is imported where there is a masked array; another thread may be about to import it.
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and isinstance(labels, masked):
        raise LabelTypeError(
            "labels are a masked array, whose mask would be lost; fill it with an unused label, "
            "labels.filled(255), and declare that label void=255 or outside=255"
        )
    if isinstance(labels, np.ndarray):
        return labels
    if hasattr(labels, "__array__") or hasattr(labels, "__dlpack__"):
        try:
            return np.asarray(labels) if hasattr(labels, "__array__") else np.from_dlpack(labels)
        except (BufferError, TypeError, RuntimeError) as problem:
            # A tensor on another device, one that requires gradients, or of a type that numpy does not have.
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


def _as_integers(array: NDArray[Any], origin: Sequence[int] | None = None) -> NDArray[np.int64]:
    """Convert floats to integers; ``origin`` is the position of the array in a larger one, for error messages."""
    finite = np.isfinite(array)
    if not finite.all():
        raise LabelTypeError(f"labels contain {_first_wrong(array, ~finite, origin)}; expected integers")
    fractional = array != np.trunc(array)
    if fractional.any():
        raise LabelTypeError(
            f"labels contain {_first_wrong(array, fractional, origin)}; expected integers "
            "(was the image resampled with interpolation?)"
        )
    if array.size and float(np.abs(array).max()) > 2.0**53:
        raise LabelTypeError(
            f"labels contain {float(np.abs(array).max()):g}; floats beyond 2**53 have lost digits: "
            "store the labels as integers"
        )
    return array.astype(np.int64)


def _first_wrong(array: NDArray[Any], wrong: NDArray[np.bool_], origin: Sequence[int] | None) -> str:
    where = np.argwhere(wrong)[0]
    place = tuple(int(at) for at in where + (0 if origin is None else np.asarray(origin)))
    return f"{array[tuple(where)]} at {place}"


UNKNOWN = ("error", "void", "outside")


def labels_of(
    category: NDArray[Any], instance: NDArray[Any] | None, things: Collection[int], stuff: Collection[int], unknown: str
) -> tuple[NDArray[np.int64], dict[int, int]]:
    """Return one label per element (0 where the category is unknown) and the category of every label.

    Elements of a thing category are one segment per instance; those of a stuff category are one segment, whatever
    their instance. Labels count 1, 2, … in the order of (category, instance).
    """
    if unknown not in UNKNOWN:
        raise OptionError(f"unknown is {unknown!r}; expected one of {', '.join(UNKNOWN)}")
    if not things and not stuff:
        raise OptionError("things and stuff are both empty; expected at least one category")
    if both := set(things) & set(stuff):
        raise OptionError(f"category {min(both)} is named both as a thing and as stuff; choose one")
    if instance is not None and instance.shape != category.shape:
        raise ShapeMismatchError(
            f"category has shape {category.shape} and instance {instance.shape}; expected one instance per element"
        )
    for name, array in (("category", category), ("instance", instance)):
        if array is not None and array.dtype.kind not in "biu":
            raise LabelTypeError(f"{name} has dtype {array.dtype}; expected integers")
    starts, lengths = _joint_runs(category, instance)
    of_run = category.reshape(-1)[starts]
    categories, category_at = np.unique(of_run, return_inverse=True)
    is_thing = np.array([int(value) in things for value in categories], dtype=bool)
    is_known = is_thing | np.array([int(value) in stuff for value in categories], dtype=bool)
    if unknown == "error" and not is_known.all():
        first = int(categories[~is_known][0])
        raise ClassesError(
            f"category {first} is neither a thing ({_comma_separated(things)}) nor stuff ({_comma_separated(stuff)}); "
            "name it, or pass unknown='void' or unknown='outside'"
        )
    instances, instance_at = 1, np.zeros(starts.size, dtype=np.intp)
    if instance is not None:
        values, instance_at = np.unique(instance.reshape(-1)[starts], return_inverse=True)
        instances = max(int(values.size), 1)
    # Both factors are at most the number of elements of an array that exists, so the product fits into int64.
    joint = category_at.astype(np.int64) * instances + np.where(is_thing[category_at], instance_at, 0)
    codes, label_at = np.unique(joint, return_inverse=True)
    known = is_known[codes // instances]
    labels = np.where(known, np.cumsum(known), 0).astype(np.int64)
    classes = {int(labels[at]): int(categories[code // instances]) for at, code in enumerate(codes) if known[at]}
    return np.repeat(labels[label_at], lengths).reshape(category.shape), classes


def _joint_runs(category: NDArray[Any], instance: NDArray[Any] | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where runs of equal category and instance start, and their lengths: far fewer than elements."""
    flat = category.reshape(-1)
    changes = flat[1:] != flat[:-1]
    if instance is not None:
        second = instance.reshape(-1)
        changes |= second[1:] != second[:-1]
    starts = np.flatnonzero(np.concatenate((np.ones(min(flat.size, 1), dtype=bool), changes)))
    return starts, np.diff(starts, append=flat.size)


def _comma_separated(names: Collection[int]) -> str:
    return ", ".join(map(str, sorted(names))) or "none"


@frozen_dataclass()
class ValueClasses(Mapping[int, Hashable]):
    """The class of every integer: value // ``instances_per_class``, by its name if ``names`` has one.

    Classes follow from values, so they are known before labels are read. The mapping cannot be iterated, because every
    integer has a class.
    """

    instances_per_class: int = 1
    names: Mapping[int, Hashable] = field(default_factory=dict)

    def __getitem__(self, value: int) -> Hashable:
        number = value // self.instances_per_class
        return self.names.get(number, number)

    def __iter__(self) -> Iterator[int]:
        raise TypeError("every integer has a class; the classes of labels cannot be listed without the labels")

    def __len__(self) -> int:
        raise TypeError("every integer has a class; the classes of labels cannot be counted without the labels")

    def __bool__(self) -> bool:
        return True


def without_instances(
    values: NDArray[Any], factor: int, classes: tuple[int, ...], undivided: Collection[int] = ()
) -> NDArray[Any]:
    """Return values with instance 0 in the given classes; in those ``undivided`` another instance is an error."""
    numbers = values // factor
    wrong = np.isin(numbers, list(undivided)) & (values % factor != 0)
    if wrong.any():
        value = int(values[wrong].flat[0])
        number = value // factor
        raise InputError(
            f"labels contain {value} = {number} · {factor} + {value % factor}: an instance of class {number}, "
            f"which means outside; if that is right state outside={number} (--outside {number}); "
            "otherwise check the number of instances per class, or whether the values are classes"
        )
    return np.where(np.isin(numbers, classes), numbers * factor, values).astype(values.dtype)
