"""A real Chromium for the report, found as $CHROMIUM or on PATH; whatever a page requests or complains about fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.conftest import CHECKOUT

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SCREENSHOTS = CHECKOUT / "build" / "screenshots"

OpenReport = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        pytest.fail("there is no Chromium: set CHROMIUM, or run tools/install_browser.sh")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture
def open_report(browser: Browser) -> Iterator[OpenReport]:
    """Opens a report from its file, ready to be used; at the end nothing may have been requested or complained about.

    ``complaints`` is a list for what the page complains about, where that is expected. Other keyword arguments are
    those of a browser context (``color_scheme="dark"``, ``viewport=…``).
    """
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_one(path: Path, *, complaints: list[str] | None = None, **options: object) -> Page:
        told = wrong if complaints is None else complaints
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}))
        page = contexts[-1].new_page()
        address = path.resolve().as_uri()

        def heard(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                told.append(f"console: {message.text}")

        page.on("console", heard)
        page.on("pageerror", lambda problem: told.append(f"error: {problem}"))
        # What a page makes of its own bytes goes nowhere: blob: and data: addresses are no requests.
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((address, "blob:", "data:")) else told.append(f"request: {request.url}")
            ),
        )
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """The folder for pictures of the report, made for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
