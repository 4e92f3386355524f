"""Go from page to page of the report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page


def go(page: Page, name: str) -> None:
    """Open a page by its link in the list at the side, and wait until it is drawn."""
    page.evaluate("(name) => document.querySelector(`#pages [data-page=${name}]`).click()", name)
    page.wait_for_selector("html[data-ready]")


@contextmanager
def visiting(page: Page, name: str) -> Iterator[None]:
    """Open a page, and then the one that was open before."""
    before: str = page.evaluate("document.querySelector('.page[data-open]').dataset.page")
    go(page, name)
    yield
    go(page, before)
