"""What moving all segments by one element does: every number the page shows is Python's."""

from __future__ import annotations

from pathlib import Path

import pytest

import segmetry as sm
from segmetry.diagnosis.scored_state import KEYS
from segmetry.outputs.tables.score_tables import number
from segmetry.report.page import write_report
from tests.browser.conftest import OpenReport
from tests.browser.reports import blobs, huge_spans, report_of, shown
from tests.browser.test_budget import cells, signed

SIZES = sm.BySize((20, 60))


def test_every_number_is_pythons(tmp_path: Path, open_report: OpenReport, screenshots: Path) -> None:
    true, pred = blobs(12, 4)
    told = sm.sensitivity(true, pred, sizes=SIZES)
    assert len(told.present_sizes) == 3
    run = sm.evaluate(true, pred, metrics="pq")
    run.report(tmp_path / "moved.html", sensitivity=told)
    page = open_report(tmp_path / "moved.html")
    page.locator("#sensitivity").screenshot(path=screenshots / "sensitivity.png")
    for key in KEYS:
        for value in ("mean", "pooled"):
            page.select_option('#sensitivity select[aria-label="score"]', key)
            page.select_option('#sensitivity select[aria-label="over items"]', value)
            expected = {}
            for rule in told.rules:
                base = {size: told.value(rule, "base", key, value=value, size=size) for size in told.present_sizes}
                expected[f"base {rule}"] = {
                    "value": [number(told.value(rule, "base", key, value=value), key)],
                    "change": [""],
                } | {size: ["–" if one is None else number(one, key)] for size, one in base.items()}
                for move in told.moves:
                    changes = {
                        size: told.change(rule, move, key, value=value, size=size)
                        for size in (None, *told.present_sizes)
                    }
                    cell = {size: ["–" if one is None else signed(one)] for size, one in changes.items()}
                    expected[f"{move} {rule}"] = {
                        "value": [number(told.value(rule, move, key, value=value), key)],
                        "change": cell.pop(None),
                        **cell,
                    }
            assert cells(page, "#sensitivity-table", "row") == expected
    bars = page.evaluate(
        """[...document.querySelectorAll('#sensitivity-table svg rect')].map(
            bar => (bar.matches('.loss') ? -1 : 1) * Number(bar.getAttribute('width')))"""
    )
    moved = [told.change(rule, move, key, value=value) or 0 for move in told.moves for rule in told.rules]
    reach = max(abs(one) for one in moved)
    lengths = [one / reach * 70 for one in moved if one]
    assert bars == pytest.approx([max(1, abs(one)) * (1 if one > 0 else -1) for one in lengths])


def test_without_one_the_page_says_how_to_get_it(tmp_path: Path, open_report: OpenReport) -> None:
    page = open_report(report_of(sm.evaluate(*blobs(2, 4), metrics="pq"), tmp_path, "none.html"))
    said = shown(page, "#sensitivity-way")[0]
    assert "segmetry sensitivity TRUE PRED --json" in said and "--sensitivity moved.json" in said
    lines = open_report(report_of(sm.evaluate(*huge_spans(), metrics="pq"), tmp_path, "lines.html"))
    assert not lines.locator("#sensitivity").is_visible(), "a line has no boundary of pixels"


def test_it_goes_with_the_run_that_is_shown(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = blobs(6, 4)
    other = {name: true[name] for name in true}
    other["image 0"] = pred["image 0"]
    runs = [sm.evaluate(true, one, metrics="pq") for one in (pred, other)]
    told = sm.sensitivity(true, other)
    write_report(runs, tmp_path / "both.html", sensitivity=[told])
    page = open_report(tmp_path / "both.html")
    assert page.locator("#sensitivity-way").is_visible()
    page.select_option("#run", "1")
    page.wait_for_selector("html[data-ready] #sensitivity-table")
    found = cells(page, "#sensitivity-table", "row")["erode theta_and"]["value"]
    assert found == [number(told.value("theta_and", "erode") or 0, "pq")]
