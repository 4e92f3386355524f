"""Scores per class, and their means over groups of classes: things, stuff, all."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

from segmetry.alignments.policy import Policy
from segmetry.errors import ClassesError, OptionError

Groups = Mapping[str, Collection[Hashable]]
ALL = "all"


def checked_undefined(undefined: Any) -> float | None:
    """Return the value that replaces an undefined one in a mean; None and NaN leave it out.

    >>> checked_undefined(0), checked_undefined(float("nan"))
    (0.0, None)
    """
    if undefined is None or (isinstance(undefined, float) and math.isnan(undefined)):
        return None
    if isinstance(undefined, bool) or undefined not in (0, 1):
        raise OptionError(f"undefined is {undefined!r}; expected 0, 1 or nan")
    return float(undefined)


def value_without_class(*, both_empty: float | None = None) -> float | None:
    """Return the value of a class in an item that has it on neither side, from the option that states it."""
    return checked_undefined(both_empty)


def in_class_means(undefined: float | None, policy: Policy) -> float | None:
    """Return the value of an undefined score in a mean over classes: the user's, else that of the policy."""
    return policy.undefined if undefined is None else checked_undefined(undefined)


def checked_groups(groups: Groups | None) -> dict[str, frozenset[Hashable]]:
    """Return groups of classes by name; ``all`` is predefined and cannot be redefined."""
    for name, classes in (groups or {}).items():
        if isinstance(classes, str | bytes):
            raise OptionError(
                f"group {name!r} is the text {classes!r}; expected a collection of classes, such as [{classes!r}]"
            )
    classes_of = {name: frozenset(classes) for name, classes in (groups or {}).items()}
    if ALL in classes_of:
        raise OptionError("groups name 'all', which is predefined as all classes; choose another name")
    return classes_of


def members(name: str, groups: Mapping[str, frozenset[Hashable]], classes: Iterable[Hashable]) -> list[Hashable]:
    """Return the classes of a group among those that occur."""
    return [class_name for class_name in classes if name == ALL or class_name in groups[name]]


def needs_classes(key: str) -> ClassesError:
    """Return the error of segments without classes."""
    return ClassesError(f"{key} is a mean over classes, but the segments carry none; give classes= on both sides")
