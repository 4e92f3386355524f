"""Every view can be copied: tables with Python's numbers, drawings as files that need no style sheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.browser.reports import blobs
from tests.browser.using import wait_until

pytestmark = pytest.mark.browser
COLUMNS = {"PQ": "pq", "SQ": "sq", "RQ": "rq", "P": "precision", "R": "recall", "NPQ": "npq", "missed": "n_missed"}


@pytest.fixture(scope="module")
def run() -> sm.Run:
    true, pred = blobs(30, 7)
    true["=cmd|' /C calc'!A0"], pred["=cmd|' /C calc'!A0"] = true["image 0"], pred["image 0"]
    return sm.evaluate(true, pred, metrics="panoptic")


@pytest.fixture
def page(run: sm.Run, open_report: OpenReport, tmp_path: Path) -> Page:
    run.report(tmp_path / "report.html")
    return open_report(tmp_path / "report.html", accept_downloads=True)


def show(page: Page, view: str) -> None:
    page.evaluate(f"location.hash = 'view={view}'")
    page.wait_for_selector(f"#page-{view}[data-open]")
    page.wait_for_selector("html[data-ready]")


def saved(page: Page, section: str, form: str) -> bytes:
    menu = page.locator(f"#{section} details.copy")
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    with page.expect_download() as download:
        menu.locator(f'button[data-format="{form}"]').first.click()
    return download.value.path().read_bytes()


def test_the_table_of_items_has_all_rows_and_all_digits(page: Page, run: sm.Run) -> None:
    show(page, "items")
    lines = saved(page, "scatter", "CSV").decode().splitlines()
    notes = [line for line in lines if line.startswith("#")]
    rows = {row["item"]: row for row in csv.DictReader(io.StringIO("\n".join(lines[len(notes) :])))}
    assert "segmetry" in notes[0]
    assert "IoU > 0.5" in notes[0]
    assert any("Kirillov" in line for line in notes)
    assert len(rows) == 31
    assert "'=cmd|' /C calc'!A0" in rows
    for expected in run.items():
        row = rows.get(expected["item"]) or rows[f"'{expected['item']}"]
        values = [float(row[label]) if row[label] else None for label in COLUMNS]
        assert values == [expected[key] for key in COLUMNS.values()]


def test_tables_are_markdown_and_latex(page: Page) -> None:
    show(page, "classes")
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.locator("#classes details.copy summary").click()
    page.locator('#classes button[data-format="Markdown"]').click()
    wait_until(page, "window.copied?.includes('| class 1 |')")
    page.locator('#classes button[data-format="LaTeX"]').click()
    wait_until(page, r"window.copied?.includes('\\toprule') && window.copied.includes('class 1 &')")


def test_drawings_are_files_of_their_own(page: Page) -> None:
    show(page, "thresholds")
    tree = ET.fromstring(saved(page, "curves", "SVG"))  # noqa: S314 - written by the page
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert "segmetry" in (tree.findtext("{http://www.w3.org/2000/svg}desc") or "")
    assert not [element for element in tree.iter() if element.get("class") or element.get("style")]
    picture = np.asarray(Image.open(io.BytesIO(saved(page, "curves", "PNG"))).convert("RGB"))
    assert picture.shape[1] >= 600
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
