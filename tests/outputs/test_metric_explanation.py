"""Every metric explains itself from its declaration."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.explanations import (
    PROTOCOLS,
    RULES,
    _drawn_segments,
    bibtex_entry,
    example_result,
    explain,
    explain_protocol,
    explain_rule,
    prints,
    protocol_data,
    protocol_facts,
    rule_data,
)
from segmetry.outputs.tables.plain_formula import plain_formula
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.spans import Spans


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


def test_the_example_of_bibtex_entry() -> None:
    assert bibtex_entry("Somebody 2020, in print") == "% Somebody 2020, in print"


def test_the_example_of_example_result() -> None:
    from segmetry.metrics.declare import METRICS

    assert example_result(METRICS["purity"], METRICS["purity"].examples[0]) == "purity = 0.833333"


def test_the_example_of_drawn() -> None:
    assert (
        _drawn_segments(Spans.from_spans([(0, 2), (2, 3)], n=4)),
        _drawn_segments(Masks.from_dense([[[True, False]]], scores=[0.5])),
    ) == ("|-|.", "#. (0.5)")


def test_the_example_of_explain_protocol() -> None:
    assert (
        explain_protocol(PROTOCOLS["coco-panoptic"]).splitlines()[0] == "coco-panoptic: panoptic segmentation of images"
    )


def test_the_example_of_protocol_facts() -> None:
    assert protocol_facts(PROTOCOLS["coco-panoptic"])["headline"] == "pq, by class"


def test_the_example_of_prints() -> None:
    assert prints(PROTOCOLS["coco-panoptic"]) == "PQ, SQ, RQ, N (All, Things, Stuff)"


def test_the_example_of_protocol_data() -> None:
    assert [row["prints"] for row in protocol_data() if row["name"] == "coco-panoptic"] == [
        "PQ, SQ, RQ, N (All, Things, Stuff)"
    ]


def test_the_example_of_rule_data() -> None:
    assert next(row for row in rule_data() if row["name"] == "theta_and")["examples"] == [
        {"rule": "theta_and", "one_to_one": True, "least_iou": "1/3", "least_iou_included": False}
    ]


def test_the_example_of_explain_rule() -> None:
    assert explain_rule(RULES["theta_plus"]).splitlines()[0] == "theta_plus: alignment rule"
