"""A score: a value with its numerator and denominator, or undefined with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

Number = int | float | Fraction


@dataclass(frozen=True)
class Score:
    """The value of one metric.

    ``value`` is a float, rounded once; NaN when the metric is undefined, for the ``reason`` stated.
    ``numerator`` and ``denominator`` are set where the metric is a quotient; ``details`` are
    further counts (ties, …).

    >>> Score.of("recall", 3, 4).value
    0.75
    >>> Score.of("recall", 0, 0, "no true segments")
    Score(recall: undefined, no true segments)
    """

    key: str
    value: float
    reason: str | None = None
    numerator: Number | None = None
    denominator: Number | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, key: str, numerator: Number, denominator: Number, reason: str = "0/0", **details: Any) -> Score:
        """Return a correctly rounded quotient; undefined for ``reason`` where the denominator is 0."""
        if denominator == 0:
            return cls(key, math.nan, reason, numerator, denominator, details)
        return cls(key, _quotient(numerator, denominator), None, numerator, denominator, details)

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

    def __float__(self) -> float:
        return self.value

    def or_else(self, value: float | None) -> Score:
        """Return the score with a value in place of undefined (other packages use 0 or 1); None leaves it undefined."""
        return self if self.is_defined or value is None else replace(self, value=float(value))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: an undefined value is ``None``, with its reason."""
        data: dict[str, Any] = {"value": None if math.isnan(self.value) else self.value}
        if self.reason is not None:
            data["reason"] = self.reason
        for name in ("numerator", "denominator"):
            part = getattr(self, name)
            if part is not None:
                data[name] = str(part) if isinstance(part, Fraction) and part.denominator != 1 else _plain(part)
        if self.details:
            data["details"] = dict(self.details)
        return data

    def __repr__(self) -> str:
        if math.isnan(self.value):
            return f"Score({self.key}: undefined, {self.reason})"
        return f"Score({self.key}: {self.value:.6g})"


@dataclass(frozen=True)
class Counts:
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

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {"parts": dict(self.parts)}
        if self.reason is not None:
            data["reason"] = self.reason
        return data

    def __repr__(self) -> str:
        return f"Counts({self.key}: {', '.join(f'{name} {value}' for name, value in self.parts.items())})"


Result = Score | Counts


def value_or_none(score: Score | None) -> float | None:
    """Return the value of a score for plain rows: None where it is undefined or absent.

    >>> value_or_none(Score.of("recall", 1, 2)), value_or_none(Score.of("recall", 0, 0))
    (0.5, None)
    """
    return None if score is None or math.isnan(score.value) else score.value


def _quotient(numerator: Number, denominator: Number) -> float:
    if isinstance(numerator, int) and isinstance(denominator, int):
        return numerator / denominator  # Python rounds the quotient of integers of any size correctly
    if isinstance(numerator, float) or isinstance(denominator, float):
        return float(numerator) / float(denominator)
    exact = Fraction(numerator) / Fraction(denominator)
    return exact.numerator / exact.denominator


def _plain(part: Number) -> int | float:
    return int(part) if isinstance(part, Fraction) else part
