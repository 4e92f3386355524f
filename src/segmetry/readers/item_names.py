"""How items are paired where their names differ: parts that are stripped, a regular expression, or a list of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError, InputError, KindError, OptionError, UnknownNameError, list_some
from segmetry.readers.items import check_name
from segmetry.readers.reader import SideName

COLUMNS = ("true", "pred", "name")


class ListedPair(NamedTuple):
    """One row: the items or files of both sides, the name of the pair, and where the row is, for messages."""

    true: str
    pred: str
    name: str
    where: str


@frozen_dataclass()
class PairList:
    """The rows of a list of pairs; ``path`` and ``sha256`` are those of its file, if it is one."""

    rows: tuple[ListedPair, ...]
    path: str | None = None
    sha256: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, pairs: Any) -> PairList | None:
        """Return the list in a file, in rows, or as :meth:`as_plain` has stored it; None for None."""
        if pairs is None or isinstance(pairs, PairList):
            return pairs
        if isinstance(pairs, Mapping):
            listed = _read_pair_list(Path(str(pairs.get("path"))))
            if listed.sha256 != pairs.get("sha256"):
                raise InputError(
                    f"{listed.path}: the list of pairs has changed since the run was made; put the old one back"
                )
            return listed
        if isinstance(pairs, str | Path):
            return _read_pair_list(Path(pairs))
        return cls(_unique_pairs([_listed_pair(row, f"pairs[{at}]") for at, row in enumerate(pairs)], "pairs"))

    def as_plain(self) -> Any:
        """Return the file with its fingerprint, or the rows, as JSON can store them."""
        if self.path is None:
            return [[row.true, row.pred, row.name] for row in self.rows]
        return {"path": self.path, "sha256": self.sha256}

    def chosen(self, items: Iterable[tuple[str, str | None, T]], side: SideName) -> dict[str, T]:
        """Return the listed items of a side by the names of their pairs; a row without an item is an error.

        ``items`` are names, files and values; a name goes before a file of the same name.
        """
        listed = list(items)
        by_file = {file: value for _, file, value in listed if file is not None}
        by_name = {**by_file, **{name: value for name, _, value in listed}}
        chosen = {}
        for row in self.rows:
            wanted = getattr(row, side)
            if wanted not in by_name:
                names = list_some([repr(name) for name, _, _ in listed], most=5)
                raise InputError(
                    f"{row.where}: {side} is {wanted[:80]!r}, but {side.upper()} has no such item or file; its items "
                    f"are {names or 'none'}"
                )
            chosen[row.name] = by_name[wanted]
        return chosen


def _read_pair_list(path: Path) -> PairList:
    import hashlib

    from segmetry.readers.parts.text_file import read_table

    rows = []
    for line, cells in read_table(path, COLUMNS):
        for name in ("true", "pred"):
            if name not in cells:
                raise FormatError(f"{path}, line 1: there is no column {name}; expected the columns true, pred[, name]")
        rows.append(_listed_pair([cells.get(name, "") for name in COLUMNS], f"{path}, line {line}"))
    if not rows:
        raise FormatError(f"{path}: no pairs; expected the columns true, pred and, if wanted, name")
    return PairList(_unique_pairs(rows, str(path)), str(path), hashlib.sha256(path.read_bytes()).hexdigest())


def _listed_pair(row: Any, where: str) -> ListedPair:
    cells = [*row] if isinstance(row, list | tuple) else []
    if len(cells) not in (2, 3) or not all(isinstance(cell, str) for cell in cells):
        raise OptionError(f"{where} is {row!r}; expected two names and, if wanted, the name of the pair")
    true, pred, name = (*cells, "")[:3]
    for cell, column in ((true, "true"), (pred, "pred"), (name or true, "name")):
        try:
            check_name(cell, column)
        except FormatError as problem:
            raise problem.within(where) from None
    return ListedPair(true, pred, name or true, where)


def _unique_pairs(rows: list[ListedPair], where: str) -> tuple[ListedPair, ...]:
    names: set[str] = set()
    for row in rows:
        if row.name in names:
            raise InputError(
                f"{row.where}: a second pair is called {row.name!r}; expected one of each name (name them in the "
                "column name)"
            )
        names.add(row.name)
    if not rows:
        raise InputError(f"{where}: no pairs; expected at least one")
    return tuple(rows)


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
            _compiled_pattern(expression)
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
        expression = _compiled_pattern(self.pair[side == "pred"])
        if expression is not None:
            match = expression.search(name)
            if match is None:
                flag = "--pair" if self.pair[0] == self.pair[1] else f"--{side}-pair"
                raise InputError(
                    f"{side}: the item {name!r} does not match {flag} {expression.pattern!r}; expected a match in "
                    f"every name (--{side}-glob selects files of a folder)"
                )
            name = "_".join(filter(None, match.groups())) if expression.groups else match[0]
        if self._strip_pattern is not None:
            name = self._strip_pattern.sub("", name)
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
    def _strip_pattern(self) -> re.Pattern[str] | None:
        longest_first = map(re.escape, sorted(self.strip, key=len, reverse=True))
        # Neither * nor ? stands for a slash.
        expressions = [text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]") for text in longest_first]
        return re.compile("|".join(expressions)) if expressions else None


def _compiled_pattern(expression: Any) -> re.Pattern[str] | None:
    if expression is None:
        return None
    if not isinstance(expression, str) or not expression:
        raise OptionError(f"pair is {expression!r}; expected a regular expression such as '(\\d+)'")
    try:
        return re.compile(expression)
    except re.error as problem:
        raise OptionError(f"pair is {expression!r}, which is not a regular expression: {problem}") from None


def by_pairing_name(named: Iterable[tuple[str, T]], pairing: Pairing, side: SideName) -> dict[str, T]:
    """Return values by the names they are paired by; two of one name are an error."""
    values: dict[str, T] = {}
    originals: dict[str, str] = {}
    for original, value in named:
        name = pairing.name(original, side)
        if not name:
            raise InputError(f"{side}: --strip or --pair leaves nothing of the name {original!r}; expected a name")
        if name in values:
            first = originals[name]
            if first == original:
                hint = f"(--{side}-glob selects files of a folder)"
                raise InputError(f"{side}: two items are called {name!r}; expected one of each name {hint}")
            raise InputError(
                f"{side}: {first!r} and {original!r} are both called {name!r} after --strip or --pair; "
                "expected one item of each name"
            )
        values[name], originals[name] = value, original
    return values
