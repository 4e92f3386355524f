"""The report of detections: its section follows the first screen, its plots are drawn, and no name is run as code."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.browser.using import open_item, pixels, wait_for_pictures, wait_until
from tests.report.detection_runs import CLASSES, scored_masks


def test_detections_come_after_the_first_screen_with_their_tables_and_plots(
    tmp_path: Path, open_report: OpenReport, screenshots: Path
) -> None:
    run = sm.evaluate(*scored_masks(), protocol="coco-instances")
    run.report(tmp_path / "detections.html")
    page = open_report(tmp_path / "detections.html", color_scheme="dark")
    sections = page.locator("main section:visible").evaluate_all("(found) => found.map((each) => each.id)")
    assert sections[:2] == ["first-screen", "detections"]
    rows = page.locator("#detections table").nth(1).locator("tbody tr")
    table = run.protocol_table(classes=True)
    assert table is not None
    wanted = {
        name: ["–" if not cell or math.isnan(cell.value) else f"{cell.value:.3f}" for cell in cells]
        for name, *cells in table.rows
    }
    shown = [row.locator("th, td").all_text_contents() for row in rows.all()]
    assert {name: cells for name, *cells in shown} == wanted and CLASSES[1] in wanted
    page.locator("#detections details").first.evaluate("(element) => { element.open = true; }")
    wait_until(page, "[...document.querySelectorAll('#detections img')].every((image) => image.naturalWidth > 0)")
    assert page.locator("#detections img").count() == 6
    page.locator("#detections").screenshot(path=screenshots / "detections.png")


def test_the_edges_of_covered_masks_are_dotted(tmp_path: Path, open_report: OpenReport) -> None:
    stack = np.zeros((2, 12, 16), dtype=bool)
    stack[0, 1:11, 1:15] = stack[1, 4:8, 5:11] = True
    true = {"a": sm.Masks.from_dense(stack)}
    pred = {"a": sm.Masks.from_dense(stack[:1], scores=[0.5])}
    sm.evaluate(true, pred, protocol="coco-instances").report(tmp_path / "covered.html")
    page = open_report(tmp_path / "covered.html", view="items")
    open_item(page, 0)
    page.get_by_label("show", exact=True).select_option("truth")
    page.get_by_label("colour by").select_option("kind")
    page.wait_for_selector('#item .pictures[data-layer="truth"]')
    wait_for_pictures(page, 0, "theta_plus")
    shown = pixels(page, "truth")[..., :3]
    edge = stack[1].copy()
    edge[5:7, 6:10] = False
    down, across = np.indices(edge.shape)
    dots = np.where((down + across) // 2 % 2 == 0, 0x22, 0xFF)
    assert (shown[edge] == dots[edge][:, None]).all()
    rest = shown[stack[0] & ~edge]
    assert (rest == rest[0]).all()
    page.locator('#item .graph .node[data-side="true"][data-at="1"]').hover()
    framed = page.evaluate(
        "document.querySelector('[data-panel=truth] + .frame').getContext('2d').getImageData(5, 4, 1, 1).data[3]"
    )
    assert framed == 255
