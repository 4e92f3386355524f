"""Options of readers: facts about a file that a user may state because the file does not contain them.

An option is declared once, beside the reader that uses it. The command line, TOML files, run files, shell completion
and the Python interface follow from the declaration.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from operator import index
from typing import Any, Generic, TypeVar

from segmetry._base.exact import fraction
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import OptionError
from segmetry.segmentation.base import as_ids

T = TypeVar("T")


class OptionType(ABC, Generic[T]):
    """The values of an option."""

    accepts_none = False
    """Whether None is a value of its own, and not the same as leaving the option out."""
    several = False
    """Whether the option may be given several times; it then gets all values at once."""

    @abstractmethod
    def check(self, value: Any, name: str) -> T:
        """Return the value a reader gets for a value, or its text, that a user states; raise OptionError otherwise."""

    def plain(self, value: T) -> Any:
        """Return the value as JSON can store it; :meth:`check` accepts the result."""
        return value


@frozen_dataclass()
class Text(OptionType[str]):
    """Any text."""

    def check(self, value: Any, name: str) -> str:
        if not isinstance(value, str):
            raise OptionError(f"{name} is {value!r}; expected text")
        return value


@frozen_dataclass()
class Flag(OptionType[bool]):
    """On or off."""

    def check(self, value: Any, name: str) -> bool:
        if not isinstance(value, bool):
            raise OptionError(f"{name} is {value!r}; expected True or False")
        return value


@frozen_dataclass()
class Choice(OptionType[str]):
    """One of a few words.

    >>> Choice(("gap", "force")).check("force", "first")
    'force'
    """

    choices: tuple[str, ...]

    def check(self, value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise OptionError(f"{name} is {value!r}; expected one of {', '.join(self.choices)}")
        return value


@frozen_dataclass()
class Integer(OptionType[int]):
    """An integer, perhaps with a least value."""

    least: int | None = None

    def check(self, value: Any, name: str) -> int:
        try:
            number = int(value) if isinstance(value, str) else index(value)
        except (TypeError, ValueError):
            raise OptionError(f"{name} is {value!r}; expected an integer") from None
        if isinstance(value, bool) or (self.least is not None and number < self.least):
            least = "" if self.least is None else f" of at least {self.least}"
            raise OptionError(f"{name} is {value!r}; expected an integer{least}")
        return number


@frozen_dataclass()
class PositiveNumber(OptionType[Fraction]):
    """An exact number above 0: a decimal or a fraction, as it is written.

    >>> PositiveNumber("duration").check("0.01", "tick")
    Fraction(1, 100)
    """

    noun: str

    def check(self, value: Any, name: str) -> Fraction:
        number = fraction(value, name)
        if number <= 0:
            raise OptionError(f"{name} is {number}; expected a positive {self.noun}")
        return number

    def plain(self, value: Fraction) -> str:
        return str(value)


@frozen_dataclass()
class NumberFromZero(OptionType[Fraction]):
    """An exact number of at least 0.

    >>> NumberFromZero("distance").check("2.5", "section_border")
    Fraction(5, 2)
    """

    noun: str

    def check(self, value: Any, name: str) -> Fraction:
        number = fraction(value, name)
        if number < 0:
            raise OptionError(f"{name} is {number}; expected a {self.noun} of at least 0")
        return number

    def plain(self, value: Fraction) -> str:
        return str(value)


@frozen_dataclass()
class Labels(OptionType[int | tuple[int, ...] | None]):
    """One label, several, or None for no label at all.

    >>> Labels().check({255, 3}, "void"), Labels().check(0, "outside")
    ((3, 255), 0)
    """

    accepts_none = True
    several = True

    def check(self, value: Any, name: str) -> int | tuple[int, ...] | None:
        labels = as_ids(value, name)
        if value is None:
            return None
        return index(value) if hasattr(value, "__index__") else labels

    def plain(self, value: int | tuple[int, ...] | None) -> int | list[int] | None:
        return list(value) if isinstance(value, tuple) else value


@frozen_dataclass()
class Option(Generic[T]):
    """One option: its name in Python, its values, the value where nothing is stated, and its help.

    ``none_flag`` names a further flag of the command line that stands for None, with ``none_help``. An option that may
    differ between truth and prediction is ``per_side``: ``true_NAME`` and ``pred_NAME`` state it for one side.

    >>> Option("class_field", "Property that contains the class.", Text(), None).flag
    '--class-field'
    """

    name: str
    help: str
    type: OptionType[Any]
    default: T
    metavar: str | None = None
    none_flag: str | None = None
    none_help: str = ""
    per_side: bool = False

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return self.flag_of(None)

    def flag_of(self, side: str | None) -> str:
        """Return the option of the command line that states it for one side, or for both.

        >>> Option("min_size", "", Integer(), 0).flag_of("pred")
        '--pred-min-size'
        """
        return "--" + (self.name if side is None else f"{side}_{self.name}").replace("_", "-")
