"""The sentence of the first screen is made from numbers of every kind of run, and says nothing that is not so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from segmetry.report.script_bundle import bundle, module_sources

ENTRY = """import { joined, lineSentence, otherSentence, percent, segmentSentence } from "./views/overview/sentence.js";
globalThis.said = { joined, lineSentence, otherSentence, percent, segmentSentence };
"""
FOUND = "Finds 68 % of the segments and draws them at a mean IoU of 0.78"
FACTS: dict[str, Any] = {
    "nTrue": 100,
    "nPred": 90,
    "matched": 68,
    "sq": 0.777,
    "isExact": False,
    "noun": "segment",
    "some": None,
    "costs": [],
    "sizes": [],
}
MISSED = {"kind": "missed", "words": "missed segments", "gain": 0.185, "errors": 783, "shown": True}
LOOSE = {"kind": "boundary", "words": "loose boundaries", "gain": 0.146, "errors": 2335, "shown": False}
SMALL = {"name": "small", "limit": "< 32² px", "pq": 0.2, "segments": 200}
LARGE = {"name": "large", "limit": "≥ 96² px", "pq": 0.59, "segments": 300}


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    page.evaluate(bundle({**dict(module_sources()), "test.js": ENTRY}, "test.js"))
    yield page
    context.close()


def said(page: Page, function: str, facts: Any) -> str:
    parts = page.evaluate(f"(facts) => said.{function}(facts)", facts)
    return "".join(part["text"] for part in parts)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({}, FOUND + "."),
        ({"nTrue": 0, "nPred": 0, "matched": 0}, "Nothing to compare: there are no segments on either side."),
        ({"nTrue": 0, "nPred": 1, "matched": 0}, "The truth has no segments; 1 segment is predicted."),
        ({"nTrue": 0, "nPred": 7, "matched": 0}, "The truth has no segments; 7 segments are predicted."),
        ({"nPred": 0, "matched": 0}, "Predicts nothing; all 100 segments are missed."),
        ({"matched": 0}, "Finds none of the 100 segments."),
        ({"matched": 100}, "Finds all 100 segments and draws each at a mean IoU of 0.78."),
        ({"matched": 100, "isExact": True}, "Finds all 100 segments and draws each exactly."),
        ({"nTrue": 1, "matched": 1, "isExact": True}, "Finds the one segment and draws it exactly."),
        ({"nTrue": 3, "matched": 1}, "Finds 33 % of the segments and draws it at an IoU of 0.78."),
        ({"nTrue": 1000, "matched": 999}, "Finds over 99 % of the segments and draws them at a mean IoU of 0.78."),
        ({"nTrue": 1000, "matched": 2}, "Finds under 1 % of the segments and draws them at a mean IoU of 0.78."),
        (
            {"some": "13 of 400 items"},
            "In 13 of 400 items: finds 68 % of the segments and draws them at a mean IoU of 0.78.",
        ),
        (
            {"costs": [MISSED, LOOSE]},
            FOUND + ". What costs most: missed segments (783) and loose boundaries.",
        ),
        (
            {"costs": [MISSED, {**LOOSE, "gain": 0.001}]},
            FOUND + ". What costs most: missed segments (783).",
        ),
        (
            {"costs": [{**MISSED, "gain": 0.0, "errors": 0}]},
            FOUND + ".",
        ),
        (
            {"sizes": [SMALL, LARGE]},
            FOUND + "; small segments (< 32² px) reach PQ 0.20 against 0.59 for large ones.",
        ),
        (
            {"sizes": [{**SMALL, "segments": 19}, LARGE]},
            FOUND + ".",
        ),
        ({"sizes": [{**SMALL, "pq": 0.5}, LARGE]}, FOUND + "."),
        ({"sizes": [{**SMALL, "pq": None}, LARGE]}, FOUND + "."),
    ],
)
def test_runs_about_segments(facts: dict[str, Any], sentence: str, page: Page) -> None:
    assert said(page, "segmentSentence", FACTS | facts) == sentence


def test_the_costliest_kinds_are_doors(page: Page) -> None:
    parts = page.evaluate("(facts) => said.segmentSentence(facts)", FACTS | {"costs": [MISSED, LOOSE]})
    doors = [(part["text"], part["filter"]) for part in parts if "filter" in part]
    assert doors == [("missed segments", {"kinds": ["missed"]}), ("loose boundaries", {"kinds": ["boundary"]})]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "mIoU is 0.65, aAcc 0.79."),
        (
            [("road taken for path", 0.021, 10)],
            "mIoU is 0.65, aAcc 0.79. What costs most mIoU: road taken for path (0.02).",
        ),
        (
            [("a taken for b", 0.02, 3), ("b missed", 0.01, 2), ("c missed", 0.009, 1)],
            "mIoU is 0.65, aAcc 0.79. What costs most mIoU: a taken for b (0.02) and b missed (0.01).",
        ),
        ([("a taken for b", 0.0004, 3)], "mIoU is 0.65, aAcc 0.79."),
    ],
)
def test_runs_about_classes(rows: list[tuple[str, float, int]], sentence: str, page: Page) -> None:
    errors = {"name": "mIoU", "rows": [{"name": name, "gain": gain, "count": n} for name, gain, n in rows]}
    beside = [{"name": "aAcc", "value": 0.786}, {"name": "mAcc", "value": 0.7}]
    assert (
        said(page, "otherSentence", {"name": "mIoU", "value": 0.6472, "beside": beside, "errors": errors}) == sentence
    )


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({}, "WindowDiff 0.17 (lower is better) over 34 items, boundary F1 0.83"),
        ({"nItems": 1}, "WindowDiff 0.17 (lower is better), boundary F1 0.83"),
        ({"name": "accuracy", "isLowerBetter": False, "beside": [], "nItems": 1}, "Accuracy 0.17"),
    ],
)
def test_runs_about_lines(facts: dict[str, Any], sentence: str, page: Page) -> None:
    beside = [{"name": "boundary F1", "value": 0.827}, {"name": "Pk", "value": None}]
    known = {
        "name": "WindowDiff",
        "value": 0.1665,
        "isLowerBetter": True,
        "nItems": 34,
        "noun": "item",
        "beside": beside,
    }
    assert said(page, "lineSentence", known | facts) == sentence
    undefined = page.evaluate("(facts) => said.lineSentence({ ...facts, value: NaN })", known | facts)
    assert "is undefined" in "".join(part["text"] for part in undefined)
