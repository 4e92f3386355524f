"""The error budget and the sensitivity as tables in the terminal, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from segmetry.diagnosis.diagnosis_result import Diagnosis
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.outputs.tables.score_tables import UNDEFINED, short_rule

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.metrics.score import Score

BASE_WORDS = "as predicted"
SIZES_BESIDE = 3
"""So many sizes stand beside each other in 80 columns."""


def signed(value: float | None, digits: int = 4) -> str:
    """A change with its sign; a dash where it is undefined.

    >>> signed(0.25), signed(-0.5, 3), signed(0.0), signed(None)
    ('+0.2500', '-0.500', '0', '–')
    """
    if value is None:
        return UNDEFINED
    return "0" if value == 0 else f"{value:+.{digits}f}"


def plain(value: float | None) -> str:
    """A score with four decimals; a dash where it is undefined.

    >>> plain(0.5), plain(None)
    ('0.5000', '–')
    """
    return UNDEFINED if value is None else f"{value:.4f}"


def diagnosis_tables(found: Diagnosis, *, top: int = 10) -> Iterator[Table]:
    """All tables of an error budget; of classes and confusions the ``top`` ones."""
    yield budget_table(found)
    yield metrics_table(found)
    yield in_turn_table(found)
    yield parts_table(found, "size", list(found.base.sizes), "by size: gain in PQ (pooled)")
    if found.has_classes:
        names = found.worst_classes
        shown = names[:top]
        which = "" if len(shown) == len(names) else f", the {len(shown)} of {len(names)} with most lone segments"
        yield parts_table(found, "class", shown, f"by class: gain in PQ (pooled){which}")
    if found.confusion:
        yield confusion_table(found, top)


def budget_table(found: Diagnosis) -> Table:
    """Errors of every kind, and what repairing them gives: alone, and after all kinds above."""
    items = "1 item" if found.n_items == 1 else f"{found.n_items} items"
    title = f"error budget of {items}: PQ, {short_rule(found.rule)} (policy {found.policy})"
    columns = ("errors", "missed", "spurious", "mean\nalone", "mean\nin turn", "pooled\nalone", "pooled\nin turn")
    table = _table(title, "repaired", columns)
    first = found.base.scores["pq"]
    if first.n != found.n_items:
        table.caption = f"The mean as predicted goes over the {first.n} items in which PQ is defined."
    table.add_row(BASE_WORDS, "", "", "", "", plain(_value(first.mean)), "", plain(_value(first.pooled)))
    for kind in KINDS:
        counts, after = found.counts[kind], found.cumulative[kind].scores["pq"]
        missed, spurious = (str(counts[word] or "") for word in ("missed", "spurious"))
        mean, pooled = (signed(found.gain(kind, value=value)) for value in ("mean", "pooled"))
        in_turn = plain(_value(after.mean)), plain(_value(after.pooled))
        table.add_row(kind, str(counts["errors"]), missed, spurious, mean, in_turn[0], pooled, in_turn[1])
    return table


def metrics_table(found: Diagnosis) -> Table:
    """The gain of every metric by each repair alone."""
    table = _table("gain by each repair alone (pooled)", "repaired", KEYS)
    table.add_row(BASE_WORDS, *(plain(_value(found.base.scores[key].pooled)) for key in KEYS))
    for kind in KINDS:
        table.add_row(kind, *(signed(found.gain(kind, key)) for key in KEYS))
    return table


def in_turn_table(found: Diagnosis) -> Table:
    """Every metric after each repair and all repairs above it."""
    table = _table("after each repair and all above (pooled)", "repaired", KEYS)
    table.add_row(BASE_WORDS, *(plain(_value(found.base.scores[key].pooled)) for key in KEYS))
    for kind in KINDS:
        table.add_row(kind, *(plain(_value(found.cumulative[kind].scores[key].pooled)) for key in KEYS))
    return table


def parts_table(found: Diagnosis, level: str, names: Sequence[Any], title: str) -> Table:
    """PQ of some classes or sizes, and its gain by each repair alone."""
    table = _table(title, level, ("PQ", *KINDS))
    for name in names:
        base = plain(_value(found.base.part(level, name).get("pq")))
        called = found.called(name) if level == "class" else name
        table.add_row(_text(called), base, *(signed(found.gain(kind, level=level, name=name), 3) for kind in KINDS))
    return table


def confusion_table(found: Diagnosis, top: int) -> Table:
    """The classes most often taken for others."""
    rest = len(found.confusion) - top
    table = _table("classes taken for others" + (f", the first {top}" if rest > 0 else ""), "true class", ("pairs",))
    table.add_column("predicted class")
    for one in found.confusion[:top]:
        table.add_row(_text(found.called(one.true_class)), str(one.pairs), _text(found.called(one.pred_class)))
    return table


def sensitivity_tables(found: Sensitivity, value: str = "mean") -> Iterator[Table]:
    """PQ after every move, under every rule, and how much the move changes it, of all segments and by size; a few sizes
    at a time, so that no number is cut.
    """
    items = "1 item" if found.n_items == 1 else f"{found.n_items} items"
    title = f"sensitivity of {items}: PQ ({value}), policy {found.policy}"
    sizes = found.present_sizes
    for start in range(0, max(1, len(sizes)), SIZES_BESIDE):
        yield _sensitivity_table(found, value, title, sizes[start : start + SIZES_BESIDE])


def moves_without_effect(found: Sensitivity) -> str | None:
    """Which moves change no element, so that nobody takes their 0 for a finding."""
    still = [move for move, changed in found.changed.items() if not changed]
    if not still:
        return None
    reason = ": the prediction leaves nothing outside to grow into" if still == ["dilate"] else ""
    return f"No element changes by {', '.join(still)}{reason}."


def _sensitivity_table(found: Sensitivity, value: str, title: str, some: Sequence[str]) -> Table:
    table = _table(title, "move", ("rule", "PQ", "change", *some))
    for rule in found.rules:
        sizes = [plain(found.value(rule, BASE, value=value, size=size)) for size in some]
        word = BASE_WORDS if rule == found.rules[0] else ""
        table.add_row(word, short_rule(rule), plain(found.value(rule, BASE, value=value)), "", *sizes)
    for move in found.moves:
        for rule in found.rules:
            changes = [signed(found.change(rule, move, value=value, size=size)) for size in (None, *some)]
            word = move if rule == found.rules[0] else ""
            table.add_row(word, short_rule(rule), plain(found.value(rule, move, value=value)), *changes)
    return table


def _table(title: str, first: str, columns: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column(first, max_width=22)  # the column that gives way: numbers are never cut
    for name in columns:
        table.add_column(name, justify="right", no_wrap=name != "rule", overflow="fold")
    return table


def _text(name: str) -> Any:
    from rich.text import Text

    return Text(name, overflow="ellipsis", no_wrap=True)


def _value(score: Score | None) -> float | None:
    return None if score is None or not score.is_defined else score.value
