"""What moving all segments by one element does: every number the page shows is Python's."""

from __future__ import annotations

from pathlib import Path

import pytest

import segmetry as sm
from segmetry.diagnosis.scored_state import KEYS
from segmetry.report.page import write_report
from segmetry.results.number_format import signed
from tests.browser.conftest import OpenReport
from tests.browser.printed import number
from tests.browser.reports import blobs, report_of
from tests.browser.test_budget import cells

SIZES = sm.BySize((20, 60))


def test_every_number_is_pythons(tmp_path: Path, open_report: OpenReport, screenshots: Path) -> None:
    true, pred = blobs(12, 4)
    sensitivity = sm.sensitivity(true, pred, sizes=SIZES)
    assert len(sensitivity.present_sizes) == 3
    run = sm.evaluate(true, pred, metrics="pq")
    run.report(tmp_path / "moved.html", sensitivity=sensitivity)
    page = open_report(tmp_path / "moved.html", view="trust")
    page.locator("#sensitivity").screenshot(path=screenshots / "sensitivity.png")
    for key in KEYS:
        for value in ("by_item", "pooled"):
            page.select_option('#sensitivity select[aria-label="score"]', key)
            page.select_option('#sensitivity select[aria-label="average"]', value)
            expected = {}
            for rule in sensitivity.rules:
                base = {
                    size: sensitivity.value(rule, "base", key, average=value, size=size)
                    for size in sensitivity.present_sizes
                }
                expected[f"base {rule}"] = {
                    "value": [number(sensitivity.value(rule, "base", key, average=value), key)],
                    "change": [""],
                } | {size: ["–" if score is None else number(score, key)] for size, score in base.items()}
                for move in sensitivity.moves:
                    changes = {
                        size: sensitivity.change(rule, move, key, average=value, size=size)
                        for size in (None, *sensitivity.present_sizes)
                    }
                    cell = {size: ["–" if change is None else signed(change)] for size, change in changes.items()}
                    expected[f"{move} {rule}"] = {
                        "value": [number(sensitivity.value(rule, move, key, average=value), key)],
                        "change": cell.pop(None),
                        **cell,
                    }
            assert cells(page, "#sensitivity-table", "row") == expected
    bars = page.evaluate(
        """[...document.querySelectorAll('#sensitivity-table svg rect')].map(
            bar => (bar.matches('.loss') ? -1 : 1) * Number(bar.getAttribute('width')))"""
    )
    moved = [
        sensitivity.change(rule, move, key, average=value) or 0
        for move in sensitivity.moves
        for rule in sensitivity.rules
    ]
    reach = max(abs(change) for change in moved)
    lengths = [change / reach * 70 for change in moved if change]
    assert bars == pytest.approx([max(1, abs(length)) * (1 if length > 0 else -1) for length in lengths])


def test_without_one_there_is_no_section(tmp_path: Path, open_report: OpenReport) -> None:
    page = open_report(report_of(sm.evaluate(*blobs(2, 4), metrics="pq"), tmp_path, "none.html"), view="trust")
    assert not page.locator("#sensitivity").is_visible()


def test_it_goes_with_the_run_that_is_shown(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = blobs(6, 4)
    second = {name: true[name] for name in true}
    second["image 0"] = pred["image 0"]
    runs = [sm.evaluate(true, pred_side, metrics="pq") for pred_side in (pred, second)]
    sensitivity = sm.sensitivity(true, second)
    write_report(runs, tmp_path / "both.html", sensitivity=[sensitivity])
    page = open_report(tmp_path / "both.html", view="trust")
    assert not page.locator("#sensitivity").is_visible()
    page.select_option("#run", "1")
    page.wait_for_selector("html[data-ready] #sensitivity-table")
    values = cells(page, "#sensitivity-table", "row")["erode theta_and"]["value"]
    assert values == [number(sensitivity.value("theta_and", "erode", average=sensitivity.average) or 0, "pq")]
