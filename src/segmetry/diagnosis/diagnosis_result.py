"""The result of a diagnosis, as objects, plain rows, plain data for JSON, and a table for notebooks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import AVERAGES, COUNTS, KEYS, State, n_defined
from segmetry.metrics import AVERAGES as AVERAGE_OF, Score, value_or_none
from segmetry.results import Cell, Table, Tabular, number

WORDS = {
    "class": "a segment is found, but confused with another class",
    "split": "a true segment is predicted in several pieces",
    "merge": "several true segments are predicted as one",
    "missed": "a true segment has no partner, and none of the above explains it",
    "spurious": "a predicted segment has no partner, and none of the above explains it",
    "boundary": "a matched pair is not equal",
}
"""A short description of every kind of error."""
PQ: Cell = Cell("PQ", "pq", "")


@dataclass(frozen=True)
class Confusion:
    """How many pairs satisfy the rule but for their classes."""

    true_class: Hashable
    pred_class: Hashable
    pairs: int


@dataclass(frozen=True)
class Diagnosis(Tabular):
    """The error analysis of a run.

    ``base`` are its scores as predicted, ``individually[kind]`` those after the errors of that kind are fixed,
    ``cumulative[kind]`` those after that kind and all kinds before are fixed. ``counts[kind]`` counts the errors and
    the missed true and spurious pred segments they explain. ``class_names`` are the names that the data set gives to
    its classes, if any.
    """

    rule: str
    policy: str
    classes: str
    n_items: int
    counts: Mapping[str, Mapping[str, int]]
    base: State
    individually: Mapping[str, State]
    cumulative: Mapping[str, State]
    confusion: tuple[Confusion, ...]
    has_classes: bool
    size_edges: tuple[int, ...]
    class_names: Mapping[Hashable, str] = field(default_factory=dict)
    cell: Cell = PQ
    """How scores are written in tables: in the unit of the protocol."""

    def called(self, name: Hashable) -> str:
        """Return the name of a class in tables and pictures: its name in the data set, else itself."""
        return str(self.class_names.get(name, name))

    @property
    def average(self) -> str:
        """The average of the data set that comes first: by class where there are classes, else of all segments."""
        return "by_class" if self.has_classes else "pooled"

    @property
    def worst_classes(self) -> list[Hashable]:
        """The classes in descending order of missed and spurious segments."""

        def lone(name: Hashable) -> float:
            row = self.base.classes[name]
            return row["n_missed"].value + row["n_spurious"].value

        return sorted(self.base.classes, key=lone, reverse=True)

    def gain(
        self,
        kind: str,
        key: str = "pq",
        *,
        average: str | None = None,
        level: str | None = None,
        name: Any = None,
        cumulative: bool = False,
    ) -> float | None:
        """Return the gain of a score if one kind of error is fixed; None where it is undefined before or after.

        ``average`` is that of the data set (see :attr:`average`). ``level`` and ``name`` choose a part: ``"class"`` or
        ``"size"`` and its name. The kind is fixed individually, or ``cumulative`` after all kinds before it.
        """
        steps = [self.base, *self.cumulative.values()]
        at = list(self.cumulative).index(kind)
        states = steps[at : at + 2] if cumulative else [self.base, self.individually[kind]]
        if level is None:
            before, after = (state.scores[key].find(average or self.average) for state in states)
        else:
            before, after = (state.part(level, name).get(key) for state in states)
        return difference(before, after)

    def rows(self) -> Table:
        """Return one plain row per part of the data set, fix and metric: level, name, repair (the kind that is fixed),
        mode, key, the averages, the number of items ``n``, and the gain of each (in mode ``cumulative`` over the step
        before). Undefined is None; a class or size has only the value of all its segments.
        """
        rows = _rows_of("base", None, self.base, self.base)
        for kind, state in self.individually.items():
            rows += _rows_of("individually", kind, state, self.base)
        before = self.base
        for kind, state in self.cumulative.items():
            rows += _rows_of("cumulative", kind, state, before)
            before = state
        return Table("gains", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, as described in the documentation, page "Error analysis"."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "classes": self.classes,
            "n_items": self.n_items,
            "order": list(KINDS),
            "kinds": {kind: {"words": WORDS[kind], **self.counts[kind]} for kind in KINDS},
            "size_edges": list(self.size_edges),
            "base": self.base.to_dict(),
            "individually": {kind: state.to_dict() for kind, state in self.individually.items()},
            "cumulative": {kind: state.to_dict() for kind, state in self.cumulative.items()},
            "confusion": [asdict(entry) for entry in self.confusion]
            if self.has_classes and self.classes == "match"
            else None,
            "class_names": {str(label): name for label, name in self.class_names.items()},
        }

    def __repr__(self) -> str:
        base = self.base.scores["pq"].find(self.average)
        value = "undefined" if base is None or not base.is_defined else number(base.value)
        words = AVERAGE_OF[self.average].words
        return f"Diagnosis({self.n_items} items, rule {self.rule}, policy {self.policy}: PQ {value}, {words})"

    def _repr_html_(self) -> str:
        from segmetry.diagnosis.error_tables import budget_table

        return budget_table(self)._repr_html_()


def difference(before: Score | None, after: Score | None) -> float | None:
    """Return the gain of a score; None where it is undefined before or after."""
    if before is None or after is None or not before.is_defined or not after.is_defined:
        return None
    return after.value - before.value


def _rows_of(mode: str, kind: str | None, state: State, before: State) -> list[dict[str, Any]]:
    facts: dict[str, Any] = {"mode": mode, "repair": kind}
    rows: list[dict[str, Any]] = []
    for key in (*KEYS, *COUNTS):
        now, earlier = ({name: each.scores[key].find(name) for name in AVERAGES} for each in (state, before))
        values = {name: value_or_none(now[name]) for name in AVERAGES}
        gains = {f"gain_{name}": difference(earlier[name], now[name]) for name in AVERAGES}
        rows.append(
            {"level": "data set", "name": None, **facts, "key": key}
            | values
            | {"n": n_defined(state.scores[key])}
            | gains
        )
    for level, names in (("class", before.classes), ("size", before.sizes)):
        for name in names:
            for key in (*KEYS, *COUNTS):
                after, earlier_part = state.part(level, name).get(key), before.part(level, name).get(key)
                gain = difference(earlier_part, after)
                columns = (*AVERAGES, "n", *(f"gain_{average}" for average in AVERAGES))
                row: dict[str, Any] = {"level": level, "name": name, **facts, "key": key}
                row |= dict.fromkeys(columns, None)
                rows.append(row | {"pooled": value_or_none(after), "gain_pooled": gain})
    return rows
