"""What a reader of the report does, in words: choose a rule, open an item, read pixels and tables."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

RULES = (
    "theta_and",
    "theta_plus",
    "iou(above=3/4)",
    "iou(at_least=1)",
    "dice(above=2/3)",
    "tversky(alpha=2,beta=1/2,above=3/4)",
)


def choose_rule(page: Page, rule: str) -> None:
    """Choose a rule by the controls on top of the page, which lie behind an open item."""
    close_item(page)
    name, _, options = rule.partition("(")
    page.select_option("#rule", name + ("_at_least" if "at_least" in options else "") if options else rule)
    for option in options.rstrip(")").split(","):
        key, _, value = option.partition("=")
        if key:
            page.get_by_label({"above": "γ", "at_least": "γ", "alpha": "α", "beta": "β"}[key], exact=True).fill(value)


def open_item(page: Page, index: int) -> None:
    """Open an item by its tile in the gallery."""
    page.locator(f'#gallery .tile[data-item="{index}"]').evaluate("(tile) => tile.click()")
    assert page.locator("#item .view").get_attribute("data-item") == str(index)


def close_item(page: Page) -> None:
    """Close the item that is open, if any."""
    page.evaluate("document.getElementById('item').close()")
    page.wait_for_selector("#item:not([open])", state="attached")


def wait_until(page: Page, condition: str, seconds: float = 60) -> None:
    """Wait until a condition holds; Playwright's own wait evaluates text inside the page, which its policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"after {seconds} s it does not hold that {condition}"
        page.wait_for_timeout(20)


def eventually(page: Page, check: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a check in Python holds, such as one of the pixels of a picture that is drawn anew."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, f"after {seconds} s the check does not hold"
        page.wait_for_timeout(20)


def wait_for_frames(page: Page) -> None:
    """Wait until the browser has painted what was asked of it, however busy the machine is."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")


def wait_for_pictures(page: Page, index: int, rule: str, plane: int = 0) -> None:
    page.wait_for_selector(f'#item .pictures[data-drawn="{index} {plane} {rule}"]')


def pixels(page: Page, title: str) -> NDArray[np.uint8]:
    """The pixels of a panel as rows of RGBA."""
    width, height, values = page.evaluate(
        """(title) => {
            const { width, height } = document.querySelector(`canvas[data-panel="${title}"]`);
            const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(document.querySelector(`canvas[data-panel="${title}"]`), 0, 0);
            return [width, height, Array.from(copy.getImageData(0, 0, width, height).data)];
        }""",
        title,
    )
    return np.array(values, dtype=np.uint8).reshape(height, width, 4)


def edge_rows(page: Page) -> list[list[str]]:
    """The table of overlaps, all of it, as it is printed."""
    return page.evaluate(
        """() => {
            document.querySelector("#item .edge-table > button")?.click();
            const { rows } = document.querySelector("#item .edges tbody");
            return [...rows].map((row) => [...row.cells].map((cell) => cell.innerText));
        }"""
    )
