"""The report in the words of its field, with the plot that a protocol is known by, and many items as squares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.report.page import write_report
from tests.browser.conftest import OpenReport
from tests.browser.reports import blobs
from tests.browser.scenes import lines

pytestmark = pytest.mark.browser


def test_streams_have_documents(tmp_path: Path, open_report: OpenReport) -> None:
    sm.evaluate(*lines(), protocol="page-streams").report(tmp_path / "streams.html")
    page = open_report(tmp_path / "streams.html")
    assert page.locator("#about").inner_text().splitlines()[1] == "7 streams"
    assert page.locator("#pages [data-page=items]").inner_text().startswith("Streams")
    assert "documents" in page.locator("#run-sentence").inner_text()
    said = page.locator("#first-screen").inner_text()
    assert "WORST STREAMS BY PQ" in said and " items" not in said.replace("mean over items", "")
    page.locator("#pages [data-page=items]").click()
    assert page.locator("#gallery-heading").inner_text() == "Streams, worst first"


@pytest.mark.parametrize("protocol", ["stardist", "cellpose"])
def test_cells_have_their_plot_on_the_first_screen(protocol: str, tmp_path: Path, open_report: OpenReport) -> None:
    sm.evaluate(*blobs(3, 2, classes=0), protocol=protocol).report(tmp_path / "cells.html")
    page = open_report(tmp_path / "cells.html")
    assert page.locator("#protocol-plot .protocol-plot img").evaluate("(plot) => plot.naturalWidth") > 100
    page.locator("#protocol-plot .protocol-plot .door").click()
    assert page.locator("#thresholds table").is_visible()


def test_many_items_are_compared_as_squares(tmp_path: Path, open_report: OpenReport) -> None:
    numbers = np.random.default_rng(5)
    items = range(1_050)
    sides = [{str(item): numbers.integers(1, 4, (2, 6)) for item in items} for _ in range(3)]
    runs = [sm.evaluate(sides[0], pred, metrics="pq") for pred in sides[1:]]
    write_report(runs, tmp_path / "two.html", maps="none")
    page = open_report(tmp_path / "two.html", view="compare")
    squares = page.locator("#versus rect.pair")
    counts = squares.evaluate_all("(list) => list.map((square) => Number(square.dataset.count))")
    assert sum(counts) == 1_050 and page.locator("#versus circle.pair").count() == 0
    squares.first.dispatch_event("click")
    assert page.locator("#chip").inner_text().startswith(f"{counts[0]} of 1,050")
