"""Options that several readers of linear segmentations share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from segmetry._base.exact import fraction
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import OptionError
from segmetry.readers.option import Option, OptionType, PositiveNumber, Text

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
