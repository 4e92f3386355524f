"""`segmetry open` end to end: the command, its server, and the page in Chromium that draws an item on demand."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import segmetry as sm
from tests.browser.reports import blobs
from tests.browser.using import wait_until

pytestmark = pytest.mark.browser


def test_a_run_is_opened_from_its_file(browser: Browser, tmp_path: Path) -> None:
    for side, items in zip(("true", "pred"), blobs(12, 5, classes=0), strict=True):
        (tmp_path / side).mkdir()
        for name, item in items.items():
            np.save(tmp_path / side / f"{name}.npy", item.labels)
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="panoptic", out=tmp_path / "run.segm")
    expected = run.summary()["pq"]["pooled"].value
    command = [sys.executable, "-m", "segmetry", "open", str(tmp_path / "run.segm"), "--no-browser"]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert serving.stdout is not None
        address = serving.stdout.readline().removeprefix("Report: ").strip()
        page = browser.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda problem: wrong.append(str(problem)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.set_default_timeout(60_000)
        page.goto(f"{address}#view=items")  # a page that says what is being done, until the report is made
        page.wait_for_selector("html[data-ready]")
        page.wait_for_selector("#gallery .tile canvas")
        assert any("/item/0/" in url for url in asked)
        assert all(url.startswith((address, "blob:", "data:")) for url in asked)
        page.goto(f"{address}#view=overview")
        wait_until(page, f"document.body.innerText.includes('{expected:.4f}')")
        page.wait_for_selector("html[data-complete]", state="attached")
        wait_until(page, "document.querySelector('#headline-interval')?.innerText.startsWith('95 %')")
        wait_until(page, "document.querySelector('#where-it-fails .waterfall') !== null")
        page.locator("body").press("j")
        assert wrong == []
        page.close()
    finally:
        serving.send_signal(signal.SIGINT)
        serving.communicate(timeout=30)
    assert serving.returncode == 0
