"""The reading options a user states: facts about a file that the file does not contain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.index import OPTION_FORMATS
from segmetry.errors import FormatError, KindError, OptionError, UnknownNameError
from segmetry.readers.isolation.limits import Isolation
from segmetry.readers.option import Option
from segmetry.readers.reader import READERS, Reader

T = TypeVar("T")

MOST_ELEMENTS = 2**31
MOST_TICKS = 2**53
"""The default budget: the most elements one segmentation may have."""

SideName = Literal["true", "pred"]
SIDES: tuple[SideName, ...] = ("true", "pred")

Formats = str | tuple[str | None, str | None] | None
"""The format of both sides, or of each; None where the content decides."""


def format_of(formats: Formats, side: SideName) -> str | None:
    """Return the format chosen for a side.

    >>> format_of("bits", "pred"), format_of(("bits", None), "pred")
    ('bits', None)
    """
    if formats is None or isinstance(formats, str):
        return formats
    return formats[side == "pred"]


def known_options() -> dict[str, Option[Any]]:
    """Return the options of all readers, by name.

    >>> known_options()["first"].type.choices
    ('gap', 'force')
    """
    options: dict[str, Option[Any]] = {}
    for reader in READERS.values():
        for option in reader.options:
            options[option.name] = option
    return dict(sorted(options.items()))


def find_option(name: str) -> Option[Any] | None:
    """Return an option by its name; at most one built-in reader is imported for it.

    >>> find_option("first").flag, find_option("pred_first")
    ('--first', None)
    """
    formats = OPTION_FORMATS.get(name, ())
    users = [reader for reader in READERS.declared_so_far() if reader.name in formats]
    if not users:
        users = [READERS[formats[0]]] if formats else list(READERS.with_plugins(()).values())
    return next((option for reader in users for option in reader.options if option.name == name), None)


def users_of(name: str) -> list[str]:
    """Return the formats that have an option.

    >>> users_of("first")
    ['bits']
    """
    return sorted(reader.name for reader in READERS.values() if name in {option.name for option in reader.options})


@frozen_dataclass(init=False)
class ReadOptions:
    """Options of readers by name; ``ReadOptions(void=255, tick="1/100")``.

    A reader refuses options it does not have. ``most_elements`` is the budget all readers obey; ``side`` is the side of
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
        checked, isolation = _checked(values) if values else {}, Isolation.of(isolate)
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
        return frozenset(option.name for side, option in map(_split, self.values) if side in (None, self.side))

    @property
    def stated_here(self) -> frozenset[str]:
        """The names of the options the user stated for this side alone."""
        return frozenset(option.name for side, option in map(_split, self.values) if side == self.side)

    def replaced(self, *, side: SideName | None = None, **values: Any) -> ReadOptions:
        """Return the same options but for these.

        >>> ReadOptions(coder="ann").replaced(side="pred", coder="bob").values
        {'coder': 'bob'}
        """
        common = {"most_elements": self.most_elements, "isolate": self.isolation}
        return ReadOptions(side=side or self.side, **{**common, **self.values, **values})

    def as_plain(self) -> dict[str, Any]:
        """Return the stated options as JSON can store them; ``ReadOptions(**plain)`` gives the same options.

        >>> ReadOptions(tick="0.01", void={255}).as_plain()
        {'tick': '1/100', 'void': [255]}
        """
        return {name: _split(name)[1].type.plain(value) for name, value in sorted(self.values.items())}

    def check_line(self, n: int, tick: Fraction, where: str) -> None:
        """Refuse a line beyond the budget; fine ticks of time cost no memory, so only a stated budget limits them."""
        if tick == 1 or self.most_elements != MOST_ELEMENTS or n >= MOST_TICKS:
            self.check_size((n,), where)

    def check_size(self, shape: Sequence[int], where: str) -> None:
        """Refuse a declared size beyond the budget, before anything is allocated."""
        size = math.prod(shape)
        if size > self.most_elements:
            declared = f"{size} elements" if len(shape) == 1 else f"shape {tuple(shape)}, {size} elements"
            raise FormatError(
                f"{where}: declares {declared}, more than the budget of {self.most_elements}; "
                "raise it with --max-elements if the file is genuine"
            )


def check_options(readers: Iterable[Reader], stated: frozenset[str], side: SideName | None = None) -> None:
    """Refuse an option that none of these readers has: an option without effect must not look as if it had one."""
    used = {option.name: reader.name for reader in readers for option in reader.options}
    for name in sorted(stated - used.keys()):
        formats = " or ".join(sorted({reader.name for reader in readers}))
        flag, users = _split(name)[1].flag_of(side), ", ".join(users_of(name))
        raise OptionError(f"{flag} is not supported by format {formats} (it applies to {users})")


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    checked = {}
    for name, value in values.items():
        option = _split(name)[1]
        if value is not None or option.type.accepts_none:
            checked[name] = option.type.check(value, name)
    return checked


def _split(name: str) -> tuple[SideName | None, Option[Any]]:
    """Return the side and the option that a name means; the side is None where the option applies to both.

    >>> [(side, option.name) for side, option in map(_split, ["void", "pred_void"])]
    [(None, 'void'), ('pred', 'void')]
    """
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
    raise UnknownNameError(_unknown(name, known))


def _unknown(name: str, known: Mapping[str, Option[Any]]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(_with_users, near))}?" if near else f"known: {', '.join(known)}"
    return f"there is no reading option {name!r}; {hint}"


def _with_users(name: str) -> str:
    users = users_of(name)
    return f"{name} ({', '.join(users[:2])}{', …' if len(users) > 2 else ''})"
