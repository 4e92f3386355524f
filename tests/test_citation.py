"""How segmetry is cited: the README and CITATION.cff name the version of the package."""

from __future__ import annotations

import re
from pathlib import Path

import segmetry

CHECKOUT = Path(__file__).resolve().parents[1]


def test_the_entry_of_the_readme_names_this_version() -> None:
    (entry,) = re.findall(
        r"^```bibtex\n(.*?)^```", (CHECKOUT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert entry.startswith("@software{segmetry,\n") and entry.endswith("\n}\n")
    assert f"version = {{{segmetry.__version__}}}" in entry


def test_the_citation_file_names_this_version() -> None:
    assert f"\nversion: {segmetry.__version__}\n" in (CHECKOUT / "CITATION.cff").read_text("utf-8")
