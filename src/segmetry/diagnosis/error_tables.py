"""Tables of error analysis and boundary sensitivity, readable at 80 columns, and segments with their errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from segmetry.alignments import rule_heading, rule_symbol
from segmetry.diagnosis.diagnosis_result import Diagnosis
from segmetry.diagnosis.error_budget import overlap_problem, run_reasons
from segmetry.diagnosis.error_reasons import KIND_BITS, KINDS
from segmetry.diagnosis.run_errors import RunErrors
from segmetry.diagnosis.scored_state import KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.errors import OptionError
from segmetry.metrics import AVERAGES, Score
from segmetry.protocols import metric_cell
from segmetry.results import Entry, ResultTable, Table, Value, counted, number, signed

if TYPE_CHECKING:
    from segmetry.run import Run

BASE_WORDS = "as predicted"
RULE_ROOM = 18
"""The longest rule on one line."""
SIZES_BESIDE = 3
"""The number of sizes that fit side by side in 80 columns."""


def diagnosis_tables(diagnosis: Diagnosis, *, top: int = 10) -> Iterator[ResultTable]:
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


def budget_table(diagnosis: Diagnosis) -> ResultTable:
    """Return the errors of every kind, and the gain in PQ if they are fixed: individually and cumulatively."""
    items = counted(diagnosis.n_items, "item")
    title = f"error analysis of {items}: gain in PQ if fixed, {rule_heading(diagnosis.rule)}, policy {diagnosis.policy}"
    averages = ("by_item", diagnosis.average)
    words = [AVERAGES[average].heading for average in averages]
    headings = (
        "fixed",
        "errors",
        "missed",
        "spurious",
        *(f"{word}\n{mode}" for word in words for mode in ("indi-\nvidually", "cumu-\nlative")),  # 80 columns
    )
    first = diagnosis.base.scores["pq"]
    listed = 0 if first.over_items is None else first.over_items.denominator
    note = f"The mean by item goes over the {listed} items in which PQ is defined."
    base = [entry for average in averages for entry in (_score_entry(diagnosis, first.find(average)), None)]
    rows: list[Sequence[Entry]] = [(BASE_WORDS, None, None, None, *base)]
    for kind in KINDS:
        counts = diagnosis.counts[kind]
        gains = [
            diagnosis.cell.text(diagnosis.gain(kind, average=average, cumulative=cumulative), sign=True)
            for average in averages
            for cumulative in (False, True)
        ]
        rows.append((kind, counts["errors"], *(counts[word] or None for word in ("missed", "spurious")), *gains))
    return ResultTable(title, headings, rows, [] if listed == diagnosis.n_items else [note])


def metrics_table(diagnosis: Diagnosis) -> ResultTable:
    """Return the gain of every metric if each kind of error is fixed individually."""
    rows: list[Sequence[Entry]] = [
        (BASE_WORDS, *(_score_entry(diagnosis, diagnosis.base.scores[key].over_data_set) for key in KEYS)),
        *((kind, *(diagnosis.cell.text(diagnosis.gain(kind, key), sign=True) for key in KEYS)) for kind in KINDS),
    ]
    title = f"gain if each kind is fixed individually ({AVERAGES[diagnosis.average].heading})"
    return ResultTable(title, ("fixed", *KEYS), rows)


def in_turn_table(diagnosis: Diagnosis) -> ResultTable:
    """Return every metric after each kind of error and all kinds above it are fixed."""
    states = {BASE_WORDS: diagnosis.base, **{kind: diagnosis.cumulative[kind] for kind in KINDS}}
    rows: list[Sequence[Entry]] = [
        (name, *(_score_entry(diagnosis, state.scores[key].over_data_set) for key in KEYS))
        for name, state in states.items()
    ]
    title = f"after each kind and all above are fixed ({AVERAGES[diagnosis.average].heading})"
    return ResultTable(title, ("fixed", *KEYS), rows)


def parts_table(diagnosis: Diagnosis, level: str, names: Sequence[Any], title: str) -> ResultTable:
    """Return PQ of some classes or sizes, and its gain if each kind of error is fixed individually."""
    rows: list[Sequence[Entry]] = []
    cell = replace(diagnosis.cell, decimals=min(3, diagnosis.cell.decimals))  # 80 columns
    for name in names:
        called = str(diagnosis.called(name) if level == "class" else name)
        gains = (cell.text(diagnosis.gain(kind, level=level, name=name), sign=True) for kind in KINDS)
        rows.append((called, _score_entry(diagnosis, diagnosis.base.part(level, name).get("pq")), *gains))
    return ResultTable(title, (level, "PQ", *KINDS), rows)


def confusion_table(diagnosis: Diagnosis, top: int) -> ResultTable:
    """Return the classes most often confused with others."""
    rest = len(diagnosis.confusion) - top
    rows = [
        (str(diagnosis.called(found.true_class)), found.pairs, str(diagnosis.called(found.pred_class)))
        for found in diagnosis.confusion[:top]
    ]
    title = "confused classes" + (f", the first {top}" if rest > 0 else "")
    return ResultTable(title, ("true class", "pairs", "predicted class"), rows, texts=frozenset({0, 2}))


def errors_table(errors: RunErrors, top: int) -> ResultTable:
    """Return the costliest single errors."""
    rows = [(number(error.cost, 2), error.kind, error.what, error.item, error.error) for error in errors[:top]]
    title = f"{counted(len(errors), 'error')}, costliest first: points of {errors.headline} if it alone is fixed"
    notes = [] if errors.note is None else [errors.note[0].upper() + errors.note[1:] + "."]
    return ResultTable(title, ("points", "kind", "what", "item", "error"), rows, notes, texts=frozenset({1, 2, 3, 4}))


def _score_entry(diagnosis: Diagnosis, score: Score | None) -> Value:
    return Value(diagnosis.cell, math.nan if score is None else score.value)


def sensitivity_tables(sensitivity: Sensitivity, average: str = "by_item") -> Iterator[ResultTable]:
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


def _sensitivity_table(sensitivity: Sensitivity, average: str, title: str, some: Sequence[str]) -> ResultTable:
    cell = metric_cell("pq", average)

    def entry(rule: str, move: str, size: str | None = None) -> str:
        return cell.text(sensitivity.value(rule, move, average=average, size=size))

    def symbol(rule: str) -> str:
        return rule_symbol(rule) if len(rule_symbol(rule)) <= RULE_ROOM else rule_symbol(rule).replace("(", "\n(", 1)

    rows: list[Sequence[Entry]] = []
    for rule in sensitivity.rules:
        word = BASE_WORDS if rule == sensitivity.rules[0] else ""
        sizes = (entry(rule, BASE, size) for size in some)
        rows.append((word, symbol(rule), entry(rule, BASE), None, *sizes))
    for move in sensitivity.moves:
        for rule in sensitivity.rules:
            changes = [signed(sensitivity.change(rule, move, average=average, size=size)) for size in (None, *some)]
            word = move if rule == sensitivity.rules[0] else ""
            rows.append((word, symbol(rule), entry(rule, move), *changes))
    return ResultTable(title, ("move", "rule", "PQ", "change", *some), rows, texts=frozenset({0, 1}))


COUNTED = {"true": ("class", "split", "missed", "boundary"), "pred": ("merge", "spurious")}
"""The kinds of errors that are counted as segments of a side."""
EXPLAINED = {"class": "confused", "split": "fragment", "merge": "swallowed"}
"""What a segment without a partner is that belongs to an error which is counted on the other side."""


def segments_with_errors(run: Run) -> Table:
    """Return the table of segments with a column ``error``: as many rows name a kind as :func:`diagnose` counts.

    A segment may have several; one that belongs to an error of the other side is ``confused``, a ``fragment`` of a
    split, or ``swallowed`` by a merge. The column is empty where the rule, or segments that overlap, allow no error
    analysis.
    """
    rows = run.segments()
    tables = run.tables_together
    bits: dict[tuple[str, str, int], int] = {}
    if overlap_problem(tables) is None:
        try:
            kinds = run_reasons(run).kinds_of_segments()
        except OptionError:  # a rule without an error analysis
            kinds = None
        for name, side, of_side in zip(("true", "pred"), (tables.true, tables.pred), kinds or (), strict=False):
            places = zip(side.item.tolist(), side.ids.tolist(), of_side.tolist(), strict=True)
            bits |= {(tables.items[item].name, name, label): found for item, label, found in places}
    listed = [{**row, "error": _row_errors(row, bits)} for row in rows]
    return Table("segments", listed, {**rows.types, "error": "text"}, rows.absent)


def _row_errors(row: dict[str, object], bits: dict[tuple[str, str, int], int]) -> str | None:
    words = []
    for side, counted_kinds in COUNTED.items():
        found = bits.get((row["item"], side, row[f"{side}_id"]), 0)  # type: ignore[arg-type]
        words += [kind for kind in counted_kinds if found & KIND_BITS[kind]]
        if not found & KIND_BITS["matched"]:
            words += [word for kind, word in EXPLAINED.items() if kind not in counted_kinds and found & KIND_BITS[kind]]
    return ", ".join(words) or None
