"""The error analysis of the page: the gain if each kind of error is fixed, as :func:`segmetry.diagnose` computes it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

from segmetry.alignments.rule_labels import rule_heading
from segmetry.diagnosis.diagnosis_result import Diagnosis, difference
from segmetry.diagnosis.error_budget import diagnose, overlap_problem
from segmetry.diagnosis.scored_state import KEYS, State
from segmetry.errors import SegmetryError
from segmetry.metrics.score import value_or_none
from segmetry.report.analysis.interval_data import MANY_ITEMS
from segmetry.report.frame.item_words import item_words, plural
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


def budget_facts(run: Run, most_items: int = MANY_ITEMS) -> dict[str, Any]:
    """Return the error analysis under the run's own rule, or why there is none; of runs of at most ``most_items``.

    >>> import segmetry as sm
    >>> facts = budget_facts(sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq"))
    >>> facts["kinds"]["split"]["gain_alone"]["by_item"], facts["kinds"]["boundary"]["in_turn"]["pq"]["by_item"]
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
        return {"problem": None, **_plain(diagnose(run))}
    except SegmetryError as refused:
        return {"problem": f"No error analysis: {refused}"}


def _plain(diagnosis: Diagnosis) -> dict[str, Any]:
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    facts = diagnosis.as_dict()
    kinds = {
        kind: {
            **facts["kinds"][kind],
            "fixed": FIXES[kind],
            "alone": _values(diagnosis.alone[kind]),
            "in_turn": _values(diagnosis.cumulative[kind]),
            "gain_alone": _gains(diagnosis.base, diagnosis.alone[kind]),
            "gain_in_turn": _gains(before, diagnosis.cumulative[kind]),
        }
        for kind, before in zip(facts["order"], steps, strict=False)
    }
    confusion = facts["confusion"]
    if confusion is not None:
        confusion = [
            [diagnosis.called(row.true_class), diagnosis.called(row.pred_class), row.pairs]
            for row in diagnosis.confusion
        ]
    return {
        "rule": rule_heading(diagnosis.rule),
        "policy": diagnosis.policy,
        "order": facts["order"],
        "keys": list(KEYS),
        "base": _values(diagnosis.base),
        "kinds": kinds,
        "size_edges": facts["size_edges"],
        "by_size": _parts(diagnosis, "size", list(diagnosis.base.sizes)),
        "by_class": _parts(diagnosis, "class", diagnosis.worst_classes) if diagnosis.has_classes else None,
        "confusion": confusion,
    }


def _parts(diagnosis: Diagnosis, level: str, names: Sequence[Hashable]) -> list[dict[str, Any]]:
    """Return PQ of every class or size, and its gain if each kind is fixed, in the order of the kinds."""
    steps = [diagnosis.base, *diagnosis.cumulative.values()]
    rows = []
    for name in names:
        in_turn = [state.part(level, name).get("pq") for state in steps]
        rows.append(
            {
                "name": diagnosis.called(name) if level == "class" else name,
                "pq": value_or_none(in_turn[0]),
                "alone": [diagnosis.gain(kind, level=level, name=name) for kind in diagnosis.alone],
                "in_turn": [difference(before, after) for before, after in pairwise(in_turn)],
            }
        )
    return rows


def _values(state: State) -> dict[str, Any]:
    return {
        key: {average: value_or_none(score) for average, score in state.scores[key].scores().items()} for key in KEYS
    }


def _gains(before: State, after: State) -> dict[str, float | None]:
    """Return the gain in PQ from one state to another."""
    first, second = before.scores["pq"].scores(), after.scores["pq"].scores()
    return {average: difference(first[average], second[average]) for average in first}
