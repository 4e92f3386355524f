"""Names are text whatever they hold, and the policy of the page lets nothing run but its own script."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.browser.pages import go
from tests.browser.reports import item_cells, report_of
from tests.browser.using import eventually

NAMES = {
    "script": "</script><img src=x onerror=\"document.title='broken'\">",
    "comment": "<!--<script>document.title='broken'",
    "separators": "line\u2028paragraph\u2029end",
    "right to left": "\u202egnp.exe \u05d0\u05d1\u05d2",
    "long": "x" * 10_000,
    "template": "{{7*7}} ${7*7} &lt;b&gt; &amp;",
    "prototype": "__proto__",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    labels = np.array([[1, 1, 2, 2], [1, 1, 3, 3]])
    classes = dict(enumerate(list(NAMES.values())[:3], start=1))
    true = {name: sm.LabelArray(labels, classes=classes) for name in NAMES.values()}
    pred = {name: sm.LabelArray(np.roll(labels, 1, axis=1), classes=classes) for name in NAMES.values()}
    run = sm.evaluate(true, pred, metrics="panoptic")
    return report_of(run, tmp_path_factory.mktemp("report"), "hostile.html", title=NAMES["script"])


def test_names_are_text(report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    assert page.title() == NAMES["script"] and page.locator("h1").inner_text() == NAMES["script"]
    go(page, "items")
    # innerText folds white space, and a browser may show a line separator as one: compare what is in the document.
    shown = page.evaluate("[...document.querySelectorAll('#item-table tbody bdi')].map(cell => cell.textContent)")
    assert sorted(shown) == sorted(NAMES.values()) and len(item_cells(page)) == len(NAMES)
    go(page, "classes")
    classes = page.evaluate("[...document.querySelectorAll('#class-table tbody bdi')].map(cell => cell.textContent)")
    assert sorted(classes) == sorted(list(NAMES.values())[:3])
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("document.querySelectorAll('script').length") == page.evaluate(
        'document.querySelectorAll(\'script[type="application/json"], script[type="module"], script[id]\').length'
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280, "a long name stretches the page"


def test_what_is_injected_does_not_run(report: Path, tmp_path: Path, open_report: OpenReport) -> None:
    text = report.read_text("utf-8")
    attack = (
        "<script>document.title = 'broken'</script><img src=x onerror=\"document.title = 'broken'\">"
        "<svg onload=\"document.title = 'broken'\"></svg><style>h1 { display: none }</style>"
    )
    broken = tmp_path / "attacked.html"
    broken.write_text(text.replace("<main", attack + "<main", 1), "utf-8")
    complaints: list[str] = []
    page = open_report(broken, complaints=complaints)
    eventually(page, lambda: sum("Content Security Policy" in message for message in complaints) >= 4)
    assert page.title() == NAMES["script"] and page.locator("h1").is_visible()
