"""What a notebook shows: the card of a run has the digits of the terminal, and every repr fits on a few lines."""

from __future__ import annotations

import re

import numpy as np
import pytest

import segmetry as sm
from segmetry.outputs import headline_line

RNG = np.random.default_rng(3)
TRUE = {f"item {at}": RNG.integers(0, 5, (10, 10)).repeat(2, 0).repeat(2, 1) for at in range(12)}
PRED = {item: np.where(RNG.random(labels.shape) < 0.1, 0, labels) for item, labels in TRUE.items()}


def test_the_card_has_the_headline_of_the_terminal_the_budget_and_the_four_worst() -> None:
    run = sm.evaluate(TRUE, PRED, metrics="pq")
    card = run._repr_html_()
    headline = headline_line(run)
    assert headline is not None and "95 % interval" in headline and f"<b>{headline}</b>" in card
    shown = re.search(r"Worst items by pq: ([^<]*)<", card)
    assert shown is not None
    worst = [(name, float(value)) for name, value in re.findall(r"(item \d+) ([\d.]+)", shown[1])]
    values = {row["item"]: round(row["pq"], 4) for row in run.items()}
    assert [value for _, value in worst] == sorted(values.values())[:4]
    assert all(values[name] == value for name, value in worst)
    assert "<svg" in card and "Error analysis: PQ" in card and "<table" in card


def test_a_card_without_segments_has_no_budget() -> None:
    card = sm.evaluate(TRUE, PRED, metrics="vi_split")._repr_html_()
    assert "<svg" not in card and "vi_split" in card


@pytest.mark.parametrize(
    "make",
    [
        lambda: sm.Spans.from_masses(range(1, 300)),
        lambda: sm.Masks.from_dense(np.ones((50, 4, 4), bool)),
        lambda: sm.maps(TRUE["item 0"], PRED["item 0"]),
        lambda: sm.look(TRUE["item 0"], PRED["item 0"]),
        lambda: sm.evaluate(TRUE, PRED, metrics="pq").errors(),
        lambda: sm.evaluate(TRUE, PRED, metrics="pq").intervals(),
        lambda: sm.compare(*(sm.evaluate(TRUE, side, metrics="pq") for side in (PRED, TRUE)), resamples=100),
    ],
)
def test_what_is_long_is_shown_by_its_length(make: object) -> None:
    text = repr(make())  # type: ignore[operator]
    assert len(text) < 500 and "array(" not in text and "\n" not in text
