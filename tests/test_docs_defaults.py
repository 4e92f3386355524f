"""The page of defaults: its metrics and options exist, and a default that it states is the default."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from segmetry.alignments.policy import POLICIES
from segmetry.metrics.declare import METRICS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "decisions" / "defaults.md"
STATED = re.compile(r"`(\w+)=([\w.-]+)`")
BACKGROUNDS = {"segment", "singletons", "common", "cremi", "snemi", "foreground"}
SHARED = {"background": BACKGROUNDS, "rule": {"theta_plus", "theta_and"}, "policy": set(POLICIES), "undefined": {"0"}}


def rows() -> Iterator[tuple[list[str], str, str]]:
    """Yield the metrics, the default and the other value of every row."""
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and (cells[0].startswith("`") or cells[0] == "all"):
            yield re.findall(r"`(\w+)`", cells[0]), cells[2], cells[3]


def test_the_page_has_both_tables() -> None:
    assert len(list(rows())) > 20


@pytest.mark.parametrize(("keys", "default", "other"), list(rows()))
def test_a_row_states_options_that_exist_and_the_default(keys: list[str], default: str, other: str) -> None:
    for key in keys:
        metric = METRICS[key]
        for name, value in STATED.findall(default) + STATED.findall(other):
            assert name in metric.options or value in SHARED[name], (key, name, value)
        for name, value in STATED.findall(default):
            if name in metric.options:
                assert str(metric.options[name]) == value, (key, name)
