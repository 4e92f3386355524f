"""Every number the page computes by itself is Python's, to the last printed digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.alignments.curves import Curves
from segmetry.alignments.pair_errors import error_kinds
from segmetry.outputs.plots.precision_recall_plot import corner_counts, item_points
from segmetry.report.photographs import coco_file, file_names
from segmetry.statistics.wider_rule import TwoAlignments, two_rules
from tests.browser.conftest import OpenReport
from tests.browser.pages import visiting
from tests.browser.printed import number
from tests.browser.reports import RULES, blobs, choose, expected_cells, item_cells, report_of, shown, whole_tally

KEYS = ("pq", "sq", "rq")
AVERAGES = ("by_item", "by_class", "pooled")


@pytest.fixture(scope="module", params=["classes", "plain", "coco", "streams"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[sm.Run, Path]:
    if request.param in ("coco", "streams"):
        true = (
            request.getfixturevalue("coco_panoptic") / "truth.json"
            if request.param == "coco"
            else request.getfixturevalue("shared_data") / "page_streams" / "true.json"
        )
        run = sm.evaluate(true, true.with_name("pred.json"), metrics="panoptic,graph")
    else:
        run = sm.evaluate(*blobs(30, seed=7, classes=3 if request.param == "classes" else 0), metrics="panoptic,graph")
    return run, report_of(run, tmp_path_factory.mktemp("report"), f"{request.param}.html")


def test_items_verdict_and_classes(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    for rule in RULES:
        choose(page, rule)
        under = run.rescore(rule)
        titles = file_names(coco_file(run))
        cells = expected_cells(under)
        assert item_cells(page) == {titles.get(name, name): values for name, values in cells.items()}
        summary = under.summary()
        card = f'[data-rule="{under.settings.rule}"].card'
        for word in AVERAGES if summary.by else ("by_item", "pooled"):
            for key in KEYS:
                value = summary[key].find(word).value
                assert shown(page, f"{card} [data-aggregate={word}] [data-key={key}]") == [number(value)]
        counts = [f"{whole_tally(under).n_pairs} matched"]
        assert shown(page, f"{card} [data-count=matched]") == counts
        if summary.by is not None:
            with visiting(page, "classes"):
                _check_classes(page, under)


def _check_classes(page: Any, run: sm.Run) -> None:
    summary, called = run.summary(), run.class_names
    rows = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#class-table tbody tr')]"
        ".map(row => [row.cells[0].innerText, [...row.cells].map(cell => cell.innerText)]))"
    )
    assert set(rows) == {str(called.get(name, name)) for name in summary.parts}
    for name, row in summary.parts.items():
        shown_row = rows[str(called.get(name, name))]
        keys = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
        assert shown_row[2:8] == [number(row[key]["pooled"].value, key) for key in keys]
        assert shown_row[8] == number(row["pq"].over_items.value)
        assert int(shown_row[1]) == row["pq"].n("by_item")
    totals = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('#class-table tfoot tr')]"
        ".map(row => [row.cells[0].innerText, [...row.cells].map(cell => cell.innerText)]))"
    )
    for group, row in summary.groups.items():
        assert totals[group][2:5] == [number(row[key]["by_class"].value) for key in KEYS]
        assert totals[group][8] == number(row["pq"].over_items.value)


def test_intervals(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    for rule in ("theta_and", "theta_plus"):
        intervals = run.rescore(rule).intervals(parts=False)["pq"]
        for name, interval in intervals.items():
            if name == "by_class_of_items":
                continue
            word, (low, high) = "by_item" if name.startswith("by_item") else name, interval.best
            text = f"95 % {number(low)} to {number(high)}"
            assert shown(page, f'[data-rule="{rule}"].card [data-interval={word}]') == [text]


def test_the_slider_gives_the_curves(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="thresholds")
    for rule in ("theta_and", "iou(above=0.6)"):
        choose(page, rule)
        tally = whole_tally(run.rescore(rule))
        curves = Curves.of(tally)
        for step in curves.steps[:: max(1, len(curves.steps) // 5)]:
            page.fill('#curves input[type="text"]', str(step))
            _check_readings(page, curves, str(step))
        page.locator("#threshold").focus()
        page.keyboard.press("Home")
        _check_readings(page, curves, "0")
        for _ in range(3):
            page.keyboard.press("PageUp")
        _check_readings(page, curves, page.locator('#curves input[type="text"]').input_value())
        area, npq = (shown(page, f"#curves [data-reading={key}]") for key in ("pq", "npq"))
        assert area == [number(curves.area())] and npq == [number(curves.npq())]


def _check_readings(page: Any, curves: Curves, t: str) -> None:
    for measure in ("precision", "recall", "f1"):
        value = curves.at(t, measure)
        assert value is not None
        assert shown(page, f"#curves [data-reading={measure}]") == [number(float(value))]
    assert shown(page, "#curves [data-reading=kept]") == [f"{curves.n_kept(t)} of {curves.tally.n_pairs}"]


def test_the_corners(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="items")
    points = item_points(dict(run.tables()), policy=run.settings.policy)
    if run.n_done > 1:
        page.click("text=one dot per item")
    for corner, count in corner_counts(points).items():
        assert shown(page, f"[data-corner={corner}] b") == [str(count)]


def test_what_two_rules_disagree_about(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    for pi in ("3/4", "0.6", "1"):
        page.fill('#disagree input[type="text"]', pi)
        items = []
        kinds: dict[str, list[int]] = {}
        for name, table in run.tables():
            wide, narrow = (table.align(rule, policy=run.settings.policy) for rule in ("theta_and", "theta_plus"))
            items.append(TwoAlignments.of(name, narrow, wide, pi=pi))
            for kind, count in error_kinds(wide).counts().items():
                kinds.setdefault(kind, []).append(count)
        result = two_rules(items)
        readings = dict(
            page.evaluate("[...document.querySelectorAll('#disagree dd')].map(d => [d.dataset.reading, d.innerText])")
        )
        assert readings["IoU > 0.5 (θ⁺) pairs"] == str(result.n_narrow) and readings[
            "majority overlap (θ&) pairs"
        ] == str(result.n_wide)
        assert readings["additional"] == str(result.n_additional)
        assert readings["KS distance of IoUs"] == number(
            result.ks_statistic if result.ks_statistic is not None else float("nan")
        )
        correlation = float("nan") if result.correlation is None else result.correlation
        assert readings["correlation with true segments per item"] == number(correlation)
        assert readings["false hits"] == str(result.n_false_hits)
        for kind, counts in kinds.items():
            cells = shown(page, f"#kinds [data-kind={kind}] td")
            assert sum(map(int, cells)) == sum(counts)


def test_splits_and_merges(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    summary = run.summary()
    if summary.by is None:
        return
    page = open_report(path, view="classes")
    for key, word in (("n_splits", "splits"), ("n_merges", "merges")):
        cells = shown(page, f"#class-table tbody [data-cell={word}]")
        total = summary[key]["pooled"]
        assert total is not None and sum(map(int, cells)) == int(total.value)


def test_all_metrics(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="metrics")
    rule = run.settings.rule
    for key, score in run.summary().scores.items():
        row = f'[data-metric={key}] [data-rule="{rule}"]'
        mean = score.over_items.value
        text = number(mean, key) if float(mean).is_integer() else number(mean)
        assert shown(page, f"{row}[data-aggregate=by_item]") == [text]
        for word in ("by_class", "pooled") if run.summary().by else ("pooled",):
            value = score.get(word)
            text = "" if value is None else number(value.value, key)
            assert shown(page, f"{row}[data-aggregate={word}]") == [text]
