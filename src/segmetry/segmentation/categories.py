"""Label arrays from two arrays: the category and the instance of every element."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import ClassesError, LabelTypeError, OptionError, ShapeMismatchError

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
    starts, lengths = _stretches(category, instance)
    of_stretch = category.reshape(-1)[starts]
    categories, category_at = np.unique(of_stretch, return_inverse=True)
    is_thing = np.array([int(value) in things for value in categories], dtype=bool)
    is_known = is_thing | np.array([int(value) in stuff for value in categories], dtype=bool)
    if unknown == "error" and not is_known.all():
        first = int(categories[~is_known][0])
        raise ClassesError(
            f"category {first} is neither a thing ({_listed(things)}) nor stuff ({_listed(stuff)}); "
            "name it, or pass unknown='void' or unknown='outside'"
        )
    instances, instance_at = _codes(None if instance is None else instance.reshape(-1)[starts], starts.size)
    # Both factors are at most the number of elements of an array that exists, so the product fits into int64.
    joint = category_at.astype(np.int64) * instances + np.where(is_thing[category_at], instance_at, 0)
    codes, label_at = np.unique(joint, return_inverse=True)
    known = is_known[codes // instances]
    labels = np.where(known, np.cumsum(known), 0).astype(np.int64)
    classes = {int(labels[at]): int(categories[code // instances]) for at, code in enumerate(codes) if known[at]}
    return np.repeat(labels[label_at], lengths).reshape(category.shape), classes


def _stretches(category: NDArray[Any], instance: NDArray[Any] | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where stretches of equal category and instance start, and their lengths: far fewer than elements."""
    flat = category.reshape(-1)
    changes = flat[1:] != flat[:-1]
    if instance is not None:
        second = instance.reshape(-1)
        changes |= second[1:] != second[:-1]
    starts = np.flatnonzero(np.concatenate((np.ones(min(flat.size, 1), dtype=bool), changes)))
    return starts, np.diff(starts, append=flat.size)


def _codes(instance: NDArray[Any] | None, n: int) -> tuple[int, NDArray[np.int64]]:
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


def _listed(names: Collection[int]) -> str:
    return ", ".join(map(str, sorted(names))) or "none"
