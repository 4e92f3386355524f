"""Draw the README's picture, docs/_static/demo.png, from the demo's report: ``python tools/make_picture.py``.

Needs Chromium and the ``browser`` group. The picture is three views of the page, one below the other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

TARGET = Path(__file__).parents[1] / "docs" / "_static" / "demo.png"
VIEWS = (("#verdict .cards", None), ("#curves .beside", None), ("#item", "#item table"))
"""What is cut out, and where a view ends before its last part."""
GAP, MARGIN = 28, 32


def main() -> None:
    """Write the picture anew."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([sys.executable, "-m", "segmetry", "demo", "-o", folder], check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1180, "height": 6000})
        page.goto((Path(folder) / "report.html").as_uri())
        page.wait_for_selector("html[data-ready]")
        parts = []
        for view, end in VIEWS:
            box = page.locator(view).bounding_box()
            if end is not None:
                box["height"] = page.locator(end).first.bounding_box()["y"] - box["y"] - GAP
            box["height"] += 2  # a border on a fraction of a pixel
            parts.append(Image.open(BytesIO(page.screenshot(clip=box))).convert("RGB"))
        browser.close()
    width = max(part.width for part in parts) + 2 * MARGIN
    height = sum(part.height + GAP for part in parts) - GAP + 2 * MARGIN
    picture = Image.new("RGB", (width, height), parts[0].getpixel((0, 0)))
    top = MARGIN
    for part in parts:
        picture.paste(part, (MARGIN, top))
        top += part.height + GAP
    picture.quantize(256, dither=Image.Dither.NONE).save(TARGET, optimize=True)
    print(f"{TARGET}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
