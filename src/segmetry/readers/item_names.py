"""How items are paired where their names differ: parts that are stripped, a regular expression, or a list of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import InputError, KindError, OptionError, UnknownNameError
from segmetry.readers.options import SideName
from segmetry.readers.pair_list import PairList

T = TypeVar("T")


@frozen_dataclass()
class Pairing:
    r"""How the names of items are derived before items of equal names are paired.

    Parameters
    ----------
    strip
        Patterns that are removed from the names of both sides wherever they occur, ``*`` and ``?`` as in file names;
        of several that begin at the same place the longest is removed.
    pair
        A regular expression that is searched in the names of both sides, or one for each side, ``(true, pred)``; its
        group is the name of the item. Several groups are joined by ``_``; without one the match is the name.
    pairs
        A CSV file with the columns true, pred and, if wanted, name; or the rows of such a file. Only these pairs are
        evaluated.

    >>> Pairing(strip=["_gt", "_pred*"]).name("rock_pred_17", "pred")
    'rock'
    >>> Pairing(pair=(r"(\d+)", r"case_(\d+)")).name("case_007_of_9", "pred")
    '007'
    """

    strip: tuple[str, ...] = ()
    pair: tuple[str | None, str | None] = (None, None)
    pairs: PairList | None = None

    def __init__(self, strip: Any = (), pair: Any = None, pairs: Any = None) -> None:
        patterns = (strip,) if isinstance(strip, str) else tuple(strip or ())
        if not all(isinstance(pattern, str) and pattern.strip("*") for pattern in patterns):
            raise OptionError(f"strip is {strip!r}; expected texts such as '_gt', with * and ? as in file names")
        sides = (pair, pair) if pair is None or isinstance(pair, str) else tuple(pair)
        if len(sides) != 2:
            raise OptionError(f"pair is {pair!r}; expected a regular expression, or one for each side")
        for expression in sides:
            _compiled(expression)
        listed = PairList.of(pairs)
        if listed is not None and (patterns or any(sides)):
            raise OptionError("pairs lists which items belong together; it excludes strip and pair")
        self.__dict__.update(strip=patterns, pair=sides, pairs=listed)  # the dataclass is frozen

    @classmethod
    def of(cls, pairing: Pairing | Mapping[str, Any] | None) -> Pairing:
        """Return the pairing, from a mapping of its parameters, or from None: items are paired by their own names."""
        if isinstance(pairing, Pairing):
            return pairing
        if pairing is not None and not isinstance(pairing, Mapping):
            raise KindError(
                f"pairing is a {type(pairing).__name__}; expected a mapping such as {{'strip': '_gt'}}, or a Pairing"
            )
        known = [field.name for field in fields(cls)]
        for name in pairing or {}:
            if name not in known:
                from difflib import get_close_matches

                near = get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
                raise UnknownNameError(f"pairing has no {name!r}; {hint}")
        return cls(**(pairing or {}))

    def name(self, name: str, side: SideName) -> str:
        """Return the name by which an item is paired; one that the expression does not match is an error."""
        expression = self._expressions[side == "pred"]
        if expression is not None:
            match = expression.search(name)
            if match is None:
                flag = "--pair" if self.pair[0] == self.pair[1] else f"--{side}-pair"
                raise InputError(
                    f"{side}: the item {name!r} does not match {flag} {expression.pattern!r}; expected a match in "
                    f"every name (--{side}-glob selects files of a folder)"
                )
            name = "_".join(filter(None, match.groups())) if expression.groups else match[0]
        if self._stripped is not None:
            name = self._stripped.sub("", name)
        return name

    def as_plain(self) -> dict[str, Any]:
        """Return what was stated as JSON can store it; :meth:`of` gives the same pairing."""
        stated = {
            "strip": list(self.strip),
            "pair": list(self.pair) if any(self.pair) else None,
            "pairs": None if self.pairs is None else self.pairs.as_plain(),
        }
        return {name: value for name, value in stated.items() if value}

    @cached_property
    def _expressions(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        return _compiled(self.pair[0]), _compiled(self.pair[1])

    @cached_property
    def _stripped(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.strip, key=len, reverse=True)
        return re.compile("|".join(map(_glob_expression, longest_first))) if longest_first else None


def _compiled(expression: Any) -> re.Pattern[str] | None:
    if expression is None:
        return None
    if not isinstance(expression, str) or not expression:
        raise OptionError(f"pair is {expression!r}; expected a regular expression such as '(\\d+)'")
    try:
        return re.compile(expression)
    except re.error as problem:
        raise OptionError(f"pair is {expression!r}, which is not a regular expression: {problem}") from None


def _glob_expression(pattern: str) -> str:
    """Return a pattern with ``*`` and ``?`` as a regular expression; neither stands for a slash."""
    return re.escape(pattern).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def by_pairing_name(named: Iterable[tuple[str, T]], pairing: Pairing, side: SideName) -> dict[str, T]:
    """Return values by the names they are paired by; two of one name are an error.

    >>> by_pairing_name([("a_gt", 1), ("b_gt", 2)], Pairing(strip="_gt"), "true")
    {'a': 1, 'b': 2}
    """
    values: dict[str, T] = {}
    originals: dict[str, str] = {}
    for original, value in named:
        name = pairing.name(original, side)
        if not name:
            raise InputError(f"{side}: --strip or --pair leaves nothing of the name {original!r}; expected a name")
        if name in values:
            raise InputError(_twice(name, originals[name], original, side))
        values[name], originals[name] = value, original
    return values


def _twice(name: str, first: str, second: str, side: SideName) -> str:
    if first == second:
        hint = f"(--{side}-glob selects files of a folder)"
        return f"{side}: two items are called {name!r}; expected one of each name {hint}"
    return (
        f"{side}: {first!r} and {second!r} are both called {name!r} after --strip or --pair; expected one item of each "
        "name"
    )
