"""Take the README's picture, docs/_static/demo.png: the first screen of a report, as Chromium shows it.

``python tools/make_picture.py`` needs Chromium and the ``browser`` group. The report is the live one of the
documentation, of the second of its two systems alone.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parents[1]
TARGET = PROJECT / "docs" / "_static" / "demo.png"
SCREEN = {"width": 1440, "height": 980}
MOST_BYTES = 200_000


def main() -> None:
    """Write the picture again."""
    sys.path.insert(0, str(PROJECT / "docs"))
    from _pictures import scored_systems

    from segmetry.report.page import write_report

    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        report = Path(name) / "report.html"
        write_report(scored_systems(Path(name))[1:], report, title="40 street scenes", maps="all")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SCREEN)
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(1000)  # thumbnails are drawn when they are seen
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    picture.quantize(256, dither=Image.Dither.NONE).save(TARGET, optimize=True)
    size = TARGET.stat().st_size
    print(f"{TARGET}: {size} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"expected at most {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
