"""Frozen dataclasses behave as those of ``dataclasses``."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from inspect import signature
from typing import Any

import pytest

from segmetry._base.frozen_records import frozen_dataclass


@frozen_dataclass()
class Point:
    """A place."""

    x: int
    y: int = 0
    notes: list[str] = field(default_factory=list, repr=False)

    @cached_property
    def total(self) -> int:
        return self.x + self.y


@frozen_dataclass()
class Named(Point):
    name: str = "here"


@frozen_dataclass(eq=False, repr=False)
class Plain:
    x: int


@frozen_dataclass(init=False)
class Own:
    x: int

    def __init__(self, text: str) -> None:
        self.__dict__["x"] = int(text)


@frozen_dataclass()
class Aside:
    x: int = field(default=1, compare=False)
    values: tuple[int, ...] = (5,)


class Derived(Point):
    pass


def standard() -> tuple[type, type]:
    """The same classes by the standard decorator."""

    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 0
        notes: list[str] = field(default_factory=list, repr=False)

    @dataclass(frozen=True)
    class Named(Point):
        name: str = "here"

    return Point, Named


@pytest.mark.parametrize("at", [0, 1])
def test_signature_text_fields_and_annotations(at: int) -> None:
    ours, theirs = (Point, Named)[at], standard()[at]
    assert str(signature(ours)) == str(signature(theirs))
    assert repr(ours(1)).split("(")[1] == repr(theirs(1)).split("(")[1]
    assert [entry.name for entry in fields(ours)] == [entry.name for entry in fields(theirs)]
    assert ours.__match_args__ == theirs.__match_args__  # type: ignore[attr-defined]
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert asdict(ours(1)) == asdict(theirs(1))


def test_equality_and_hash() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0, [])
    assert Plain(1) != Plain(1)
    assert isinstance(hash(Plain(1)), int)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))
    assert repr(Plain(1)).startswith("<")
    assert Aside(1) == Aside(2)
    assert Aside(values=(7,)).values == (7,)
    assert hash(Aside(1)) == hash(Aside(2))
    assert hash(Own("1")) == hash(Own("1"))


def test_defaults_are_made_anew_and_values_kept() -> None:
    assert Point(1).notes is not Point(1).notes
    assert Named(1, name="there").name == "there"
    assert replace(Named(1), y=4) == Named(1, 4)
    assert Point(1, 2).total == 3
    assert Own("7").x == 7
    assert (Point.__doc__, Plain.__doc__) == ("A place.", None)


def sent(point: Any) -> Any:
    return pickle.loads(pickle.dumps(point))  # noqa: S301 - our own


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, sent])
def test_copies(copied: Callable[[Any], Any]) -> None:
    assert copied(Named(1, 2, ["a"])) == Named(1, 2, ["a"])


def test_attributes_cannot_change() -> None:
    point: Any = Point(1)
    for change in (lambda: setattr(point, "x", 2), lambda: setattr(point, "new", 2), lambda: delattr(point, "x")):
        with pytest.raises(FrozenInstanceError, match="cannot"):
            change()
    derived: Any = Derived(1)
    derived.new = 3
    del derived.new
    with pytest.raises(FrozenInstanceError):
        derived.x = 3


def test_wrong_definitions() -> None:
    with pytest.raises(TypeError, match="missing 1 required"):
        Point()  # type: ignore[call-arg]

    class Odd:
        x: int = field(default=0, init=False)

    class Taken:
        _filled: int

    with pytest.raises(TypeError, match="Taken: a field has a name"):
        frozen_dataclass()(Taken)
    with pytest.raises(TypeError, match="Odd: a field has a name or an option"):
        frozen_dataclass()(Odd)


def test_a_check_after_init_is_called() -> None:
    class Checked:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError(self.x)

    made: Any = frozen_dataclass()(Checked)
    assert made(1).x == 1
    with pytest.raises(ValueError, match="-1"):
        made(-1)
