"""The column of errors in the table of segments: as many as the error analysis counts."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.error_reasons import KINDS
from segmetry.diagnosis.error_tables import segments_with_errors


@pytest.mark.parametrize("rule", ["theta_plus", "theta_and"])
@pytest.mark.parametrize("with_classes", [False, True])
def test_every_kind_is_named_as_often_as_it_is_counted(rule: str, *, with_classes: bool) -> None:
    numbers = np.random.default_rng(7)
    sides: tuple[dict[str, object], dict[str, object]] = ({}, {})
    for at in range(6):
        true = np.kron(numbers.integers(0, 9, (6, 6)), np.ones((4, 4), int))
        pred = np.where(numbers.random(true.shape) < 0.1, 0, true // numbers.integers(1, 3) + 20 * (at % 2))
        for side, labels in zip(sides, (true, pred), strict=True):
            classes = {label: ("x", "y")[(label + at) % 2] for label in range(1, 40)} if with_classes else None
            side[f"i{at}"] = sm.LabelArray(labels, classes=classes)
    run = sm.evaluate(*sides, metrics="pq", rule=rule)
    errors = [(row["error"] or "").split(", ") for row in segments_with_errors(run)]
    counts = run_reasons(run).counts()
    found = {kind: sum(kind in words for words in errors) for kind in KINDS}
    assert found == {kind: counts[kind]["errors"] for kind in KINDS}
    assert sum(value > 0 for value in found.values()) >= 4, "a test of nothing"


def test_without_an_error_analysis_the_column_is_empty() -> None:
    true, pred = {"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}
    run = sm.evaluate(true, pred, metrics="pq", rule="largest_overlap")
    assert set(segments_with_errors(run)["error"]) == {None}
