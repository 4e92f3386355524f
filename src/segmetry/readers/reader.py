"""The declaration of a reader: a name, a test of the first bytes, how to read items and, for some, how to write them.

One subject per file in ``formats``; importing the file declares its readers. A reader yields :class:`Item` objects one
by one, so a data set need not fit in memory. Every reader obeys the promises of SECURITY.md: declared sizes are checked
against the budget before anything is allocated, nothing is unpickled, and a file that is not what it claims to be is
one :class:`FormatError` that names it.

An option is a fact about a file that a user may state because the file does not contain it. It is declared once, next
to the reader that uses it; the command line, TOML files, run files, shell completion and the Python interface follow
from the declaration.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from segmetry._base import (
    FORMAT_MODULES,
    FORMAT_SIGNATURES,
    OPTION_FORMATS,
    Registry,
    fraction,
    frozen_dataclass,
    installed_plugins,
)
from segmetry.errors import FormatError, KindError, OptionError, UnknownNameError
from segmetry.readers.items import Item
from segmetry.segmentation import as_ids

if TYPE_CHECKING:
    from segmetry.readers.line_files import LineFile

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
    """An exact number above 0, or from 0 on: a decimal or a fraction, as it is written.

    >>> PositiveNumber("duration").check("0.01", "tick"), PositiveNumber("distance", zero=True).check(0, "border")
    (Fraction(1, 100), Fraction(0, 1))
    """

    noun: str
    zero: bool = False

    def check(self, value: Any, name: str) -> Fraction:
        number = fraction(value, name)
        if number < 0 or (number == 0 and not self.zero):
            expected = f"{self.noun} of at least 0" if self.zero else f"positive {self.noun}"
            raise OptionError(f"{name} is {number}; expected a {expected}")
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
    default: T = None  # type: ignore[assignment]
    metavar: str | None = None
    none_flag: str | None = None
    none_help: str = ""
    per_side: bool = False

    @property
    def flag(self) -> str:
        return self.flag_of(None)

    def flag_of(self, side: str | None) -> str:
        """Return the option of the command line that states it for one side, or for both.

        >>> Option("min_size", "", Integer(), 0).flag_of("pred")
        '--pred-min-size'
        """
        return "--" + (self.name if side is None else f"{side}_{self.name}").replace("_", "-")


SECONDS = 60.0
"""The time that a child process may take for one file or one part of an array, and for each ``BYTES_PER_SECOND``."""
BYTES_PER_SECOND = 2**20
SHARE_OF_MEMORY = 3 / 4
LEAST_MEMORY = 2**30  # also where the system does not say how much memory there is


@frozen_dataclass()
class Isolation:
    """Whether files are decoded in a child process, and the limits of that process.

    ``wanted`` is None where the format decides: those parsed by native code of other packages are isolated.
    ``memory`` is the number of bytes a child may allocate; by default three quarters of the machine's memory.
    """

    wanted: bool | None = None
    seconds: float = SECONDS
    memory: int | None = None

    @classmethod
    def of(cls, stated: Isolation | Mapping[str, Any] | bool | None) -> Isolation:  # noqa: FBT001 - as users state it
        """Return the isolation that a user states: True, False, None, or limits by name, which imply True."""
        if isinstance(stated, Isolation):
            return stated
        if stated is None or isinstance(stated, bool):
            return cls(stated)
        limits: Any = stated
        if not isinstance(limits, Mapping) or not limits.keys() <= {"seconds", "memory"}:
            raise OptionError(
                f"isolate is {stated!r}; expected True, False, or limits such as {{'seconds': 60, 'memory': 2**32}}"
            )
        seconds, memory = stated.get("seconds", SECONDS), stated.get("memory")
        for name, limit in (("seconds", seconds), ("memory", memory)):
            is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not (is_number and 0 < limit < float("inf")):
                raise OptionError(f"isolate has {name} {limit!r}; expected a positive number")
        return cls(wanted=True, seconds=float(seconds), memory=None if memory is None else int(memory))

    def seconds_for(self, n_bytes: int) -> float:
        """Return the time limit of a file or part of an array: it grows linearly with the number of bytes."""
        return self.seconds + n_bytes / BYTES_PER_SECOND

    @property
    def memory_limit(self) -> int:
        """The number of bytes a child process may allocate beyond what it needs itself."""
        if self.memory is not None:
            return self.memory
        try:
            installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            return LEAST_MEMORY
        return max(LEAST_MEMORY, int(SHARE_OF_MEMORY * installed))


MOST_ELEMENTS = 2**31
MOST_TICKS = 2**53
"""The default budget: the most elements one segmentation may have."""

SideName = Literal["true", "pred"]
SIDES: tuple[SideName, ...] = ("true", "pred")

Formats = str | tuple[str | None, str | None] | None
"""The format of both sides, or of each; None where the content decides."""


def format_of(formats: Formats, side: SideName) -> str | None:
    """Return the format chosen for a side."""
    if formats is None or isinstance(formats, str):
        return formats
    return formats[side == "pred"]


def known_options() -> dict[str, Option[Any]]:
    """Return the options of all readers, by name."""
    options: dict[str, Option[Any]] = {}
    for reader in READERS.values():
        for option in reader.options:
            options[option.name] = option
    return dict(sorted(options.items()))


def find_option(name: str) -> Option[Any] | None:
    """Return an option by its name; at most one built-in reader is imported for it."""
    formats = OPTION_FORMATS.get(name, ())
    users = [reader for reader in READERS.declared_so_far() if reader.name in formats]
    if not users:
        users = [READERS[formats[0]]] if formats else list(READERS.with_plugins(()).values())
    return next((option for reader in users for option in reader.options if option.name == name), None)


def users_of(name: str) -> list[str]:
    """Return the formats that have an option."""
    return sorted(reader.name for reader in READERS.values() if name in {option.name for option in reader.options})


@frozen_dataclass(init=False)
class ReadOptions:
    """Options of readers by name; ``ReadOptions(void=255, tick="1/100")``.

    A reader rejects options it does not have. ``most_elements`` is the budget all readers obey; ``side`` is the side of
    the evaluation a file belongs to, as void belongs to the truth. ``isolate`` is True to decode files in a child
    process, False to decode them in this one, or limits such as ``{"seconds": 60, "memory": 2**32}``; by default the
    format decides. A run does not store it, as no result depends on it. An option that may differ between the sides is
    stated for one of them as ``true_NAME`` or ``pred_NAME``, which has precedence over ``NAME``. A reader gets the
    value of an option it declares as ``options[OPTION]``.

    >>> sorted(ReadOptions(first="force", void=255).stated)
    ['first', 'void']
    >>> ReadOptions(seperator="--")
    Traceback (most recent call last):
    segmetry.errors.UnknownNameError: there is no reading option 'seperator'; did you mean separator (text)?
    """

    values: Mapping[str, Any]
    most_elements: int
    side: SideName
    isolation: Isolation

    def __init__(
        self,
        *,
        most_elements: int = MOST_ELEMENTS,
        side: SideName = "true",
        isolate: Isolation | Mapping[str, Any] | bool | None = None,
        **values: Any,
    ) -> None:
        checked, isolation = {}, Isolation.of(isolate)
        for name, value in values.items():
            option = _side_and_option(name)[1]
            if value is not None or option.type.accepts_none:
                checked[name] = option.type.check(value, name)
        # The dataclass is frozen.
        self.__dict__.update(values=checked, most_elements=most_elements, side=side, isolation=isolation)

    @classmethod
    def of(cls, read: ReadOptions | Mapping[str, Any] | None) -> ReadOptions:
        """Return reading options from such options, from a mapping by name, or from None."""
        if read is None or isinstance(read, Mapping):
            return cls(**(read or {}))
        if not isinstance(read, ReadOptions):
            raise KindError(
                f"read is a {type(read).__name__}; expected options by name, such as {{'void': 255}}, or ReadOptions"
            )
        return read

    def __getitem__(self, option: Option[T]) -> T:
        value: T = self.values.get(f"{self.side}_{option.name}", self.values.get(option.name, option.default))
        return value

    @cached_property
    def stated(self) -> frozenset[str]:
        """The names of the options the user stated for this side.

        >>> sorted(ReadOptions(void=255, pred_outside=9, side="pred").stated), ReadOptions(pred_outside=9).stated
        (['outside', 'void'], frozenset())
        """
        return frozenset(
            option.name for side, option in map(_side_and_option, self.values) if side in (None, self.side)
        )

    @property
    def stated_here(self) -> frozenset[str]:
        """The names of the options the user stated for this side alone."""
        return frozenset(option.name for side, option in map(_side_and_option, self.values) if side == self.side)

    def replaced(self, *, side: SideName | None = None, **values: Any) -> ReadOptions:
        """Return the same options but for these.

        >>> ReadOptions(coder="ann").replaced(side="pred", coder="bob").values
        {'coder': 'bob'}
        """
        common = {"most_elements": self.most_elements, "isolate": self.isolation}
        return ReadOptions(side=side or self.side, **{**common, **self.values, **values})

    def without(self, option: Option[Any]) -> ReadOptions:
        """Return the same options without one.

        >>> ReadOptions(void=255, true_outside=9).without(find_option("outside")).values
        {'void': 255}
        """
        kept = {name: value for name, value in self.values.items() if _side_and_option(name)[1] != option}
        return ReadOptions(most_elements=self.most_elements, side=self.side, isolate=self.isolation, **kept)

    def as_plain(self) -> dict[str, Any]:
        """Return the stated options as JSON can store them; ``ReadOptions(**plain)`` gives the same options.

        >>> ReadOptions(tick="0.01", void={255}).as_plain()
        {'tick': '1/100', 'void': [255]}
        """
        return {name: _side_and_option(name)[1].type.plain(value) for name, value in sorted(self.values.items())}

    def check_line(self, n: int, tick: Fraction, where: str) -> None:
        """Raise for a line beyond the budget; fine ticks cost no memory, so only a stated budget limits them."""
        if tick == 1 or self.most_elements != MOST_ELEMENTS or n >= MOST_TICKS:
            self.check_size((n,), where)

    def check_size(self, shape: Sequence[int], where: str) -> None:
        """Raise for a declared size beyond the budget, before anything is allocated."""
        size = math.prod(shape)
        if size > self.most_elements:
            declared = f"{size} elements" if len(shape) == 1 else f"shape {tuple(shape)}, {size} elements"
            raise FormatError(
                f"{where}: declares {declared}, more than the budget of {self.most_elements}; "
                "raise it with --max-elements if the file is genuine"
            )


def check_options(readers: Iterable[Reader], stated: frozenset[str], side: SideName | None = None) -> None:
    """Raise for an option that none of these readers has: an option without effect must not look as if it had one."""
    used = {option.name: reader.name for reader in readers for option in reader.options}
    for name in sorted(stated - used.keys()):
        formats = " or ".join(sorted({reader.name for reader in readers}))
        flag, users = _side_and_option(name)[1].flag_of(side), ", ".join(users_of(name))
        raise OptionError(f"{flag} is not supported by format {formats} (it applies to {users})")


def _side_and_option(name: str) -> tuple[SideName | None, Option[Any]]:
    """Return the side and the option that a name means; the side is None where the option applies to both."""
    option = find_option(name)
    if option is not None:
        return None, option
    for side in SIDES:
        of_side = find_option(name.removeprefix(f"{side}_")) if name.startswith(f"{side}_") else None
        if of_side is not None and of_side.per_side:
            return side, of_side
    known = known_options()
    if name in known:  # an index that is not up to date
        return None, known[name]
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(_with_users, near))}?" if near else f"known: {', '.join(known)}"
    raise UnknownNameError(f"there is no reading option {name!r}; {hint}")


def _with_users(name: str) -> str:
    users = users_of(name)
    return f"{name} ({', '.join(users[:2])}{', …' if len(users) > 2 else ''})"


@frozen_dataclass()
class Writer:
    """How items are written as text, and which facts about them the format can store (see ``losses``)."""

    write: Callable[[Sequence[Item], Path], str]
    holds: frozenset[str]
    needs: frozenset[str] = frozenset()


@frozen_dataclass()
class Reader:
    """A file format segmetry reads, and the options a user may state for it.

    ``lists_all`` is False for a format that leaves out items without segments, ``blank`` is True if an empty file has
    none, ``one_item`` if every file is one item, named by it, ``has_more`` for a format whose predictions may be about
    more items than the truth: these are not compared. ``lazy`` formats read no element before it is needed.
    ``declares_void``: some of its labels are void. ``isolated``: native code of another package parses the structure of
    its files, and therefore runs in a child process by default. ``beside`` gives the files and folders a reader opens
    besides the path itself, ``inside`` the files of a folder it reads, where there may be others, so that a run can
    detect when one of them changes; ``files_alone``: it reads each of these by another reader. ``remote``: it reads
    from object stores, too. ``signatures``: a file of this format begins with one of them, and no file of a format
    without them does; only such formats are then asked. ``lines`` reads a plain file of lines at once; None for any
    other file, of which ``read`` says what is wrong.
    """

    name: str
    summary: str
    extensions: tuple[str, ...]
    sniff: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], Iterable[Item]]
    extra: str | None = None
    options: tuple[Option[Any], ...] = ()
    writer: Writer | None = None
    lists_all: bool = True
    has_more: bool = False
    blank: bool = False
    one_item: bool = False
    lazy: bool = False
    declares_void: bool = False
    isolated: bool = False
    beside: Callable[[Path, ReadOptions], Iterable[Path]] | None = None
    inside: Callable[[Path, ReadOptions], Iterable[Path]] | None = None
    remote: bool = False
    files_alone: bool = False
    signatures: tuple[bytes, ...] = ()
    lines: Callable[[Path, ReadOptions], LineFile | None] | None = None

    @property
    def reads_folders(self) -> bool:
        """Whether a folder is a data set of the format; of other formats it is that of its files, read one by one."""
        return any(name.endswith("/") for name in self.extensions)


ReadFunction = Callable[[Path, "ReadOptions"], Iterable[Item]]
RESERVED = frozenset({"format", "side", "max_elements", "most_elements", "isolate"})
"""Words that mean something for every format."""

GROUP = "segmetry.readers"
"""The entry points of readers in other packages."""

READERS: Registry[Reader] = Registry("format", package="segmetry.readers.formats", group=GROUP, index=FORMAT_MODULES)


def reads(
    name: str,
    summary: str,
    extensions: tuple[str, ...],
    *,
    sniff: Callable[[Path, bytes], bool] | None = None,
    signatures: tuple[bytes, ...] = (),
    **facts: Any,
) -> Callable[[ReadFunction], ReadFunction]:
    """Declare the function below as the reader of a built-in format; ``facts`` are further fields of ``Reader``.

    Without ``sniff`` a file is recognised by its signature; a format without either is never guessed.
    """

    def declared(read: ReadFunction) -> ReadFunction:
        recognise = sniff or (lambda _path, head: head.startswith(signatures))
        declare_reader(Reader(name, summary, extensions, recognise, read, signatures=signatures, **facts))
        return read

    return declared


def readers_of(head: bytes) -> Mapping[str, Reader]:
    """Return the readers, plug-ins too, of files with the signature of ``head``; all readers if it has none."""
    if any(point.group == GROUP for point in installed_plugins()):
        return READERS
    names = next((names for start, names in FORMAT_SIGNATURES.items() if head.startswith(start)), None)
    return READERS if names is None else READERS.only(names)


def declare_reader(reader: Reader) -> Reader:
    """Register a reader under the name of its format; an option that other readers have must be declared as there.

    The built-in readers, those of the index, are compared by a test: here it would add 12 ms to the import of all.
    """
    if reader.name not in FORMAT_MODULES:
        check_declared_options(reader)
    READERS.declare(reader.name, reader)
    return reader


def check_declared_options(reader: Reader) -> None:
    """Raise if a reader has an option that all formats have, or declares one in another way than another reader."""
    for option in reader.options:
        if option.name in RESERVED:
            raise ValueError(f"the format {reader.name!r} has an option {option.name!r}, which all formats have")
        READERS.only(OPTION_FORMATS.get(option.name, ())[:1])  # one built-in reader suffices: all declare it alike
        for other in READERS.declared_so_far():
            if any(option.name == known.name and option != known for known in other.options):
                raise ValueError(
                    f"the format {reader.name!r} declares the option {option.name!r} in another way than the format "
                    f"{other.name!r}; use the same declaration, or another name"
                )
