"""Terminal tables of error analysis and boundary sensitivity, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from segmetry._base.number_text import signed
from segmetry._base.small_table import counted
from segmetry.alignments.rule_labels import rule_heading, rule_symbol
from segmetry.diagnosis.diagnosis_result import Diagnosis
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.metrics.average import AVERAGES
from segmetry.metrics.score import value_or_none
from segmetry.outputs.tables.number_format import number
from segmetry.outputs.tables.table_style import name_cell, new_table

if TYPE_CHECKING:
    from rich.table import Table

BASE_WORDS = "as predicted"
SIZES_BESIDE = 3
"""The number of sizes that fit side by side in 80 columns."""


def diagnosis_tables(diagnosis: Diagnosis, *, top: int = 10) -> Iterator[Table]:
    """Yield all tables of an error analysis; of classes and confusions the ``top`` ones."""
    yield budget_table(diagnosis)
    yield metrics_table(diagnosis)
    yield in_turn_table(diagnosis)
    yield parts_table(diagnosis, "size", list(diagnosis.base.sizes), "by size: gain in PQ (pooled)")
    if diagnosis.has_classes:
        names = diagnosis.worst_classes
        shown = names[:top]
        which = "" if len(shown) == len(names) else f", the {len(shown)} of {len(names)} with most unmatched segments"
        yield parts_table(diagnosis, "class", shown, f"by class: gain in PQ{which}")
    if diagnosis.confusion:
        yield confusion_table(diagnosis, top)


def budget_table(diagnosis: Diagnosis) -> Table:
    """Return the errors of every kind, and the gain in PQ if they are fixed: individually and cumulatively."""
    items = counted(diagnosis.n_items, "item")
    title = f"error analysis of {items}: gain in PQ if fixed, {rule_heading(diagnosis.rule)}, policy {diagnosis.policy}"
    averages = ("by_item", diagnosis.average)
    words = [AVERAGES[average].heading for average in averages]
    columns = (
        "errors",
        "missed",
        "spurious",
        *(f"{word}\n{mode}" for word in words for mode in ("indi-\nvidually", "cumu-\nlative")),  # 80 columns
    )
    table = _table(title, "fixed", columns)
    first = diagnosis.base.scores["pq"]
    listed = 0 if first.over_items is None else first.over_items.denominator
    if listed != diagnosis.n_items:
        table.caption = f"The mean by item goes over the {listed} items in which PQ is defined."
    base = [cell for average in averages for cell in (number(value_or_none(first.find(average))), "")]
    table.add_row(BASE_WORDS, "", "", "", *base)
    for kind in KINDS:
        counts = diagnosis.counts[kind]
        missed, spurious = (str(counts[word] or "") for word in ("missed", "spurious"))
        cells = [
            signed(diagnosis.gain(kind, average=average, in_turn=in_turn))
            for average in averages
            for in_turn in (False, True)
        ]
        table.add_row(kind, str(counts["errors"]), missed, spurious, *cells)
    return table


def metrics_table(diagnosis: Diagnosis) -> Table:
    """Return the gain of every metric if each kind of error is fixed individually."""
    table = _table(f"gain if each kind is fixed individually ({AVERAGES[diagnosis.average].heading})", "fixed", KEYS)
    table.add_row(BASE_WORDS, *(number(value_or_none(diagnosis.base.scores[key].over_data_set)) for key in KEYS))
    for kind in KINDS:
        table.add_row(kind, *(signed(diagnosis.gain(kind, key)) for key in KEYS))
    return table


def in_turn_table(diagnosis: Diagnosis) -> Table:
    """Return every metric after each kind of error and all kinds above it are fixed."""
    table = _table(f"after each kind and all above are fixed ({AVERAGES[diagnosis.average].heading})", "fixed", KEYS)
    table.add_row(BASE_WORDS, *(number(value_or_none(diagnosis.base.scores[key].over_data_set)) for key in KEYS))
    for kind in KINDS:
        table.add_row(
            kind, *(number(value_or_none(diagnosis.cumulative[kind].scores[key].over_data_set)) for key in KEYS)
        )
    return table


def parts_table(diagnosis: Diagnosis, level: str, names: Sequence[Any], title: str) -> Table:
    """Return PQ of some classes or sizes, and its gain if each kind of error is fixed individually."""
    table = _table(title, level, ("PQ", *KINDS))
    for name in names:
        base = number(value_or_none(diagnosis.base.part(level, name).get("pq")))
        called = diagnosis.called(name) if level == "class" else name
        table.add_row(
            name_cell(called), base, *(signed(diagnosis.gain(kind, level=level, name=name), 3) for kind in KINDS)
        )
    return table


def confusion_table(diagnosis: Diagnosis, top: int) -> Table:
    """Return the classes most often confused with others."""
    rest = len(diagnosis.confusion) - top
    table = _table("confused classes" + (f", the first {top}" if rest > 0 else ""), "true class", ("pairs",))
    table.add_column("predicted class")
    for confusion in diagnosis.confusion[:top]:
        true, pred = (diagnosis.called(name) for name in (confusion.true_class, confusion.pred_class))
        table.add_row(name_cell(true), str(confusion.pairs), name_cell(pred))
    return table


def sensitivity_tables(sensitivity: Sensitivity, average: str = "by_item") -> Iterator[Table]:
    """Yield PQ and its change after every move, under every rule, of all segments and by size."""
    items = counted(sensitivity.n_items, "item")
    title = f"boundary sensitivity of {items}: PQ ({AVERAGES[average].heading}), policy {sensitivity.policy}"
    sizes = sensitivity.present_sizes
    for start in range(0, max(1, len(sizes)), SIZES_BESIDE):
        yield _sensitivity_table(sensitivity, average, title, sizes[start : start + SIZES_BESIDE])


def moves_without_effect(sensitivity: Sensitivity) -> str | None:
    """Return a note on the moves that change no element: their 0 says nothing."""
    without_effect = [move for move, changed in sensitivity.changed.items() if not changed]
    if not without_effect:
        return None
    reason = ": the prediction leaves nothing outside to grow into" if without_effect == ["dilate"] else ""
    return f"No element changes by {', '.join(without_effect)}{reason}."


def _sensitivity_table(sensitivity: Sensitivity, average: str, title: str, some: Sequence[str]) -> Table:
    table = _table(title, "move", ("rule", "PQ", "change", *some))
    for rule in sensitivity.rules:
        sizes = [number(sensitivity.value(rule, BASE, average=average, size=size)) for size in some]
        word = BASE_WORDS if rule == sensitivity.rules[0] else ""
        table.add_row(word, rule_symbol(rule), number(sensitivity.value(rule, BASE, average=average)), "", *sizes)
    for move in sensitivity.moves:
        for rule in sensitivity.rules:
            changes = [signed(sensitivity.change(rule, move, average=average, size=size)) for size in (None, *some)]
            word = move if rule == sensitivity.rules[0] else ""
            table.add_row(word, rule_symbol(rule), number(sensitivity.value(rule, move, average=average)), *changes)
    return table


def _table(title: str, first: str, columns: Sequence[str]) -> Table:
    table = new_table(title)
    table.add_column(first, max_width=22)  # the column that may be shortened
    for name in columns:
        table.add_column(name, justify="right", no_wrap=name != "rule", overflow="fold")
    return table
