"""The report of detections: its section comes first, its plots are drawn, and nothing in a name is run."""

from __future__ import annotations

from pathlib import Path

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.report.detection_runs import CLASSES, scored_masks


def test_detections_come_first_with_their_tables_and_plots(
    tmp_path: Path, open_report: OpenReport, screenshots: Path
) -> None:
    run = sm.evaluate(*scored_masks(), protocol="coco-instances")
    run.report(tmp_path / "detections.html")
    page = open_report(tmp_path / "detections.html", color_scheme="dark")
    assert page.locator("main > section:visible").first.get_attribute("id") == "detections"
    rows = page.locator("#detections table").nth(1).locator("tbody tr")
    table = run.protocol_table(classes=True)
    assert table is not None
    wanted = {
        row.heading: ["–" if not cell or cell.value is None else f"{cell.value:.3f}" for cell in row.cells]
        for row in table.rows
    }
    shown = [row.locator("th, td").all_text_contents() for row in rows.all()]
    assert {name: cells for name, *cells in shown} == wanted and CLASSES[1] in wanted
    page.locator("#detections details").first.evaluate("(element) => { element.open = true; }")
    page.wait_for_function("[...document.querySelectorAll('#detections img')].every((image) => image.naturalWidth > 0)")
    assert page.locator("#detections img").count() == 6
    page.locator("#detections").screenshot(path=screenshots / "detections.png")
