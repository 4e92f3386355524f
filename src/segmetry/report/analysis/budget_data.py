"""The error analysis of the page: the gain if each kind of error is fixed, as :func:`segmetry.diagnose` computes it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from segmetry.alignments.rule_labels import rule_heading
from segmetry.diagnosis.diagnosis_result import WORDS, Diagnosis, difference
from segmetry.diagnosis.error_budget import diagnose, overlap_problem
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.scored_state import AVERAGES, KEYS, State
from segmetry.errors import SegmetryError
from segmetry.metrics.score import Score, value_or_none
from segmetry.report.frame.item_words import item_words, plural
from segmetry.report.page_records import BudgetData, BudgetKind, BudgetPart, ByAverage, PageAverage, Problem
from segmetry.run.run import Run

FIXES = {
    "class": "the predicted segment takes the class of the true one",
    "split": "all pieces of a true segment become one segment",
    "merge": "the predicted segment is cut along the true segments it swallows",
    "missed": "the true segment is predicted exactly",
    "spurious": "the predicted segment is dropped",
    "boundary": "the predicted segment becomes its true partner, exactly",
}
"""How the prediction changes when an error of each kind is fixed."""

MANY_ITEMS = 10_000
"""The most items of a run whose errors are analysed unasked."""


def budget_facts(run: Run, most_items: int = MANY_ITEMS) -> BudgetData | Problem:
    """Return the error analysis under the run's own rule, or why there is none; of runs of at most ``most_items``.

    >>> import segmetry as sm
    >>> facts = budget_facts(sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq"))
    >>> kinds = facts["kinds"]
    >>> kinds["split"]["gain_individually"]["by_item"], kinds["boundary"]["cumulative"]["pq"]["by_item"]
    (0.5, 1.0)
    """
    items = len(run.tables_together)
    if items > most_items:
        return {
            "problem": f"Left out: the run has {items} items, more than {most_items}; segmetry open shows it, and "
            "segmetry diagnose computes it from the run file."
        }
    words = item_words(run)
    overlapping = overlap_problem(run.tables_together, plural(words["item"]), plural(words["segment"]))
    if overlapping is not None:
        return {"problem": f"No error analysis: {overlapping}"}
    try:
        return _analysed(diagnose(run))
    except SegmetryError as refused:
        return {"problem": f"No error analysis: {refused}"}


def _analysed(diagnosis: Diagnosis) -> BudgetData:
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    kinds: dict[str, BudgetKind] = {
        kind: {
            "words": WORDS[kind],
            "fixed": FIXES[kind],
            "errors": diagnosis.counts[kind]["errors"],
            "missed": diagnosis.counts[kind]["missed"],
            "spurious": diagnosis.counts[kind]["spurious"],
            "individually": _values(diagnosis.alone[kind]),
            "cumulative": _values(diagnosis.cumulative[kind]),
            "gain_individually": _gains(diagnosis.base, diagnosis.alone[kind]),
            "gain_cumulative": _gains(before, diagnosis.cumulative[kind]),
        }
        for kind, before in zip(KINDS, steps, strict=False)
    }
    confusion = [
        (diagnosis.called(row.true_class), diagnosis.called(row.pred_class), row.pairs) for row in diagnosis.confusion
    ]
    return {
        "problem": None,
        "rule": rule_heading(diagnosis.rule),
        "policy": diagnosis.policy,
        "order": list(KINDS),
        "keys": list(KEYS),
        "base": _values(diagnosis.base),
        "kinds": kinds,
        "size_edges": list(diagnosis.size_edges),
        "by_size": _parts(diagnosis, "size", list(diagnosis.base.sizes)),
        "by_class": _parts(diagnosis, "class", diagnosis.worst_classes) if diagnosis.has_classes else None,
        "confusion": confusion if diagnosis.has_classes and diagnosis.classes == "match" else None,
    }


def _parts(diagnosis: Diagnosis, level: str, names: Sequence[Hashable]) -> list[BudgetPart]:
    """Return PQ of every class or size, and its gain if each kind is fixed, in the order of the kinds."""
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    rows: list[BudgetPart] = []
    for name in names:
        values = [state.part(level, name).get("pq") for state in steps]
        rows.append(
            {
                "name": diagnosis.called(name) if level == "class" else str(name),
                "pq": value_or_none(values[0]),
                "individually": [diagnosis.gain(kind, level=level, name=name) for kind in diagnosis.alone],
                "cumulative": [difference(before, after) for before, after in pairwise(values)],
            }
        )
    return rows


def _values(state: State) -> dict[str, ByAverage]:
    return {key: {average: value_or_none(score) for average, score in _averages(state, key).items()} for key in KEYS}


def _gains(before: State, after: State) -> ByAverage:
    """Return the gain in PQ from one state to another."""
    first, second = _averages(before, "pq"), _averages(after, "pq")
    return {average: difference(first[average], second.get(average)) for average in first}


def _averages(state: State, key: str) -> dict[PageAverage, Score]:
    """Return the averages that a metric has in a state."""
    found: dict[PageAverage, Score | None] = {average: state.scores[key].find(average) for average in AVERAGES}
    return {average: score for average, score in found.items() if score is not None}
