"""Size and loading time of a report: ``python -m bench.page [--items 2000] [--maps all|none|N]``.

Label images of 640 × 480 are drawn, evaluated and reported, and the page is opened in Chromium. It prints the size of
the file, and the milliseconds (wall-clock time) from opening it until the overall scores can be used and until every
view is drawn; these depend on the load of the machine. The exit status is 1 if the file is larger than its target.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

import segmetry as sm

SHAPE = (480, 640)
MOST_BYTES_PER_ITEM = 15_000
"""30 MB for 2,000 items with both label maps."""


def draw(numbers: np.random.Generator, true: Path, pred: Path) -> None:
    """Draw two label images: ellipses in front of a few bands, and a prediction that shifts, misses and splits some."""
    down, across = np.mgrid[: SHAPE[0], : SHAPE[1]]
    waves = 20 * np.sin(across / numbers.uniform(40, 90))
    first = (1 + (down + waves) // 160).clip(1, 3).astype(np.uint8)
    second = (1 + (down + waves + numbers.integers(-9, 9)) // 160).clip(1, 3).astype(np.uint8)
    for label in range(4, 4 + int(numbers.integers(6, 16))):
        y, x = numbers.integers(0, SHAPE[0]), numbers.integers(0, SHAPE[1])
        a, b = numbers.integers(15, 90, 2)
        first[((down - y) / a) ** 2 + ((across - x) / b) ** 2 < 1] = label
        if numbers.random() < 0.85:
            y, x = y + numbers.integers(-12, 13), x + numbers.integers(-12, 13)
            second[((down - y) / a) ** 2 + ((across - x) / b) ** 2 < numbers.uniform(0.7, 1.2)] = label
    for path, labels in ((true, first), (pred, second)):
        Image.fromarray(labels).save(path, compress_level=1)


def opened(path: Path) -> dict[str, int]:
    """Return the milliseconds until the page is usable and until it is complete."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.resolve().as_uri(), timeout=300_000)
        page.wait_for_selector("html[data-ready]", timeout=300_000)
        milliseconds = {
            word: int(page.evaluate(f"document.documentElement.dataset.{word}")) for word in ("usable", "ready")
        }
        browser.close()
    return milliseconds


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.page", description="Size and speed of a report.")
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--maps", default="all")
    options = parser.parse_args()
    numbers = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = {side: folder / side for side in ("true", "pred")}
        for side in sides.values():
            side.mkdir()
        for at in range(options.items):
            draw(numbers, sides["true"] / f"{at:06}.png", sides["pred"] / f"{at:06}.png")
        run = sm.evaluate(sides["true"], sides["pred"], metrics="panoptic", out=folder / "run.segm")
        begun = time.process_time()
        run.report(folder / "report.html", maps=options.maps)
        spent = time.process_time() - begun
        size = (folder / "report.html").stat().st_size
        print(f"{options.items} items, maps {options.maps}: {size / 1e6:.1f} MB, written in {spent:.1f} s of processor")
        for _ in range(3):
            milliseconds = opened(folder / "report.html")
            print(f"usable after {milliseconds['usable']} ms, ready after {milliseconds['ready']} ms")
    return 1 if size > MOST_BYTES_PER_ITEM * options.items else 0


if __name__ == "__main__":
    sys.exit(main())
