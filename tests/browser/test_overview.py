"""The first screen: its numbers are Python's, and its doors lead to exactly the items Python names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.error_budget import run_reasons
from segmetry.diagnosis.error_reasons import KIND_BITS, KINDS
from segmetry.report.page import write_report
from tests.browser.conftest import OpenReport
from tests.browser.reports import overlapping_masks, report_of, shown, whole_tally
from tests.browser.scenes import lines
from tests.browser.test_budget import strips
from tests.report.detection_runs import scored_masks

COUNTED_ON = {
    "class": "true",
    "split": "true",
    "merge": "pred",
    "missed": "true",
    "spurious": "pred",
    "boundary": "true",
}


@pytest.fixture(scope="module")
def run() -> sm.Run:
    return sm.evaluate(*strips(3), protocol="coco-panoptic")


@pytest.fixture(scope="module")
def report(run: sm.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_of(run, tmp_path_factory.mktemp("overview"), "overview.html")


def items_with(run: sm.Run, kind: str, name: str | None = None) -> list[int]:
    """The indices of the items that have an error of a kind (of a class), one by one from the error analysis."""
    tables, side = run.tables_together, COUNTED_ON[kind]
    true, pred = run_reasons(run).kinds_of_segments()
    kinds, columns = (true, tables.true) if side == "true" else (pred, tables.pred)
    return sorted(
        {
            int(item)
            for bits, item, code in zip(kinds, columns.item, columns.classes, strict=True)
            if bits & KIND_BITS[kind] and (name is None or tables.class_names[code] == name)
        }
    )


def test_the_headline_is_the_protocols(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    pq, ends = run.summary()["pq"]["by_class"], run.intervals(parts=False)["pq"]["by_class"]
    assert pq is not None and ends is not None and ends.best is not None
    cell, (low, high) = run.cell(), ends.best
    texts = [cell.text(one, ends=(low, high)) for one in (pq.value, low, high)]
    assert shown(page, "#headline-value") == texts[:1] and cell.unit == "percent"
    assert shown(page, "#headline-interval") == [f"95 %: {texts[1]} to {texts[2]}"]
    assert "coco-panoptic, mean over classes" in page.locator("#how-good").inner_text()
    tally = whole_tally(run)
    whole = {"recall": tally.n_true, "precision": tally.n_pred}
    for name, key in (("found (recall)", "recall"), ("right (precision)", "precision")):
        words = f"{tally.n_pairs:,} of {whole[key]:,}"
        assert shown(page, f'#headline-parts [data-part="{name}"] td') == [
            f"{100 * tally.n_pairs / whole[key]:.1f}",
            words,
        ]
    outline = run.summary()["sq"]["pooled"]
    assert outline is not None
    assert shown(page, '#headline-parts [data-part="outline (SQ)"] td')[0] == f"{100 * outline.value:.1f}"


def test_the_waterfall_is_the_error_analysis(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page, diagnosis, cell = open_report(report), sm.diagnose(run), run.cell()
    for mode, cumulative in (("individually", False), ("cumulative", True)):
        page.click(f"#where-it-fails [data-mode={mode}]")
        gains = shown(page, "#where-it-fails .waterfall .gain-value")
        base = diagnosis.base.scores["pq"]["by_class"]
        assert base is not None and gains[0] == cell.text(base.value)
        expected = [diagnosis.gain(kind, average="by_class", cumulative=cumulative) for kind in KINDS]
        assert gains[1:] == [cell.text(gain, sign=True) for gain in expected]
    counts = shown(page, "#where-it-fails .waterfall g.door text")
    assert counts == [f"{diagnosis.counts[kind]['errors']:,} →" for kind in KINDS if diagnosis.counts[kind]["errors"]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_count_is_a_door_to_its_items(kind: str, run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    door = page.locator("#where-it-fails g.door").nth(KINDS.index(kind))
    assert json.loads(door.get_attribute("data-door") or "") == {"kinds": [kind]}
    door.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-ready] #page-items[data-open]")
    assert _listed(page) == items_with(run, kind)


def test_cells_of_the_heat_table_are_doors(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page, diagnosis = open_report(report), sm.diagnose(run)
    rows = shown(page, "#class-errors tbody th")
    values = {name: part["pq"].value for name, part in diagnosis.base.classes.items()}
    assert rows == sorted(values, key=lambda name: values[name])[:8]
    doors = page.locator("#class-errors .heat-cell .door")
    assert doors.count() > 20
    for at in range(0, doors.count(), 9):
        page = open_report(report)
        door = page.locator("#class-errors .heat-cell .door").nth(at)
        wanted = json.loads(door.get_attribute("data-door") or "")
        (name,), (kind,) = wanted["classes"], wanted["kinds"]
        gain = diagnosis.gain(kind, level="class", name=name)
        unit = 100 if run.cell().unit == "percent" else 1
        assert gain is not None and float(door.inner_text()) == pytest.approx(unit * gain, abs=0.0006 * unit)
        door.click()
        page.wait_for_selector("html[data-ready] #page-items[data-open]")
        assert _listed(page) == items_with(run, kind, name)


def _listed(page: Any) -> list[int]:
    """The items that the gallery shows, all of them."""
    while (more := page.locator(".gallery-more button")).count() and more.first.is_visible():
        more.first.click()
    return sorted(
        int(tile) for tile in page.locator("#gallery .tile").evaluate_all("(t) => t.map((e) => e.dataset.item)")
    )


def test_a_bar_filters_by_score(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    values = np.array([scores["pq"].value for _, scores in run.item_scores()])
    doors = page.locator(".spread g.door")
    listed = [json.loads(text)["items"] for text in doors.evaluate_all("(d) => d.map((e) => e.dataset.door)")]
    bins = np.minimum(19, np.floor(values * 20)).astype(int)
    assert listed == [np.flatnonzero(bins == place).tolist() for place in np.unique(bins)]


def test_the_worst_items_say_what_is_wrong(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    values = [scores["pq"].value for _, scores in run.item_scores()]
    order = sorted(range(len(values)), key=lambda at: (values[at], at))[:8]
    tiles = page.locator("#worst-items .worst-tile")
    assert tiles.evaluate_all("(t) => t.map((e) => Number(e.dataset.item))") == order
    for at, words in zip(order, shown(page, "#worst-items .wrong"), strict=True):
        for part in words.split(", "):
            count, word = part.split(" ", 1)
            kind = {"wrong class": "class", "merged": "merge"}.get(word, word)
            assert at in items_with(run, kind) and int(count) > 0


def test_several_runs_begin_with_their_comparison(run: sm.Run, tmp_path: Path, open_report: OpenReport) -> None:
    true, _ = strips(3)
    other = sm.evaluate(true, strips(5)[1] | {"item 0": true["item 0"]}, protocol="coco-panoptic")
    write_report([other, run], tmp_path / "two.html")
    page = open_report(tmp_path / "two.html")
    comparison = sm.compare(other, run, metrics="pq")
    row = comparison.difference("pq", "by_class")
    sentence = shown(page, "#comparison-sentence")[0]
    assert sentence.startswith(f"run 2 beats run 1: run 2 − run 1 = {100 * row.value:+.1f} PQ (")
    outcomes = comparison.difference("pq").outcomes
    assert (
        outcomes is not None and f"run 2 is better in {outcomes.won} of 40 items, worse in {outcomes.lost}" in sentence
    )
    counts = {word: shown(page, f"#comparison-first [data-outcome={word}]")[0] for word in ("better", "worse")}
    assert counts == {"better": f"{outcomes.won} better", "worse": f"{outcomes.lost} worse"}
    assert page.locator("#comparison-first .pair").count() == 40
    assert page.locator("#comparison-first .pair.worse").count() == outcomes.lost
    before, after = ([scores["pq"].value for _, scores in each.item_scores()] for each in (other, run))
    worse = sorted((b - a, at) for at, (a, b) in enumerate(zip(before, after, strict=True)) if b < a)[:8]
    assert [
        int(at)
        for at in page.locator("#comparison-first .got-worse tr[data-item]").evaluate_all(
            "(r) => r.map((e) => e.dataset.item)"
        )
    ] == [at for _, at in worse]


@pytest.mark.parametrize("kind", ["semantic", "detections", "lines", "overlapping", "one"])
def test_other_runs_lead_with_their_own_numbers(kind: str, tmp_path: Path, open_report: OpenReport) -> None:
    if kind == "semantic":
        numbers = np.random.default_rng(4)
        sides = [
            {f"i{at}": sm.LabelArray.from_classes(numbers.integers(1, 4, (6, 8))) for at in range(12)} for _ in range(2)
        ]
        run, name = sm.evaluate(*sides, protocol="semantic"), "mIoU"
    elif kind == "detections":
        run, name = sm.evaluate(*scored_masks(), protocol="coco-instances"), "AP"
    elif kind == "lines":
        run, name = sm.evaluate(*lines(), protocol="text"), "B"
    elif kind == "overlapping":
        run, name = sm.evaluate(*overlapping_masks(1), metrics="pq", resolve="assign"), "PQ"
    else:
        run, name = sm.evaluate(*({key: side[key] for key in ["item 0"]} for side in strips(3)), metrics="pq"), "PQ"
    page = open_report(report_of(run, tmp_path, f"{kind}.html"))
    text = page.locator("#first-screen").inner_text()
    assert name in text and "NaN" not in text and not re.search(r"undefined(?! in|\))", text)
    assert page.locator("#class-errors").count() == (kind == "one")
    assert page.locator("#other-errors").count() == (kind in ("semantic", "detections"))
    assert page.locator("#worst-items").count() == 1
    assert ("segments overlap in 6 of 6 items" in text) == (kind == "overlapping")
    assert {"one": "one item only", "semantic": "± "}.get(kind, "are too few") in text


def test_cards_that_a_rule_does_not_change_are_grey(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    assert page.locator(".card.unchanged").count() == 0
    page.locator("#controls select").first.select_option("theta_and")
    page.wait_for_selector(".card.unchanged", timeout=5000)
    grey = page.locator(".card.unchanged").evaluate_all("(cards) => cards.map((card) => card.id)")
    assert set(grey) == {"where-it-fails", "can-i-trust-it", "which-classes"}
    after = run.rescore("theta_and").summary()["pq"]["by_class"]
    assert float(shown(page, "#headline-value")[0]) == pytest.approx(100 * after.value, abs=0.06)
    assert "the filter and the rule do not change this" in shown(page, "#where-it-fails > .note")[0]


def test_the_table_of_items_begins_with_the_worst_by_the_headline(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = strips(6)
    run = sm.evaluate(true, pred, protocol="stardist")
    page = open_report(report_of(run, tmp_path, "stardist.html"), view="items")
    page.wait_for_selector("#item-table tbody th", state="attached")
    values = run.data.item_values(run.headline)
    shown_names = page.locator("#item-table tbody bdi").all_text_contents()
    assert shown_names[0] == run.names[int(np.nanargmin(values))]


def test_the_rule_matters_by_the_paired_difference(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = open_report(report)
    (words,) = shown(page, "#trust-list [data-check=rule]")
    row = sm.compare(run, rules=["theta_plus", "theta_and"], metrics="pq").difference("pq", "by_class")
    (low, high), gap, cell = row.interval.best or (0.0, 0.0), row.value, run.cell()
    is_little = abs(gap) <= 0.01 or low <= 0 <= high
    assert f"matters {'little' if is_little else 'much'}: " in words
    ends = "" if row.interval.best is None else f" ({cell.span((low, high), sign=True)})"
    assert words.endswith(f"a difference of {cell.text(gap, sign=True)}{ends}.")
