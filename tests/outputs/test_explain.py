"""Every metric explains itself from its declaration."""

from __future__ import annotations

import pytest

from segmetry.outputs.explain import explain
from segmetry.scores.metric import METRICS


@pytest.mark.parametrize("key", sorted(METRICS))
def test_every_metric_explains_itself(key: str) -> None:
    found = METRICS[key]
    page = explain(found)
    assert page.startswith(f"{key} (")
    for fact in (found.words, found.formula, found.decisions, *(f"[{cited}]" for cited in found.citation)):
        assert fact in page


def test_an_example_is_drawn_and_computed() -> None:
    page = explain(METRICS["pq"])
    assert "  true  |----|--|----\n  pred  |---|---|----\n  pq = 0.85" in page
