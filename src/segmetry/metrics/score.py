"""A score: a value with its numerator and denominator, or undefined with the reason."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from inspect import Parameter
from numbers import Real
from typing import Any, Self

from segmetry._base import Number, frozen_dataclass
from segmetry.results import Exported, ResultTable, Table


class WrittenType(str):
    """A type as it is written in a module; a signature shows it without quotation marks."""

    __slots__ = ("module",)
    module: str

    def __new__(cls, text: str, module: str) -> Self:
        """Take the text and the module whose names it uses."""
        written = super().__new__(cls, text)
        written.module = module
        return written

    def __repr__(self) -> str:
        return str(self)

    def evaluated(self) -> Any:
        """Return the type itself."""
        # A text of the annotated module itself, not of a user.
        return eval(self, vars(sys.modules[self.module]))  # noqa: S307

    def of_values(self) -> WrittenType:
        """Return the type without None."""
        return WrittenType(self.removesuffix(" | None"), self.module)


def written_type(annotation: Any, module: str) -> Any:
    """Return an annotation that knows its module: it is text, and a signature joins those of several modules."""
    if isinstance(annotation, type) and annotation is not Parameter.empty:
        return WrittenType(annotation.__name__, annotation.__module__)
    is_plain_text = isinstance(annotation, str) and not isinstance(annotation, WrittenType)
    return WrittenType(annotation, module) if is_plain_text else annotation


@frozen_dataclass(eq=False, repr=False)
class Score(float, Exported):
    """The value of one metric: a float that knows its metric, its quotient and, where it is undefined, the reason.

    A score is its value wherever a number is expected: it is compared, ordered, hashed, formatted, averaged and
    written to JSON as that float, and arithmetic returns plain floats. Two scores are equal if their values are, of
    whatever metric they are; ``to_dict()`` compares everything. An undefined score is NaN, so it equals nothing, itself
    included, and every comparison with it is False.

    Parameters
    ----------
    key
        The metric. A number alone, ``Score(0.5)``, is returned as a plain float: generic code such as
        ``statistics.mean`` converts its result to the type of its input.
    value
        The float, rounded once; NaN where the metric is undefined.
    reason
        Why it is undefined.
    numerator, denominator
        Set where the metric is a quotient.
    details
        Further counts (ties, …).

    >>> score = Score.of("recall", 3, 4)
    >>> score > 0.5, 1 - score, f"{score:.3f}", score.numerator
    (True, 0.25, '0.750', 3)
    >>> Score.of("recall", 0, 0, "no true segments")
    Score(recall: undefined, no true segments)
    """

    key: str
    value: float
    reason: str | None = None
    numerator: Number | None = None
    denominator: Number | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __new__(cls, key: Any, value: Any = None, *_: Any, **__: Any) -> Any:
        if value is None and isinstance(key, Real):
            return float(key)
        return super().__new__(cls, value)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.key, self.value

    @classmethod
    def of(cls, key: str, numerator: Number, denominator: Number, reason: str = "0/0", **details: Any) -> Score:
        """Return a correctly rounded quotient; undefined for ``reason`` where the denominator is 0."""
        if denominator == 0:
            return cls(key, math.nan, reason, numerator, denominator, details)
        value = _quotient(numerator, denominator)
        made = float.__new__(cls, value)
        filled = made.__dict__  # the dataclass is frozen, and its constructor takes twice as long
        filled["key"], filled["value"], filled["reason"] = key, value, None
        filled["numerator"], filled["denominator"], filled["details"] = numerator, denominator, details
        return made

    @classmethod
    def number(cls, key: str, value: float, **details: Any) -> Score:
        """Return a value that is not a quotient."""
        return cls(key, float(value), details=details)

    @classmethod
    def undefined(cls, key: str, reason: str, **details: Any) -> Score:
        """Return a score without a value."""
        return cls(key, math.nan, reason, details=details)

    @property
    def is_defined(self) -> bool:
        return self.reason is None

    def or_else(self, value: float | None) -> Score:
        """Return the score with a value in place of undefined (other packages use 0 or 1); None leaves it undefined."""
        return self if self.is_defined or value is None else replace(self, value=float(value))

    def filled(self, value: float | None) -> Score:
        """Return a defined score in place of an undefined one, which then counts in means; None leaves it undefined.

        >>> Score.of("aji", 0, 0, "no segments").filled(1).is_defined
        True
        """
        return self if self.is_defined or value is None else Score.number(self.key, value, **self.details)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an undefined value is ``None``, with its reason."""
        data: dict[str, Any] = {"value": None if math.isnan(self.value) else self.value}
        if self.reason is not None:
            data["reason"] = self.reason
        for name in ("numerator", "denominator"):
            part = getattr(self, name)
            if part is not None:
                data[name] = str(part) if isinstance(part, Fraction) and part.denominator != 1 else _plain_number(part)
        if self.details:
            data["details"] = dict(self.details)
        return data

    def records(self) -> Table:
        """Return the score as one row."""
        parts = {
            name: None if part is None else str(part)
            for name, part in (("numerator", self.numerator), ("denominator", self.denominator))
        }
        return Table("score", [{"key": self.key, "value": value_or_none(self), "reason": self.reason, **parts}])

    def __repr__(self) -> str:
        if math.isnan(self.value):
            return f"Score({self.key}: undefined, {self.reason})"
        return f"Score({self.key}: {self.value:.6g})"

    def __str__(self) -> str:
        """Return the number alone, as files and formatted text expect it; the reason is in the representation."""
        return repr(self.value)

    def _repr_html_(self) -> str:
        quotient = None if self.denominator is None else f"{_short(self.numerator)} / {_short(self.denominator)}"
        value = f"undefined: {self.reason}" if math.isnan(self.value) else self.value
        return ResultTable.of_rows(
            "Score", ("metric", "value", "quotient"), [(self.key, value, quotient)]
        )._repr_html_()


@frozen_dataclass()
class Counts(Exported):
    """The result of a metric with several numbers, such as the pair counts of the Rand index."""

    key: str
    parts: Mapping[str, Any]
    reason: str | None = None

    @property
    def is_defined(self) -> bool:
        return self.reason is None

    @property
    def value(self) -> float:
        """NaN: several numbers are not one value."""
        return math.nan

    def __getitem__(self, part: str) -> Any:
        return self.parts[part]

    def or_else(self, _value: float | None) -> Counts:
        """Return the counts unchanged: they are never undefined by 0/0."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {"parts": dict(self.parts)}
        if self.reason is not None:
            data["reason"] = self.reason
        return data

    def records(self) -> Table:
        """Return the counts as one row."""
        return Table("counts", [{"key": self.key, **self.parts}])

    def __repr__(self) -> str:
        return f"Counts({self.key}: {', '.join(f'{name} {value}' for name, value in self.parts.items())})"


Result = Score | Counts


def value_or_none(score: Score | None) -> float | None:
    """Return the value of a score for plain rows: None where it is undefined or absent."""
    return None if score is None or math.isnan(score.value) else score.value


def _quotient(numerator: Number, denominator: Number) -> float:
    if isinstance(numerator, int) and isinstance(denominator, int):
        return numerator / denominator  # Python rounds the quotient of integers of any size correctly
    if isinstance(numerator, float) or isinstance(denominator, float):
        return float(numerator) / float(denominator)
    exact = Fraction(numerator) / Fraction(denominator)
    return exact.numerator / exact.denominator


def _short(part: Number | None) -> str:
    """Return a part of a quotient; a long exact fraction as a decimal."""
    text = str(part)
    return text if part is None or len(text) <= 20 else f"{float(part):.6g}"


def _plain_number(part: Number) -> int | float:
    return int(part) if isinstance(part, Fraction) else part
