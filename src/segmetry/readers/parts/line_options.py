"""Options that several readers of linear segmentations share, and the choice of an annotator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from segmetry._base.exact import fraction
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import FormatError, OptionError
from segmetry.readers.option import Option, OptionType, PositiveNumber, Text
from segmetry.readers.parts.safe_names import check_label

ALL_CODERS = "*"
"""The name that stands for every annotator of a file."""


@frozen_dataclass()
class LineLength(OptionType[Fraction | Literal["longer"]]):
    """The length of a line, or the word ``longer``: the later end of two."""

    def check(self, value: Any, name: str) -> Fraction | Literal["longer"]:
        if value == "longer":
            return "longer"
        length = fraction(value, name)
        if length < 0:
            raise OptionError(f"{name} is {length}; expected the length of the line")
        return length

    def plain(self, value: Fraction | Literal["longer"]) -> str:
        return str(value)


CODER: Option[str | None] = Option(
    "coder", "Masses, bits, spans, boundaries: the annotator to read.", Text(), None, metavar="NAME"
)
LENGTH: Option[Fraction | Literal["longer"] | None] = Option(
    "length",
    "Length of the line, if the file has none; 'longer': the later of two ends.",
    LineLength(),
    None,
    metavar="N",
)
TICK: Option[Fraction | None] = Option(
    "tick",
    "Times: round to integer multiples of it. [default: the finest decimal]",
    PositiveNumber("duration"),
    None,
    metavar="TIME",
)
TIER: Option[str | None] = Option(
    "tier", "TextGrid: the tier; RTTM: the type of lines; JAMS: the namespace.", Text(), None, metavar="NAME"
)


class Coded(Protocol):
    """A row that belongs to an item and perhaps to an annotator."""

    @property
    def name(self) -> str:
        """The item."""

    @property
    def coder(self) -> str | None:
        """The annotator, if the file names any."""


AnnotatedRow = TypeVar("AnnotatedRow", bound=Coded)


def of_coder(rows: Sequence[AnnotatedRow], path: Path, chosen: str | None) -> Sequence[AnnotatedRow]:
    """Return the rows of the chosen annotator; items without a row by this annotator are left out.

    Without a choice every item may have one annotator only. ``*`` selects all.
    """
    coders = sorted({row.coder for row in rows if row.coder is not None})
    bare = next((row.name for row in rows if row.coder is None), None)
    if coders and bare is not None:
        raise FormatError(f"{path}: the item {bare[:80]!a} names no annotator, but others do; expected all or none")
    if chosen == ALL_CODERS:
        return rows
    if chosen is None:
        if len({row.name for row in rows}) == len({(row.name, row.coder) for row in rows}):
            return rows
        raise OptionError(f"{path}: contains the annotators {_list_coders(coders)}; choose one with --coder")
    if not coders:
        raise OptionError(f"{path}: names no annotators; leave --coder out")
    kept = [row for row in rows if row.coder == chosen]
    if not kept:
        raise OptionError(f"{path}: no annotator {chosen!a}; found {_list_coders(coders)}")
    return kept


def shown_coder(coder: str | None, path: Path, chosen: str | None) -> str | None:
    """Return the annotator to store with an item: None if the user chose one, as it is then known."""
    if coder is None or chosen not in (None, ALL_CODERS):
        return None
    return check_label(coder, f"{path}: the annotator")


def _list_coders(names: Sequence[str]) -> str:
    shown = ", ".join(ascii(name[:40])[1:-1] for name in names[:10])
    return shown + (" …" if len(names) > 10 else "")
