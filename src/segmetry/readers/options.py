"""What the user says about a file that the file cannot say itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from operator import index
from typing import Any, Literal

from segmetry.errors import FormatError, OptionError
from segmetry.readers.parts.map_grid import Grid
from segmetry.segmentation.base import as_ids

MOST_ELEMENTS = 2**31
"""The default budget: the most elements one segmentation may have."""

ALL_CODERS = "*"
"""The name that stands for every coder of a file."""

CHOICES: dict[str, tuple[str, ...]] = {
    "colours": ("refuse", "index", "rgb"),
    "first": ("gap", "force"),
    "ends": ("half-open", "closed"),
    "sentences": ("items", "line"),
    "tags": ("strict", "loose"),
    "unit": ("line", "word", "character"),
    "blank": ("refuse", "skip", "unit"),
    "missing_chunks": ("fill", "refuse"),
}
"""The values of the options that have a few."""


Formats = str | tuple[str | None, str | None] | None
"""The format of both sides, or of each; None where the content tells."""


def format_of(formats: Formats, side: Literal["true", "pred"]) -> str | None:
    """The format chosen for a side.

    >>> format_of("bits", "pred"), format_of(("bits", None), "pred")
    ('bits', None)
    """
    if formats is None or isinstance(formats, str):
        return formats
    return formats[side == "pred"]


def flag(name: str) -> str:
    """The option of the command line that sets a field.

    >>> flag("allow_float")
    '--allow-float'
    """
    return "--" + name.replace("_", "-")


@dataclass(frozen=True)
class ReadOptions:
    """Every option of every reader; a reader names those it uses, and the others are an error when they are stated.

    ``side`` is set by whoever reads two sides, for void belongs to the truth.

    ``labels`` holds the keyword arguments of ``LabelArray`` that were given. ``given``
    names options that were stated with their default value, which cannot be told otherwise.

    >>> sorted(ReadOptions(first="force", labels={"void": 255}).stated)
    ['first', 'void']
    """

    most_elements: int = MOST_ELEMENTS
    labels: dict[str, Any] = field(default_factory=dict)
    colours: str = "refuse"
    first: Literal["gap", "force"] = "gap"
    coder: str | None = None
    tick: Fraction | None = None
    length: Fraction | Literal["longer"] | None = None
    ends: str | None = None
    sentences: str = "items"
    tags: str = "strict"
    column: int | None = None
    tier: str | None = None
    separator: str | None = None
    unit: str = "line"
    blank: str = "refuse"
    missing_chunks: str = "fill"
    class_field: str | None = None
    layer: str | None = None
    crs: str | None = None
    precision: Fraction | None = None
    grid: Grid | None = None
    given: frozenset[str] = frozenset()
    side: Literal["true", "pred"] = "true"

    def __post_init__(self) -> None:
        """Refuse values that no reader knows."""
        for name, choices in CHOICES.items():
            found = getattr(self, name)
            if found is not None and found not in choices:
                raise OptionError(f"{name} is {found!r}; expected one of {', '.join(choices)}")
        if self.tick is not None and self.tick <= 0:
            raise OptionError(f"tick is {self.tick}; expected a positive duration")
        if self.precision is not None and self.precision <= 0:
            raise OptionError(f"precision is {self.precision}; expected a positive length")
        if isinstance(self.length, Fraction) and self.length < 0:
            raise OptionError(f"length is {self.length}; expected the length of the line")

    @property
    def stated(self) -> frozenset[str]:
        """The options somebody chose, except the budget, which every reader obeys."""
        changed = {
            option.name
            for option in fields(self)
            if option.default is not MISSING and getattr(self, option.name) != option.default
        }
        return frozenset((changed | self.given | self.labels.keys()) - {"most_elements", "given", "side"})

    @property
    def nothing(self) -> tuple[int, ...]:
        """The labels that mean outside or void."""
        return (*as_ids(self.labels.get("outside", 0), "outside"), *as_ids(self.labels.get("void"), "void"))

    def as_plain(self) -> dict[str, Any]:
        """What was stated, as plain data that JSON can keep; :meth:`from_plain` makes the same options of it.

        >>> ReadOptions(tick=Fraction(1, 100), labels={"void": {255}}).as_plain()
        {'tick': '1/100', 'void': [255]}
        """
        every = {**{option.name: getattr(self, option.name) for option in fields(self)}, **self.labels}
        return {name: _plain(every[name]) for name in sorted(self.stated)}

    @classmethod
    def from_plain(cls, found: Mapping[str, Any], *, most_elements: int = MOST_ELEMENTS) -> ReadOptions:
        """The options of :meth:`as_plain`.

        >>> ReadOptions.from_plain({"tick": "1/100", "void": [255]}).labels
        {'void': (255,)}
        """
        names = {option.name for option in fields(cls)}
        stated = {name: value for name, value in found.items() if name in names}
        labels = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
        for name in ("tick", "length", "precision"):
            if stated.get(name) not in (None, "longer"):
                stated[name] = Fraction(stated[name])
        if stated.get("grid") is not None:
            stated["grid"] = Grid.parse(stated["grid"])
        return cls(
            most_elements=most_elements,
            labels={name: value for name, value in labels.items() if name not in names},
            given=frozenset(stated),
            **stated,
        )

    def check_size(self, shape: Sequence[int], where: str) -> None:
        """Refuse a declared size beyond the budget, before anything is allocated."""
        size = math.prod(shape)
        if size > self.most_elements:
            told = f"{size} elements" if len(shape) == 1 else f"shape {tuple(shape)}, {size} elements"
            raise FormatError(
                f"{where}: declares {told}, more than the budget of {self.most_elements}; "
                "raise it with --max-elements if the file is genuine"
            )


def _plain(value: Any) -> Any:
    """Numbers and text as they are, fractions and grids as text, labels as a list; what no reader takes, in words."""
    if isinstance(value, Fraction | Grid):
        return str(value)
    if value is None or isinstance(value, bool | str):
        return value
    try:
        return index(value) if hasattr(value, "__index__") else [index(one) for one in sorted(value)]
    except TypeError:
        return str(value)
