"""Runs for the browser tests, and what Python says about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.outputs.tables.score_tables import number
from tests.browser.pages import visiting

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


def blobs(n_items: int, seed: int, *, side: int = 24, classes: int = 3) -> tuple[dict[str, Any], dict[str, Any]]:
    """Label images of rectangles, and predictions that shift, cut, merge and invent some; their ids are beyond 2⁵³."""
    random = np.random.default_rng(seed)
    true: dict[str, Any] = {}
    pred: dict[str, Any] = {}
    for item in range(n_items):
        sides = [np.zeros((side, side), dtype=np.int64) for _ in range(2)]
        for segment in range(1, int(random.integers(1, 9))):
            top, left, height, width = random.integers(1, side // 2, size=4).tolist()
            sides[0][top : top + height, left : left + width] = segment
            if random.random() < 0.85:
                down, right = random.integers(-2, 3, size=2).tolist()
                sides[1][max(0, top + down) : top + height, max(0, left + right) : left + width] = segment + 3 * 2**58
        name = f"image {item}"
        true[name], pred[name] = (_labelled(labels, classes) for labels in sides)
    return true, pred


def _labelled(labels: Any, classes: int) -> sm.LabelArray:
    if not classes:
        return sm.LabelArray(labels)
    return sm.LabelArray(
        labels, classes={int(label): f"class {int(label) % classes}" for label in np.unique(labels) if label}
    )


def huge_spans() -> tuple[dict[str, Any], dict[str, Any]]:
    """Segments of more than 2⁵³ elements: a pair at IoU = 1/2 + 2⁻⁵⁶ or so, one at exactly 1/2, one a hair below."""
    half = 2**55
    lengths = {
        "above": ([2 * half - 1, half], [half, half - 1, half]),
        "at": ([2 * half, 5], [half, half, 5]),
        "below": ([2 * half + 1, half, 7], [half, half + 1, half, 7]),
        "third": ([3 * half, 3], [half + 1, 2 * half - 1, 3]),
    }
    sides = ({name: sm.Spans.from_masses(both[at]) for name, both in lengths.items()} for at in (0, 1))
    true, pred = sides
    return true, pred


def overlapping_masks(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Boolean masks of rectangles that overlap each other, so that rules are not one-to-one."""
    random = np.random.default_rng(seed)

    def masks(count: int) -> sm.Masks:
        stack = np.zeros((count, 20, 20), dtype=bool)
        for mask in stack:
            top, left, height, width = random.integers(3, 10, size=4).tolist()
            mask[top : top + height, left : left + width] = True
        return sm.Masks.from_dense(stack)

    names = [f"item {at}" for at in range(6)]
    return {name: masks(5) for name in names}, {name: masks(6) for name in names}


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
    return {name: [number(scores[key].value, key) for key in COLUMNS] for name, scores, _ in run.item_scores()}


def report_of(run: sm.Run, folder: Path, name: str, **options: Mapping[str, Any]) -> Path:
    """The report of a run in a file."""
    path = folder / name
    run.report(path, **options)
    return path
