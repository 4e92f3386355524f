"""Every code block of the README and of the book is run somewhere, or shows a language that nothing runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
REFERENCE = {"metrics", "protocols"}
"""Folders of pages that the build writes, with blocks that it runs."""
WRITTEN = {"cli.md", "api.md", "gallery.md"}
"""Pages that the build writes."""
RUN_BY_THE_BUILD = {"{live}", "{console}"}
NOT_CODE = {"{toctree}", "{math}", "{eval-rst}", "{raw}", "text"}
RUN_BY_A_TEST = {
    ("README.md", "console"): "tests/test_readme.py",
    ("README.md", "bash"): ".ci/run",
    ("README.md", "bibtex"): "tests/test_citation.py",
    ("releasing.md", "bash"): "tools/release.sh",
    ("run-file.md", "sql"): "tests/run/test_documented_schema.py",
    ("run-file.md", "bash"): "tests/peers/test_duckdb.py",
    ("command-line.md", "toml"): "tests/cli/test_exit_codes.py",
    ("install.md", "bash"): ".ci/run",
    ("gpu.md", "python"): "tests/peers/test_torch_pairs.py",
    ("index.md", "python"): "tests/peers/test_drop_ins.py",
    ("ci.md", "python"): "tests/peers/adapters/test_pytest_plugin.py",
    ("ci.md", "yaml"): "tests/peers/adapters/test_github_action.py",
    ("viewers.md", "python"): "tests/peers/test_integration_pages.py",
    ("evaluation.md", "python"): "tests/peers/test_integration_pages.py",
    ("training.md", "python"): "tests/peers/test_integration_pages.py",
}


OWN = [page for page in PAGES if page.name not in WRITTEN and page.parent.name not in REFERENCE]


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.name)
def test_every_block_is_run(page: Path) -> None:
    blocks = re.findall(r"^```(\S*)[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for language, content in blocks:
        if language in RUN_BY_THE_BUILD | NOT_CODE or ">>> " in content:
            continue
        assert (page.name, language) in RUN_BY_A_TEST, f"nothing runs this {language or 'unnamed'} block:\n{content}"
