"""The version is written in one place; what repeats it agrees."""

from __future__ import annotations

import runpy
from importlib.metadata import version
from pathlib import Path

import segmetry

TOOL = Path(__file__).resolve().parents[2] / "tools" / "set_version.py"


def test_every_place_names_the_same_version() -> None:
    found = runpy.run_path(str(TOOL))["versions"]()
    assert set(found.values()) == {segmetry.__version__}, found


def test_the_metadata_names_the_same_version() -> None:
    assert version("segmetry") == segmetry.__version__
