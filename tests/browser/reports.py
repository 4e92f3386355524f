"""Runs for the browser tests, and what Python says about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import segmetry as sm
from segmetry.alignments.tally import Tally
from segmetry.metrics.tally_quotient import tally_of
from tests.browser.pages import visiting
from tests.browser.printed import numbers_of
from tests.report.generated_runs import blobs, huge_spans, overlapping_masks

__all__ = ["blobs", "huge_spans", "overlapping_masks"]

COLUMNS = ("pq", "sq", "rq", "precision", "recall", "npq", "n_matched", "n_missed", "n_spurious")

RULES = {
    "theta_and": ("theta_and", {}),
    "theta_plus": ("theta_plus", {}),
    "iou(above=0.6)": ("iou", {"γ": "0.6"}),
    "dice(above=2/3)": ("dice", {"γ": "2/3"}),
    "iou(at_least=3/5)": ("iou_at_least", {"γ": "0.6"}),
    "iou(at_least=1)": ("iou_at_least", {"γ": "1"}),
    "dice(at_least=4/5)": ("dice_at_least", {"γ": "0.8"}),
    "tversky(alpha=1/2,beta=1/2,at_least=3/4)": ("tversky_at_least", {"γ": "3/4", "α": "1/2", "β": "0.5"}),
    "tversky(alpha=2,beta=3/2,above=1/2)": ("tversky", {"γ": "1/2", "α": "2", "β": "1.5"}),
}
"""Rules as Python writes them, and what is chosen and written in the page's controls for each."""


def choose(page: Any, rule: str) -> None:
    """Choose a rule in the controls."""
    name, boxes = RULES[rule]
    page.select_option("#rule", name)
    for label, text in boxes.items():
        page.fill(f'#controls input[aria-label="{label}"]', text)


def shown(page: Any, selector: str) -> list[str]:
    """The texts of some elements."""
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def item_cells(page: Any) -> dict[str, list[str]]:
    """The table of items, page by page: name and cells."""
    with visiting(page, "items"):
        return _pages_of_items(page)


def _pages_of_items(page: Any) -> dict[str, list[str]]:
    cells: dict[str, list[str]] = {}
    while True:
        rows = page.evaluate(
            "[...document.querySelectorAll('#item-table tbody tr')].map(row => [...row.cells].map(c => c.innerText))"
        )
        cells |= {row[0]: row[1:] for row in rows}
        after = page.locator("#items-after")
        if not after.is_visible() or after.is_disabled():
            return cells
        after.click()


def expected_cells(run: sm.Run) -> dict[str, list[str]]:
    """What Python prints for every item of a run."""
    number = numbers_of(run)
    return {name: [number(scores[key].value, key) for key in COLUMNS] for name, scores in run.item_scores()}


def report_of(run: sm.Run, folder: Path, name: str, **options: Mapping[str, Any]) -> Path:
    """The report of a run in a file."""
    path = folder / name
    run.report(path, **options)
    return path


def whole_tally(run: sm.Run) -> Tally:
    """The segments of all items of a run together."""
    return tally_of(run.data.segments)
