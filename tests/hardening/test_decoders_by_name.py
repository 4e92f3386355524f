"""No file chooses its decoder by its content alone: those that run other programs are never asked."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning, FormatError
from segmetry.report.photographs import embedded

SOURCE = Path(sm.__file__).parent
POSTSCRIPT = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 4 2\n%%EndComments\nshowpage\n%%EOF\n"


@pytest.fixture
def ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program ``gs``, and the file that it writes when it is run."""
    if sys.platform == "win32":
        pytest.skip("the program is a shell script")
    programs, ran = tmp_path / "programs", tmp_path / "ran"
    programs.mkdir()
    (programs / "gs").write_text(f'#!/bin/sh\necho "$@" >> {ran}\n')
    (programs / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    return ran


def test_a_photograph_that_is_postscript_starts_no_program(tmp_path: Path, ghostscript: Path) -> None:
    segments = {"segmentation": [[0, 0, 2, 0, 2, 2, 0, 2]], "category_id": 1, "image_id": 1, "id": 1, "iscrowd": 0}
    image = {"id": 1, "file_name": "e.jpg", "width": 4, "height": 2}
    truth = {"images": [image], "categories": [{"id": 1, "name": "a"}], "annotations": [{**segments, "area": 4}]}
    pytest.importorskip("pycocotools")
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "e.jpg").write_text(POSTSCRIPT)
    run = sm.evaluate(tmp_path / "truth.json", tmp_path / "truth.json", metrics="pq")
    with pytest.warns(DataWarning, match="damaged photograph"):
        run.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").exists()
    assert not ghostscript.exists(), ghostscript.read_text()


def test_the_program_would_be_started_by_pillow(tmp_path: Path, ghostscript: Path) -> None:
    """The test above could not fail otherwise."""
    (tmp_path / "e.jpg").write_text(POSTSCRIPT)
    with Image.open(tmp_path / "e.jpg") as image, pytest.raises(Exception, match=r".*"):
        image.load()
    assert ghostscript.exists()


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF"])
def test_photographs_of_each_named_kind_are_embedded(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jpg"
    Image.fromarray(np.full((2, 4), 7, np.uint8)).save(file, format=name)
    assert embedded(file, (2, 4), 100_000)


@pytest.mark.parametrize("name", ["EPS", "PCX", "TGA", "ICNS", "PDF", "SGI"])
def test_no_other_decoder_of_pillow_is_asked(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jpg"
    Image.fromarray(np.full((16, 16), 7, np.uint8)).convert("RGB").save(file, format=name)
    with pytest.raises(FormatError, match="damaged photograph: cannot identify image file"):
        embedded(file, (16, 16), 100_000)


CHOOSE_BY_CONTENT = (
    r"Images?\.open\((?!.*formats=)",
    r"\b(?:imread|imageio|nibabel\.load|nib\.load|ReadImage|read_pickle|skimage\.io)\b",
)


@pytest.mark.parametrize("pattern", CHOOSE_BY_CONTENT)
def test_no_call_leaves_the_choice_of_a_decoder_to_a_library(pattern: str) -> None:
    found = [
        f"{file.relative_to(SOURCE)}: {line.strip()}"
        for file in SOURCE.rglob("*.py")
        for line in file.read_text("utf-8").splitlines()
        if re.search(pattern, line) and not line.lstrip().startswith(("#", ">>>"))
    ]
    assert not found
