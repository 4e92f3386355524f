"""Dataclasses that are quick to define and quick to make: the definitions of ``dataclasses``, without its code.

``dataclasses.dataclass`` writes and compiles six methods for each frozen class, which takes half a millisecond; a first
metric defines sixty classes, a command two hundred. The ``__init__`` that it writes calls ``object.__setattr__`` for
each field, four times as slow as filling the dictionary of the instance. Here only ``__init__`` is compiled, when it is
first used (a command makes instances of a fifth of its classes), and the other methods are shared by all classes.
``fields``, ``replace`` and ``asdict`` of ``dataclasses`` work as for any dataclass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Made = TypeVar("Made")


class _MadeAnew:
    """The default, in the signature, of a field with a default factory."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE_ANEW = _MadeAnew()


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen_dataclass(
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as dataclasses names it
    init: bool = True,
    kw_only: bool = False,
) -> Callable[[type[Made]], type[Made]]:
    """Make a frozen dataclass of a class.

    Parameters are those of ``dataclasses.dataclass``, and ``field`` takes a default, a default factory, ``repr`` and
    ``compare``.

    >>> from dataclasses import field, replace
    >>> @frozen_dataclass()
    ... class Point:
    ...     x: int
    ...     y: int = 0
    ...     notes: dict[str, str] = field(default_factory=dict)
    >>> Point(1), Point(1, y=2) == Point(1, 2), Point(1).notes is Point(1).notes, replace(Point(1), y=3).y
    (Point(x=1, y=0, notes={}), True, False, 3)
    """

    def decorate(cls: type[Made]) -> type[Made]:
        made: Any = cls
        documented, inherits = cls.__doc__, any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
        made.__doc__ = documented or "undocumented"  # dataclasses would write the signature
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=inherits, kw_only=kw_only)(made)
        made.__doc__ = documented
        fields = dataclasses.fields(made)
        if any(not field.init or field.hash is not None or field.name == "_filled" for field in fields):
            raise TypeError(f"{cls.__name__}: a field has a name or an option that is not supported")
        if init and "__init__" not in cls.__dict__:
            made.__init__ = _InitOnDemand(made)
        if repr and "__repr__" not in cls.__dict__:
            made.__repr__ = _repr
        if eq:
            compared = [field.name for field in fields if field.compare]
            made.__compared_values__ = attrgetter(*compared) if compared else staticmethod(_nothing)
            made.__hash__ = cls.__dict__.get("__hash__") or _hash
            made.__eq__ = cls.__dict__.get("__eq__", _eq)
        made.__setattr__, made.__delattr__ = _setattr, _delattr
        made.__dataclass_params__.frozen = True
        return cls

    return decorate


class _InitOnDemand:
    """The ``__init__`` of a class until it is used, by an instance, a subclass or a look at its signature."""

    def __init__(self, cls: type) -> None:
        self.cls: Any = cls

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]:
        made: Any = _init(self.cls, dataclasses.fields(self.cls))
        self.cls.__init__ = made
        bound: Callable[..., None] = made.__get__(instance, owner)
        return bound


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    """Return an ``__init__`` that fills the dictionary of the instance."""
    known: dict[str, Any] = {"_MADE_ANEW": _MADE_ANEW}
    parameters, steps = ["self"], ["    _filled = self.__dict__"]
    for field in sorted(fields, key=attrgetter("kw_only")):
        name, value = field.name, field.name
        if field.kw_only and "*" not in parameters:
            parameters.append("*")
        if field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        elif field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameters.append(f"{name}=_MADE_ANEW")
            value = f"_make_{name}() if {name} is _MADE_ANEW else {name}"
        else:
            parameters.append(name)
        steps.append(f"    _filled[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        steps.append("    self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *steps]), known)  # noqa: S102 - names of fields only
    made: Callable[..., None] = known["__init__"]
    made.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    return made


def _nothing(_instance: object) -> tuple[()]:
    """Return what is compared where no field is."""
    return ()


def _repr(self: Any) -> str:
    shown = [field.name for field in dataclasses.fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self is other or self.__compared_values__(self) == self.__compared_values__(other)


def _hash(self: Any) -> int:
    return hash(self.__compared_values__(self))


def _setattr(self: Any, name: str, value: Any) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _delattr(self: Any, name: str) -> None:
    if _is_frozen(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_frozen(instance: Any, name: str) -> bool:
    """Return whether an attribute may not change: any of a dataclass, and the fields of a class derived from one."""
    return "__dataclass_fields__" in type(instance).__dict__ or name in instance.__dataclass_fields__


MOST_SHOWN = 4
"""A collection of more is shown by its length."""


def short_repr(self: Any) -> str:
    """Return the fields of a record on one line, long collections by their lengths.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Found:
    ...     name: str
    ...     rows: tuple[int, ...]
    ...     __repr__ = short_repr
    >>> Found("all", tuple(range(9)))
    Found(name='all', rows=tuple of 9)
    """
    parts = [f"{one.name}={_shortened_value(getattr(self, one.name))}" for one in dataclasses.fields(self) if one.repr]
    return f"{type(self).__name__}({', '.join(part for part in parts if part)})"


def _shortened_value(value: Any) -> str:
    try:
        length = None if isinstance(value, str) else len(value)
    except TypeError:
        length = None
    if length is not None and length > MOST_SHOWN:
        return f"{type(value).__name__} of {length}"
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__}(…)"
