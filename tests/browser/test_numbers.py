"""Every number the page computes by itself is Python's, to the last printed digit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.alignments.curves import Curves
from segmetry.alignments.pair_errors import error_kinds
from segmetry.outputs.plots.pair_picture import COLOURS
from segmetry.outputs.plots.picture import rgb
from segmetry.outputs.plots.precision_recall_plot import corner_counts, item_points
from segmetry.report.photographs import coco_file, file_names
from segmetry.results.number_format import p_value
from segmetry.statistics.wider_rule import TwoAlignments, two_rules
from tests.browser.conftest import OpenReport
from tests.browser.pages import visiting
from tests.browser.printed import number, numbers_of
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
    page, number = open_report(path, view="trust"), numbers_of(run)
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
    summary, called, number = run.summary(), run.class_names, numbers_of(run)
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
    page, number = open_report(path, view="trust"), numbers_of(run)
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
    page, number = open_report(path, view="thresholds"), numbers_of(run)
    for rule in ("theta_and", "iou(above=0.6)"):
        choose(page, rule)
        tally = whole_tally(run.rescore(rule))
        curves = Curves.of(tally)
        for step in curves.steps[:: max(1, len(curves.steps) // 5)]:
            page.fill('#curves input[type="text"]', str(step))
            _check_readings(page, curves, str(step), number)
        page.locator("#threshold").focus()
        page.keyboard.press("Home")
        _check_readings(page, curves, "0", number)
        for _ in range(3):
            page.keyboard.press("PageUp")
        _check_readings(page, curves, page.locator('#curves input[type="text"]').input_value(), number)
        area, npq = (shown(page, f"#curves [data-reading={key}]") for key in ("pq", "npq"))
        assert area == [number(curves.area())] and npq == [number(curves.npq())]


def _check_readings(page: Any, curves: Curves, t: str, number: Any) -> None:
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
        tests = {
            "p of the KS distance of IoUs": result.ks_p,
            "p of the correlation": result.correlation_p,
            "p of the KS distance of classes": result.class_ks_p,
        }
        for name, p in tests.items():
            assert readings.get(name) == (None if p is None else p_value(p))
        for kind, counts in kinds.items():
            cells = shown(page, f"#kinds [data-kind={kind}] td")
            assert sum(map(int, cells)) == sum(counts)


def test_additional_pairs_are_sought_by_words(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    pairs = list(sm.two_alignments(run).pairs)
    for words in ("", "partial", "mixed small", "nowhere"):
        page.fill('#disagree input[type="search"]', words)
        while page.locator("#disagree .scroll button", has_text="show more").count():
            page.click("#disagree .scroll button:has-text('show more')")
        expected = 0
        for row in pairs:
            about = [row["item"], str(row["class"] or ""), row["kind"], "small" * row["is_small"]]
            about += [str(row["true_id"]), str(row["pred_id"])]
            found = (any(word in part.lower() for part in about) for word in words.lower().split())
            expected += all(found)
        assert page.locator("#additional tbody tr").count() == expected, words


def test_the_gallery_of_pairs_has_the_cardinalities(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    pairs = {
        f"{row['shared']} shared, {row['missed']} missed, {row['spurious']} spurious"
        for row in sm.two_alignments(run).pairs
    }
    tiles = page.locator("#pair-gallery [data-pair]")
    words = {tiles.nth(at).locator(".counts").inner_text() for at in range(tiles.count())}
    assert words <= pairs
    if tiles.count():
        page.wait_for_selector("#pair-gallery canvas")


def test_additional_pairs_by_class_are_pythons(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = report
    page = open_report(path, view="trust")
    expected = [
        [row["class"], str(row["additional"]), str(row["true_segments"])]
        + [number(row[share]) for share in ("share_of_true", "share_of_additional")]
        for row in sm.two_alignments(run).classes
        if row["additional"]
    ]
    found = [
        [cell.inner_text() for cell in row.locator("th, td").all()]
        for row in page.locator("#additional-classes tbody tr").all()
    ]
    assert found == expected


def test_a_row_of_overlaps_shows_the_picture_of_its_pair(report: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    """All elements of the item, or those in the box, of which as many are coloured as the row says."""
    _, path = report
    page = open_report(path, view="items")
    if not page.locator("#gallery .tile canvas").count():
        return
    page.locator("#gallery .tile").first.click()
    row = page.locator("dialog .edges tbody tr").first
    row.get_by_role("button").click()
    canvas = page.locator("dialog .pair-box canvas")
    canvas.wait_for()
    values = canvas.evaluate(
        "(canvas) => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"
    )
    painted = Counter(tuple(values[at : at + 3]) for at in range(0, len(values), 4) if values[at + 3])
    counts = [int(row.locator("td").nth(at).inner_text()) for at in (2, 3, 4)]
    colours = [rgb(colour) for colour in COLOURS]
    assert set(painted) <= set(colours)
    assert [painted[colour] for colour in colours] == counts or page.locator("dialog .slices").count()
    words = page.locator("dialog .pair-box figcaption").inner_text()
    assert words.endswith("{} shared, {} missed, {} spurious".format(*counts))


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
    page, number = open_report(path, view="metrics"), numbers_of(run)
    rule = run.settings.rule
    for key, score in run.summary().scores.items():
        row = f'[data-metric={key}] [data-rule="{rule}"]'
        mean = score.over_items.value
        assert shown(page, f"{row}[data-aggregate=by_item]") == [number(mean, key)]
        for word in ("by_class", "pooled") if run.summary().by else ("pooled",):
            value = score.get(word)
            text = "" if value is None else number(value.value, key)
            assert shown(page, f"{row}[data-aggregate={word}]") == [text]
