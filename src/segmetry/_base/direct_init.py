"""A fast ``__init__`` for frozen dataclasses that are made in every call of a metric.

The one that ``dataclass`` writes calls ``object.__setattr__`` for each field, four times as slow as filling the
dictionary of the instance; with a few dozen fields per call that is a good part of the cost of a small comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar

Made = TypeVar("Made")


def direct_init(cls: type[Made]) -> type[Made]:
    """Give a frozen dataclass an ``__init__`` with the same parameters that fills the dictionary of the instance.

    >>> from dataclasses import dataclass, field
    >>> @direct_init
    ... @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    ...     notes: dict[str, str] = field(default_factory=dict)
    >>> Point(1), Point(1, y=2) == Point(1, 2), Point(1).notes is Point(1).notes
    (Point(x=1, y=0, notes={}), True, False)
    """
    if hasattr(cls, "__post_init__") or any(not field.init or field.kw_only for field in fields(cls)):  # type: ignore[arg-type]
        raise TypeError(f"{cls.__name__}: __post_init__, init=False and kw_only are not supported")
    known: dict[str, Any] = {"_MISSING": MISSING}
    parameters, steps = ["self"], ["    values = self.__dict__"]
    for field in fields(cls):  # type: ignore[arg-type]
        name, value = field.name, field.name
        if field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        elif field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameters.append(f"{name}=_MISSING")
            value = f"_make_{name}() if {name} is _MISSING else {name}"
        else:
            parameters.append(name)
        steps.append(f"    values[{name!r}] = {value}")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *steps]), known)  # noqa: S102 - names of fields only
    made: Callable[..., None] = known["__init__"]
    made.__annotations__ = dict(cls.__init__.__annotations__)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__ = made  # type: ignore[method-assign]
    return cls
