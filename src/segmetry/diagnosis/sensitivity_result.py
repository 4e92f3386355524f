"""The result of a sensitivity analysis, as objects, plain rows, plain data for JSON, and a table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from segmetry.diagnosis.scored_state import AVERAGES, COUNTS, KEYS, n_defined
from segmetry.metrics import value_or_none
from segmetry.results import Table, Tabular
from segmetry.statistics import Averages, Summary

BASE = "base"


@dataclass(frozen=True)
class Sensitivity(Tabular):
    """Scores before (``base``) and after every move, by rule: of the whole data set and by size.

    A pair counts for the size of its true segment, a spurious segment for its own size before any move. ``changed`` is
    how many elements the segments gained and lost by each move. ``items`` are the sha256 of what was counted of every
    item before any move, by which a run of the same segmentations is recognised.
    """

    policy: str
    classes: str
    undefined: float | None
    items: Mapping[str, str]
    n_elements: int
    changed: Mapping[str, int]
    whole: Mapping[str, Mapping[str, Summary]]
    by_size: Mapping[str, Mapping[str, Summary]]
    sizes: tuple[str, ...]

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(self.whole)

    @property
    def average(self) -> str:
        """The average of the data set that comes first: by class where there are classes, else of all segments."""
        by_class = any(summary.by == "class" for moves in self.whole.values() for summary in moves.values())
        return "by_class" if by_class else "pooled"

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(self.changed)

    def score(self, rule: str, move: str, key: str = "pq", size: str | None = None) -> Averages | None:
        """Return a score under a rule after a move (or ``base``), of all segments or those of one size; None where no
        segment has this size.
        """
        if size is None:
            return self.whole[rule][move].scores[key]
        return self.by_size[rule][move].parts.get(size, {}).get(key)

    def value(
        self, rule: str, move: str, key: str = "pq", *, average: str = "by_item", size: str | None = None
    ) -> float | None:
        """Return an average of a score; None where it is undefined. Of a size, ``by_class`` is that of all segments."""
        aggregated = self.score(rule, move, key, size)
        if aggregated is None:
            return None
        return value_or_none(aggregated.over_data_set if average == "by_class" else aggregated.find(average))

    def change(
        self, rule: str, move: str, key: str = "pq", *, average: str = "by_item", size: str | None = None
    ) -> float | None:
        """Return the change of a score by a move; None where it is undefined before or after."""
        before, after = (self.value(rule, name, key, average=average, size=size) for name in (BASE, move))
        return None if before is None or after is None else after - before

    @property
    def present_sizes(self) -> tuple[str, ...]:
        """The sizes that occur before any move under any rule, from small to large."""
        present = {name for moves in self.by_size.values() for name in moves[BASE].parts}
        return tuple(name for name in self.sizes if name in present)

    def rows(self) -> Table:
        """Return one plain row per rule, move, size (None for all) and metric: averages, n and changes."""
        rows = [
            {"rule": rule, "move": move, "size": size, "key": key, **self._row_cells(rule, move, key, size)}
            for rule in self.rules
            for move in (BASE, *self.moves)
            for size in (None, *self.present_sizes)
            for key in (*KEYS, *COUNTS)
        ]
        return Table("sensitivity", rows)

    def _row_cells(self, rule: str, move: str, key: str, size: str | None) -> dict[str, Any]:
        return {
            **{name: self.value(rule, move, key, average=name, size=size) for name in AVERAGES},
            "n": n_defined(self.score(rule, move, key, size)),
            **{f"change_{name}": self.change(rule, move, key, average=name, size=size) for name in AVERAGES},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, as described in the documentation, page "Error analysis"."""
        return {
            "policy": self.policy,
            "classes": self.classes,
            "undefined": self.undefined,
            "n_items": self.n_items,
            "n_elements": self.n_elements,
            "rules": list(self.rules),
            "moves": {move: {"changed": count} for move, count in self.changed.items()},
            "sizes": list(self.present_sizes),
            "items": dict(self.items),
            "rows": list(self.rows()),
        }

    def __repr__(self) -> str:
        return f"Sensitivity({self.n_items} items, rules {', '.join(self.rules)}, {len(self.moves)} moves)"

    def _repr_html_(self) -> str:
        from segmetry.diagnosis.error_tables import sensitivity_tables

        return next(sensitivity_tables(self))._repr_html_()
