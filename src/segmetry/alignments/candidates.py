"""The interface of alignment rules: a rule selects pairs from a list of candidates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Protocol, TypeVar, overload, runtime_checkable
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from segmetry._base import RULE_MODULES, IntArray, Registry, frozen_dataclass
from segmetry.errors import OptionError

if TYPE_CHECKING:
    from segmetry._base import Reference


@frozen_dataclass(eq=False)
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


@frozen_dataclass(eq=False)
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


@frozen_dataclass()
class RuleDeclaration:
    """A rule as it is declared: how it is made, what it does in one sentence, where it was published.

    ``examples`` are rules in writing for which ``segmetry rules`` computes the guarantees.
    """

    name: str
    make: RuleMaker
    summary: str
    citation: tuple[str | Reference, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, object]:
        """The options of the rule with their defaults; ``Parameter.empty`` where one is required."""
        return {option.name: option.default for option in signature(self.make).parameters.values()}


RULES: Registry[RuleDeclaration] = Registry(
    "rule", package="segmetry.alignments.rules", group="segmetry.rules", index=RULE_MODULES
)


@overload
def declare_rule(maker: Maker) -> Maker: ...
@overload
def declare_rule(
    *, citation: Sequence[str | Reference] = (), examples: Sequence[str] = ()
) -> Callable[[Maker], Maker]: ...
def declare_rule(
    maker: Maker | None = None, *, citation: Sequence[str | Reference] = (), examples: Sequence[str] = ()
) -> Maker | Callable[[Maker], Maker]:
    """Register a rule under the name of the function that builds it; the first line of its docstring is the summary.

    Used as ``@declare_rule``, or with the papers that define the rule and some examples of how it is written.
    """

    def declare(function: Maker) -> Maker:
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        name = function.__name__
        RULES.declare(name, RuleDeclaration(name, function, summary, tuple(citation), tuple(examples)))
        return function

    return declare if maker is None else declare(maker)


_RULE_TYPES: WeakSet[type] = WeakSet()
"""Types of rules seen so far: comparing with a protocol asks for every member, some of which have to be computed."""


def as_rule(rule: MatchRule | str) -> MatchRule:
    """Return a rule, also from its text: ``theta_and``, ``iou(at_least=0.5)``, ``greedy(weight=dice, above=1/2)``."""
    if isinstance(rule, str):
        return _rule_of_text(rule)
    if type(rule) in _RULE_TYPES:
        return rule
    if isinstance(rule, MatchRule):
        _RULE_TYPES.add(type(rule))
        return rule
    raise OptionError(f"rule is a {type(rule).__name__}; expected a rule or its name, one of {', '.join(RULES)}")


@lru_cache(maxsize=256)
def _rule_of_text(rule: str) -> MatchRule:
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", rule)
    if match is None:
        raise OptionError(f"rule is {rule!r}; expected a name with options, such as iou(above=0.75)")
    declaration, options = RULES[match[1]], {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise OptionError(f"rule {rule!r} contains {part!r}; expected option=value")
        options[name] = value
    try:
        return declaration.make(**options)
    except TypeError as error:
        message = str(error).split("() ", 1)[-1]
        raise OptionError(f"rule {rule!r}: {message}; write it as {written_form(match[1])}") from None


def written_form(name: str) -> str:
    """Return how a rule and its options are written as text: its examples, or its options with their defaults."""
    rule = RULES[name]
    if rule.examples:
        return " or ".join(rule.examples)
    options = ", ".join(
        f"{option}={'…' if default is Parameter.empty else default}" for option, default in rule.parameters.items()
    )
    return f"{name}({options})" if options else name
