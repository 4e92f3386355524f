"""SECURITY.md names for every promise what keeps it, and all of that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TEXT = (CHECKOUT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("| **")]
TARGETS = set(re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_there_are_promises() -> None:
    assert len(ROWS) > 10
    assert all(len(row) == 2 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][2:40])
def test_a_promise_is_kept_by_tests_that_exist(row: list[str]) -> None:
    paths = re.findall(r"`([^`]*/[^`]*)`", row[1])
    assert paths, "no test is named"
    for path in paths:
        found = CHECKOUT / path
        assert found.exists(), path
        tests = [found] if found.is_file() else list(found.glob("test_*.py"))
        assert tests and (found.name == "attacks.py" or "def test_" in tests[0].read_text(encoding="utf-8"))


def test_every_file_and_target_named_exists() -> None:
    named = re.findall(r"`(tests/[^` ]*|tools/[^` ]*)`", TEXT)
    assert [path for path in named if not (CHECKOUT / path).exists()] == []
    assert set(re.findall(r"`make ([a-z-]+)", TEXT)) <= TARGETS
