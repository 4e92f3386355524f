"""The interface of alignment rules: a rule selects pairs from a list of candidates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry._base.registry import Registry
from segmetry.errors import OptionError


@dataclass(frozen=True, eq=False)
class Candidates:
    """Overlapping pairs of segments, sorted by true id, then pred id, with their elements as the policy counts them."""

    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    shared: IntArray
    missed: IntArray
    spurious: IntArray

    def __len__(self) -> int:
        return int(self.shared.size)

    def take(self, chosen: NDArray[np.intp]) -> Candidates:
        """Return the candidates at some positions, in that order."""
        return Candidates(
            self.at_true[chosen], self.at_pred[chosen], self.shared[chosen], self.missed[chosen], self.spurious[chosen]
        )


@dataclass(frozen=True, eq=False)
class Selection:
    """Positions of the chosen candidates, and the number of ties that were broken."""

    chosen: NDArray[np.intp]
    ties: int = 0


@runtime_checkable
class MatchRule(Protocol):
    """Selects pairs from candidates. ``guarantees_one_to_one`` applies to disjoint segments."""

    @property
    def name(self) -> str: ...

    @property
    def guarantees_one_to_one(self) -> bool: ...

    def select(self, candidates: Candidates) -> Selection: ...


RuleMaker = Callable[..., MatchRule]
Maker = TypeVar("Maker", bound=RuleMaker)

RULES: Registry[RuleMaker] = Registry("rule", package="segmetry.alignments.rules", group="segmetry.rules")


def declare_rule(maker: Maker) -> Maker:
    """Register a rule under the name of the function that builds it."""
    RULES.declare(maker.__name__, maker)
    return maker


def as_rule(rule: MatchRule | str) -> MatchRule:
    """Return a rule, also from its text: ``theta_and``, ``iou(above=0.75)``, ``greedy(weight=dice, above=1/2)``.

    >>> as_rule("iou(above=0.75)").name
    'iou(above=3/4)'
    """
    if isinstance(rule, str):
        return _rule_of_text(rule)
    if isinstance(rule, MatchRule):
        return rule
    raise OptionError(f"rule is a {type(rule).__name__}; expected a rule or its name, one of {', '.join(RULES)}")


@lru_cache(maxsize=256)
def _rule_of_text(rule: str) -> MatchRule:
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", rule)
    if match is None:
        raise OptionError(f"rule is {rule!r}; expected a name with options, such as iou(above=0.75)")
    maker, options = RULES[match[1]], {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise OptionError(f"rule {rule!r} contains {part!r}; expected option=value")
        options[name] = value
    try:
        return maker(**options)
    except TypeError as error:
        message = str(error).split("() ", 1)[-1]
        raise OptionError(f"rule {rule!r}: {message}; write it as {written_form(match[1])}") from None


def written_form(name: str) -> str:
    """Return how a rule and its options are written as text.

    >>> written_form("dice"), written_form("theta_and")
    ('dice(above=…)', 'theta_and')
    """
    options = ", ".join(
        f"{option.name}={'…' if option.default is option.empty else option.default}"
        for option in signature(RULES[name]).parameters.values()
    )
    return f"{name}({options})" if options else name
