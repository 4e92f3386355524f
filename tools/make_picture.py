"""Take the README's picture, docs/_static/demo.webp: six seconds of the reports of ``segmetry demo``, as Chromium
shows them: how good, where it fails, every error with its cost, one of them at large, and the comparison.

``python tools/make_picture.py`` needs Chromium and the ``browser`` group.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from click.testing import CliRunner
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from segmetry.cli.commands.demo import command

PROJECT = Path(__file__).resolve().parents[1]
TARGET = PROJECT / "docs" / "_static" / "demo.webp"
SCREEN = {"width": 1440, "height": 980}
SIZE = (1080, 735)
SCENES = (("report", "#view=overview", 1800), ("report", "#view=errors", 1500), ("comparison", "#view=overview", 1400))
"""The pages that are shown, and for how many milliseconds."""
DIALOG = 1300
MOST_BYTES = 400_000


def taken(page: Page) -> Image.Image:
    """Return what is on the screen, once pictures are drawn."""
    page.wait_for_timeout(1500)
    return Image.open(BytesIO(page.screenshot())).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)


def main() -> None:
    """Write the picture again."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    frames: list[tuple[Image.Image, int]] = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        CliRunner().invoke(command, ["--output", name], catch_exceptions=False)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for report, view, shown in SCENES:
            page = browser.new_page(viewport=SCREEN)
            page.goto((Path(name) / f"{report}.html").as_uri() + view)
            page.wait_for_selector("html[data-ready]")
            frames.append((taken(page), shown))
            if view == "#view=errors":
                page.click(".error-tile >> nth=4")
                frames.append((taken(page), DIALOG))
        browser.close()
    (first, _), *others = frames
    durations = [shown for _, shown in frames]
    first.save(
        TARGET, save_all=True, append_images=[frame for frame, _ in others], duration=durations, loop=0, quality=72,
        method=6,
    )  # fmt: skip
    size = TARGET.stat().st_size
    print(f"{TARGET}: {size} bytes, {sum(durations) / 1000} s")
    if size > MOST_BYTES:
        raise SystemExit(f"expected at most {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
