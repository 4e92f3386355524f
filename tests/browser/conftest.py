"""A real Chromium for the report, from $CHROMIUM or PATH; a page that requests anything or logs an error fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

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
        chromium = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@contextmanager
def watched_page(
    browser: Browser, path: Path, view: str = "overview", complaints: list[str] | None = None, **options: object
) -> Iterator[Page]:
    """A page of a report opened from its file; at the end it may not have requested anything or logged an error."""
    messages: list[str] = [] if complaints is None else complaints
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    page = context.new_page()
    address = path.resolve().as_uri()

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            messages.append(f"console: {message.text}")

    def requested(request: Request) -> None:
        # blob: and data: addresses are made of the page's own bytes: nothing is requested from outside.
        if not request.url.startswith((address, "blob:", "data:")):
            messages.append(f"request: {request.url}")

    page.on("console", heard)
    page.on("pageerror", lambda problem: messages.append(f"error: {problem}"))
    page.on("request", requested)
    page.set_default_timeout(60_000)
    page.goto(f"{address}#view={view}")
    page.wait_for_selector("html[data-ready]")
    yield page
    context.close()
    assert complaints is not None or messages == []


@pytest.fixture
def open_report(browser: Browser) -> Iterator[OpenReport]:
    """Open a report from its file, as :func:`watched_page` does.

    ``view`` is the page of the report that is open first; ``complaints`` receives the errors of a page that is expected
    to log some. Other keyword arguments are those of a browser context (``color_scheme="dark"``, ``viewport=…``).
    """
    with ExitStack() as pages:

        def open_page(path: Path, **options: Any) -> Page:
            return pages.enter_context(watched_page(browser, path, **options))

        yield open_page


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """The folder for pictures of the report, made for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS
