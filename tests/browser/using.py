"""What a reader of the report does, in words: choose a rule, open an item, read pixels and tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

from segmetry.report.pixels import worst_first
from segmetry.run.run import Run

RULES = ("theta_and", "theta_plus", "iou(above=3/4)", "dice(above=2/3)", "tversky(alpha=2,beta=1/2,above=3/4)")


def choose_rule(page: Page, rule: str) -> None:
    """Choose a rule by the controls on top of the page."""
    name, _, options = rule.partition("(")
    page.select_option("#rule", name if options else rule)
    for option in options.rstrip(")").split(","):
        key, _, value = option.partition("=")
        if key:
            page.get_by_label({"above": "γ", "alpha": "α", "beta": "β"}[key], exact=True).fill(value)


def open_item(page: Page, run: Run, index: int) -> None:
    """Walk to an item with the keys j and k, from wherever the page is."""
    order = worst_first(run)
    page.evaluate("document.activeElement.blur()")
    for key in ["k"] * len(order) + ["j"] * order.index(index):
        page.keyboard.press(key)
    assert page.locator("#item .view").get_attribute("data-item") == str(index)


def wait_for_pictures(page: Page, index: int, rule: str, plane: int = 0) -> None:
    page.wait_for_selector(f'#item .pictures[data-drawn="{index} {plane} {rule}"]')


def pixels(page: Page, title: str) -> NDArray[np.uint8]:
    """The pixels of a panel as rows of RGBA."""
    width, height, values = page.evaluate(
        """(title) => {
            const canvas = document.querySelector(`canvas[data-panel="${title}"]`);
            const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return [canvas.width, canvas.height, Array.from(image.data)];
        }""",
        title,
    )
    return np.array(values, dtype=np.uint8).reshape(height, width, 4)


def edge_rows(page: Page) -> list[list[str]]:
    """The table of overlaps, all of it, as it is printed."""
    more = page.locator("#item .edge-table button")
    if more.count():
        more.click()
    return page.locator("#item .edges tbody").evaluate(
        "(body) => [...body.rows].map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
