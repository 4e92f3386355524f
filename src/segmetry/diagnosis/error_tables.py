"""Tables of error analysis and boundary sensitivity, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from segmetry.alignments import rule_heading, rule_symbol
from segmetry.diagnosis.diagnosis_result import Diagnosis
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.metrics import AVERAGES, Score
from segmetry.protocols import metric_cell, score_value
from segmetry.results import Entry, ResultTable, Value, counted, signed

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
    base = [entry for average in averages for entry in (_score_entry(first.find(average)), None)]
    rows: list[Sequence[Entry]] = [(BASE_WORDS, None, None, None, *base)]
    for kind in KINDS:
        counts = diagnosis.counts[kind]
        gains = [
            signed(diagnosis.gain(kind, average=average, cumulative=cumulative))
            for average in averages
            for cumulative in (False, True)
        ]
        rows.append((kind, counts["errors"], *(counts[word] or None for word in ("missed", "spurious")), *gains))
    return ResultTable(title, headings, rows, [] if listed == diagnosis.n_items else [note])


def metrics_table(diagnosis: Diagnosis) -> ResultTable:
    """Return the gain of every metric if each kind of error is fixed individually."""
    rows: list[Sequence[Entry]] = [
        (BASE_WORDS, *(_score_entry(diagnosis.base.scores[key].over_data_set) for key in KEYS)),
        *((kind, *(signed(diagnosis.gain(kind, key)) for key in KEYS)) for kind in KINDS),
    ]
    title = f"gain if each kind is fixed individually ({AVERAGES[diagnosis.average].heading})"
    return ResultTable(title, ("fixed", *KEYS), rows)


def in_turn_table(diagnosis: Diagnosis) -> ResultTable:
    """Return every metric after each kind of error and all kinds above it are fixed."""
    states = {BASE_WORDS: diagnosis.base, **{kind: diagnosis.cumulative[kind] for kind in KINDS}}
    rows: list[Sequence[Entry]] = [
        (name, *(_score_entry(state.scores[key].over_data_set) for key in KEYS)) for name, state in states.items()
    ]
    title = f"after each kind and all above are fixed ({AVERAGES[diagnosis.average].heading})"
    return ResultTable(title, ("fixed", *KEYS), rows)


def parts_table(diagnosis: Diagnosis, level: str, names: Sequence[Any], title: str) -> ResultTable:
    """Return PQ of some classes or sizes, and its gain if each kind of error is fixed individually."""
    rows: list[Sequence[Entry]] = []
    for name in names:
        called = str(diagnosis.called(name) if level == "class" else name)
        gains = (signed(diagnosis.gain(kind, level=level, name=name), 3) for kind in KINDS)
        rows.append((called, _score_entry(diagnosis.base.part(level, name).get("pq")), *gains))
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


def _score_entry(score: Score | None) -> Value:
    return score_value(Score.undefined("pq", "no value") if score is None else score)


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
