"""The report says by which protocol a run was evaluated, and what was modified."""

from __future__ import annotations

from typing import Any

import segmetry as sm
from segmetry.report.page import render


def page(**options: Any) -> str:
    spans = {"a": sm.Spans.from_masses([3, 2, 4])}, {"a": sm.Spans.from_masses([2, 3, 4])}
    return render([sm.evaluate(*spans, **options)])


def test_the_header_of_the_protocol_stands_among_the_facts() -> None:
    header = "each text, then mean over texts; modified: pk.k"
    assert header in page(protocol="text", options={"pk": {"k": 3}})
    assert "each text, then mean over texts" not in page(metrics="pk")


def test_the_page_knows_the_average_of_the_headline() -> None:
    assert '"headline_average":"by_item"' in page(protocol="text").replace(": ", ":")
    assert '"headline_average":null' in page(metrics="pk").replace(": ", ":")
