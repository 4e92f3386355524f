"""Divide a data set by a column about its items: the tissue of an image, the scanner of a volume."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError, InputError, OptionError

ITEM = "item"


@frozen_dataclass()
class ByItem:
    """Group items by a label of their own.

    Parameters
    ----------
    name : str
        What the labels are, such as ``'tissue'``.
    labels : mapping of str to label
        The label of each item, by its name.

    Examples
    --------
    >>> ByItem("tissue", {"a": "liver", "b": "kidney", "c": "liver"}).groups(["a", "c", "b"])
    {'kidney': ['b'], 'liver': ['a', 'c']}
    """

    name: str
    labels: Mapping[str, Hashable]

    @classmethod
    def read(cls, path: str | Path, column: str) -> ByItem:
        """Read a column of a CSV or TSV file that has a column ``item``."""
        from segmetry.readers import read_table

        file, wanted = Path(path), column.strip().lower()
        labels: dict[str, Hashable] = {}
        for line, cells in read_table(file, None):
            for needed in (ITEM, wanted):
                if needed not in cells:
                    raise FormatError(
                        f"{file}, line 1: there is no column {needed[:40]!r}; found {', '.join(cells)[:200]}"
                    )
            item = cells[ITEM]
            if labels.setdefault(item, cells[wanted]) != cells[wanted]:
                raise InputError(f"{file}, line {line}: a second row for item {item[:80]!r} says {cells[wanted]!r}")
        return cls(column, labels)

    def groups(self, items: Iterable[str]) -> dict[Hashable, list[str]]:
        """Return the items of every label, sorted; an item without a label is an error."""
        groups: dict[Hashable, list[str]] = {}
        for item in items:
            if item not in self.labels:
                listed = ", ".join(map(repr, list(self.labels)[:5]))
                raise OptionError(f"item {item!r} has no {self.name}; expected a label for every item, found {listed}")
            groups.setdefault(self.labels[item], []).append(item)
        return {label: groups[label] for label in sorted(groups, key=str)}
