"""The error budget for the page: what mending each kind of error would give, as :func:`segmetry.diagnose` says it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

from segmetry.diagnosis.diagnosis_result import Diagnosis, difference
from segmetry.diagnosis.error_budget import diagnose
from segmetry.diagnosis.scored_state import KEYS, State
from segmetry.errors import SegmetryError
from segmetry.metrics.score import Score
from segmetry.report.interval_data import MANY_ITEMS
from segmetry.report.run_data import LABELS
from segmetry.run.run import Run

MENDED = {
    "class": "the predicted segment takes the class of the true one",
    "split": "all pieces of a true segment become one segment",
    "merge": "the predicted segment is cut along the true segments it swallows",
    "missed": "the true segment is predicted exactly",
    "spurious": "the predicted segment is dropped",
    "boundary": "the predicted segment becomes its true partner, exactly",
}
"""What mending an error of each kind does to the prediction, in a few words."""


def budget_facts(run: Run) -> dict[str, Any]:
    """The budget under the run's own rule, or the one line that says why there is none.

    >>> import segmetry as sm
    >>> found = budget_facts(sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]}, metrics="pq"))
    >>> found["kinds"]["split"]["gain_alone"]["mean"], found["kinds"]["boundary"]["in_turn"]["pq"]["mean"]
    (0.5, 1.0)
    """
    items = len(run.tables_together)
    if items > MANY_ITEMS:
        return {
            "problem": f"Left out: the run has {items} items, more than {MANY_ITEMS}; segmetry diagnose computes it "
            "from the run file."
        }
    try:
        return {"problem": None, **_plain(diagnose(run))}
    except SegmetryError as refused:
        return {"problem": f"There is no error budget: {refused}"}


def _plain(found: Diagnosis) -> dict[str, Any]:
    steps = [found.base, *found.cumulative.values()]
    facts = found.as_dict()
    kinds = {
        kind: {
            **facts["kinds"][kind],
            "mended": MENDED[kind],
            "alone": _values(found.alone[kind]),
            "in_turn": _values(found.cumulative[kind]),
            "gain_alone": _gains(found.base, found.alone[kind]),
            "gain_in_turn": _gains(before, found.cumulative[kind]),
        }
        for kind, before in zip(facts["order"], steps, strict=False)
    }
    confusion = facts["confusion"]
    if confusion is not None:
        confusion = [[found.called(one.true_class), found.called(one.pred_class), one.pairs] for one in found.confusion]
    return {
        "rule": LABELS.get(found.rule, found.rule),
        "policy": found.policy,
        "order": facts["order"],
        "keys": list(KEYS),
        "base": _values(found.base),
        "kinds": kinds,
        "by_size": _parts(found, "size", list(found.base.sizes)),
        "by_class": _parts(found, "class", found.worst_classes) if found.has_classes else None,
        "confusion": confusion,
    }


def _parts(found: Diagnosis, level: str, names: Sequence[Hashable]) -> list[dict[str, Any]]:
    """Pooled PQ of every class or size, and what mending each kind adds to it, in the order of the kinds."""
    steps = [found.base, *found.cumulative.values()]
    rows = []
    for name in names:
        in_turn = [state.part(level, name).get("pq") for state in steps]
        rows.append(
            {
                "name": found.called(name) if level == "class" else name,
                "pq": _value(in_turn[0]),
                "alone": [found.gain(kind, level=level, name=name) for kind in found.alone],
                "in_turn": [difference(before, after) for before, after in pairwise(in_turn)],
            }
        )
    return rows


def _values(state: State) -> dict[str, Any]:
    return {key: {"mean": _value(state.scores[key].mean), "pooled": _value(state.scores[key].pooled)} for key in KEYS}


def _gains(before: State, after: State) -> dict[str, float | None]:
    """How much PQ rises from one state to another."""
    one, two = before.scores["pq"], after.scores["pq"]
    return {"mean": difference(one.mean, two.mean), "pooled": difference(one.pooled, two.pooled)}


def _value(score: Score | None) -> float | None:
    return None if score is None or not score.is_defined else score.value
