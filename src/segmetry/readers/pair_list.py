"""A list of pairs: which true item belongs to which predicted one, from a CSV file or from rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.readers.options import SideName
from segmetry.readers.parts.safe_names import check_name

COLUMNS = ("true", "pred", "name")
SHOWN = 5
T = TypeVar("T")


class ListedPair(NamedTuple):
    """One row: the items or files of both sides, the name of the pair, and where the row is, for messages."""

    true: str
    pred: str
    name: str
    where: str


@frozen_dataclass()
class PairList:
    """The rows of a list of pairs; ``path`` and ``sha256`` are those of its file, if it is one.

    >>> PairList.of([("a_gt", "a_1"), ("a_gt", "a_2", "second")]).rows[1].name
    'second'
    """

    rows: tuple[ListedPair, ...]
    path: str | None = None
    sha256: str | None = field(default=None, compare=False)

    @classmethod
    def of(cls, pairs: Any) -> PairList | None:
        """Return the list in a file, in rows, or as :meth:`as_plain` has stored it; None for None."""
        if pairs is None or isinstance(pairs, PairList):
            return pairs
        if isinstance(pairs, Mapping):
            return _unchanged(str(pairs.get("path")), pairs.get("sha256"))
        if isinstance(pairs, str | Path):
            return _read(Path(pairs))
        return cls(_checked([_row(row, f"pairs[{at}]") for at, row in enumerate(pairs)], "pairs"))

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
                names = [repr(name) for name, _, _ in listed[:SHOWN]] + ["…"] * (len(listed) > SHOWN)
                raise InputError(
                    f"{row.where}: {side} is {wanted[:80]!r}, but {side.upper()} has no such item or file; its items "
                    f"are {', '.join(names) or 'none'}"
                )
            chosen[row.name] = by_name[wanted]
        return chosen


def _read(path: Path) -> PairList:
    import hashlib

    rows = [_row([cells.get(name, "") for name in COLUMNS], f"{path}, line {line}") for line, cells in _table(path)]
    if not rows:
        raise FormatError(f"{path}: no pairs; expected the columns true, pred and, if wanted, name")
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    return PairList(_checked(rows, str(path)), str(path), content)


def _table(path: Path) -> Iterable[tuple[int, Mapping[str, str]]]:
    from segmetry.readers.parts.csv_table import read_table

    for line, cells in read_table(path, COLUMNS):
        for name in ("true", "pred"):
            if name not in cells:
                raise FormatError(f"{path}, line 1: there is no column {name}; expected the columns true, pred[, name]")
        yield line, cells


def _row(row: Any, where: str) -> ListedPair:
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


def _checked(rows: list[ListedPair], where: str) -> tuple[ListedPair, ...]:
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


def _unchanged(path: str, sha256: object) -> PairList:
    """Return the list of a file that must be the one a run was made with."""
    listed = _read(Path(path))
    if listed.sha256 != sha256:
        raise InputError(f"{path}: the list of pairs has changed since the run was made; put the old one back")
    return listed
