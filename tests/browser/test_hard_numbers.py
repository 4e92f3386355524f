"""Numbers where doubles would decide wrongly, and rules the page cannot apply by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.browser.pages import visiting
from tests.browser.printed import number
from tests.browser.reports import (
    RULES,
    blobs,
    choose,
    expected_cells,
    huge_spans,
    item_cells,
    overlapping_masks,
    report_of,
    shown,
)


def test_segments_beyond_two_to_the_53(tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(*huge_spans(), metrics="panoptic")
    page = open_report(report_of(run, tmp_path, "huge.html"))
    for rule in RULES:
        choose(page, rule)
        assert item_cells(page) == expected_cells(run.rescore(rule))


@pytest.mark.parametrize("rule", ["maximum_weight", "greedy(weight=dice,above=1/3)", "mutual_coverage(at_least=3/5)"])
def test_a_run_of_another_rule_shows_it(rule: str, tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(*blobs(8, seed=3, classes=0), metrics="panoptic", rule=rule)
    page = open_report(report_of(run, tmp_path, "rule.html"))
    assert item_cells(page) == expected_cells(run)
    choose(page, "theta_plus")
    assert item_cells(page) == expected_cells(run.rescore("theta_plus"))
    page.select_option("#rule", run.settings.rule)
    assert item_cells(page) == expected_cells(run)


@pytest.mark.parametrize("resolve", ["assign", "keep"])
def test_segments_that_overlap(resolve: str, tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(*overlapping_masks(5), metrics="panoptic", resolve=resolve)
    page = open_report(report_of(run, tmp_path, f"{resolve}.html"), view="trust")
    for rule in ("theta_and", "theta_plus"):
        choose(page, rule)
        assert item_cells(page) == expected_cells(run.rescore(rule))
        total = run.rescore(rule).summary()["pq"]["pooled"]
        assert total is not None
        assert shown(page, f'[data-rule="{rule}"].card [data-aggregate=pooled] [data-key=pq]') == [number(total.value)]


def test_a_rule_that_is_not_one_to_one_scores_nothing(tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate({"a": [[1, 1]], "b": [[1, 1]]}, {"a": [[1, 2]], "b": [[1, 1]]}, metrics="panoptic")
    page = open_report(report_of(run, tmp_path, "clash.html"), view="trust")
    page.select_option("#rule", "iou")
    page.fill('#controls input[aria-label="γ"]', "0.49")
    assert "Not one-to-one in 1 of 2 items" in page.locator('[data-rule="iou(above=49/100)"].card').inner_text()
    assert item_cells(page)["a"][0] == "–"
    with pytest.raises(sm.errors.ClashError):
        run.rescore("iou(above=0.49)").summary()
    page.fill('#controls input[aria-label="γ"]', "a half")
    assert page.locator('#controls input[aria-label="γ"]').get_attribute("aria-invalid") == "true"
    page.fill('#controls input[aria-label="γ"]', "0.5")
    assert item_cells(page) == expected_cells(run.rescore("theta_plus"))


def test_numbers_are_printed_as_python_prints_them(tmp_path: Path, open_report: OpenReport) -> None:
    """Exact ties go to the even digit: 1/32 is 0.0312, not 0.0313."""
    run = sm.evaluate({"a": [list(range(1, 33))]}, {"a": [[1] + [0] * 31]}, metrics="panoptic")
    page = open_report(report_of(run, tmp_path, "tie.html"))
    assert expected_cells(run)["a"][4] == "0.0312"
    assert item_cells(page) == expected_cells(run)


def test_a_huge_run_keeps_only_the_pairs_of_theta_and(
    tmp_path: Path, open_report: OpenReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sm.evaluate(*blobs(20, seed=7), metrics="panoptic")
    monkeypatch.setattr("segmetry.report.page_data.MOST_ROWS", 1)
    page = open_report(report_of(run, tmp_path, "few.html"))
    for rule in RULES:
        choose(page, rule)
        assert item_cells(page) == expected_cells(run.rescore(rule))
    hits = sum(table.align("theta_and").false_hits.value for _, table in run.tables())
    with visiting(page, "trust"):
        assert shown(page, '#disagree [data-reading="false hits"]') == [str(int(hits))]
    choose(page, "theta_and")
    page.select_option("#rule", "iou")
    page.fill('#controls input[aria-label="γ"]', "0.4")
    assert "contains only the pairs aligned by θ&" in page.locator("#controls output").inner_text()
    assert item_cells(page) == expected_cells(run.rescore("theta_plus")), "γ = 1/2 was the last that was applied"
