"""Every metric explains itself from its declaration."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.explanations import explain
from segmetry.outputs.tables.plain_formula import plain_formula


@pytest.mark.parametrize("key", sorted(METRICS))
def test_every_metric_explains_itself(key: str) -> None:
    metric = METRICS[key]
    page = explain(metric)
    assert page.startswith(f"{key} (")
    text = " ".join(page.split())
    formula = " ".join(plain_formula(metric.formula).split())
    for fact in (metric.summary, formula, metric.notes, *(f"[{cited}]" for cited in metric.citation)):
        assert " ".join(fact.split()) in text
    for prose in (metric.summary, metric.notes):
        assert not prose or prose.rstrip().endswith("."), "cut in mid-sentence"


@pytest.mark.parametrize("key", sorted(METRICS))
def test_a_page_fits_80_columns_and_is_free_of_latex(key: str) -> None:
    page = explain(METRICS[key])
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in page.splitlines())
    assert re.search(r"\\[A-Za-z{}]|[_^]\{", page) is None


def test_a_formula_from_elsewhere_is_shown_as_it_was_declared() -> None:
    assert r"\prod_i x_i" in explain(replace(METRICS["pq"], formula=r"\prod_i x_i"))


def test_an_example_is_drawn_and_computed() -> None:
    page = explain(METRICS["pq"])
    assert "  true  |----|--|----\n  pred  |---|---|----\n  pq = 0.85" in page
    masks = explain(METRICS["average_precision"])
    assert "  true  ####......, .....####.\n  pred  ####...... (0.9), .....##### (0.8)\n" in masks
