"""Label arrays from categories and instances: as two arrays, or as values class · K + instance."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import ClassesError, InputError, LabelTypeError, OptionError, ShapeMismatchError

UNKNOWN = ("error", "void", "outside")


def labels_of(
    category: NDArray[Any],
    instance: NDArray[Any] | None,
    things: Collection[int],
    stuff: Collection[int],
    unknown: str,
) -> tuple[NDArray[np.int64], dict[int, int]]:
    """Return one label per element (0 where the category is unknown) and the category of every label.

    Elements of a thing category are one segment per instance; those of a stuff category are one segment, whatever
    their instance. Labels count 1, 2, … in the order of (category, instance).
    """
    _check_names(things, stuff, unknown)
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
    instances, instance_at = _instance_codes(None if instance is None else instance.reshape(-1)[starts], starts.size)
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


def _instance_codes(instance: NDArray[Any] | None, n: int) -> tuple[int, NDArray[np.int64]]:
    if instance is None:
        return 1, np.zeros(n, dtype=np.int64)
    values, at = np.unique(instance, return_inverse=True)
    return max(int(values.size), 1), at.astype(np.int64)


def _check_names(things: Collection[int], stuff: Collection[int], unknown: str) -> None:
    if unknown not in UNKNOWN:
        raise OptionError(f"unknown is {unknown!r}; expected one of {', '.join(UNKNOWN)}")
    if not things and not stuff:
        raise OptionError("things and stuff are both empty; expected at least one category")
    both = set(things) & set(stuff)
    if both:
        raise OptionError(f"category {min(both)} is named both as a thing and as stuff; choose one")


def _comma_separated(names: Collection[int]) -> str:
    return ", ".join(map(str, sorted(names))) or "none"


@frozen_dataclass()
class ValueClasses(Mapping[int, Hashable]):
    """The class of every integer: value // ``instances_per_class``, by its name if ``names`` has one.

    Classes follow from values, so they are known before labels are read. The mapping cannot be iterated, because every
    integer has a class.

    >>> ValueClasses()[61], ValueClasses(1000)[26_003], ValueClasses(1000, {26: "car"})[26_003]
    (61, 26, 'car')
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


@frozen_dataclass()
class WithoutInstances:
    """Removes the instance from values of the given classes, so that each of these classes has a single value.

    ``undivided`` are those of them that must not have instances: a value of such a class with an instance other
    than 0 shows that the values are not class · K + instance.
    """

    instances_per_class: int
    classes: tuple[int, ...]
    undivided: Collection[int] = ()

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values with instance 0 in these classes.

        >>> WithoutInstances(1000, (255,))(np.array([7002, 255_000, 255_009])).tolist()
        [7002, 255000, 255000]
        """
        numbers = values // self.instances_per_class
        wrong = np.isin(numbers, list(self.undivided)) & (values % self.instances_per_class != 0)
        if wrong.any():
            value, factor = int(values[wrong].flat[0]), self.instances_per_class
            number = value // factor
            raise InputError(
                f"labels contain {value} = {number} · {factor} + {value % factor}: an instance of class {number}, "
                f"which means outside; if that is right state outside={number} (--outside {number}); "
                "otherwise check the number of instances per class, or whether the values are classes"
            )
        return np.where(np.isin(numbers, self.classes), numbers * self.instances_per_class, values).astype(values.dtype)
