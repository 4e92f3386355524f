"""One item: its pictures have Python's pixels and its table Python's integers, under every rule; what is pointed at is
shown everywhere.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

import segmetry as sm
from segmetry.alignments.policy import as_policy, candidates_of
from segmetry.metrics.panoptic.precision_recall_maps import Maps, SegmentValues
from segmetry.outputs.plots.look_picture import MATCHED
from segmetry.outputs.plots.map_images import TRANSPARENT, colours_of
from segmetry.outputs.plots.picture import rgb
from tests.browser import scenes
from tests.browser.conftest import OpenReport
from tests.browser.using import RULES, choose_rule, edge_rows, open_item, pixels, wait_for_pictures

TRUE, PRED = scenes.street_like()
NAMES = list(TRUE)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[sm.Run, Path]:
    run = sm.evaluate(TRUE, PRED, policy="coco", metrics="panoptic")
    path = tmp_path_factory.mktemp("report") / "scenes.html"
    run.report(path)
    return run, path


def painted(values: SegmentValues, maps: Maps) -> np.ndarray:
    return values.painted(colours_of(values.values, values.above, maps.alpha), TRANSPARENT)


def expected_rows(run: sm.Run, name: str) -> list[list[str]]:
    """Every overlap as the policy counts it, matched ones first, then by what is shared."""
    table = run.table(name)
    alignment = sm.align(table, run.settings.rule, policy="coco")
    true_sizes, pred_sizes = table.true.sizes, table.pred.sizes - table.pred.void
    _, allowed = candidates_of(table, as_policy("coco"), "match")
    names = table.class_names or ()
    rows = []
    for row in range(len(table)):
        t, p, shared = int(table.row_true[row]), int(table.row_pred[row]), int(table.shared[row])
        missed, spurious = int(true_sizes[t]) - shared, int(pred_sizes[p]) - shared
        codes = table.true.classes[t], table.pred.classes[p]
        barred = "other class" if codes[0] != codes[1] else "excluded"
        state = "yes" if row in alignment.rows else "no" if row in allowed else barred
        segments = [f"{names[codes[0]]} {table.true.ids[t]}", f"{names[codes[1]]} {table.pred.ids[p]}"]
        iou = f"{shared / (shared + missed + spurious):.4f}"
        rows.append([*segments, str(shared), str(missed), str(spurious), iou, state])
    return sorted(rows, key=lambda row: (row[-1] != "yes", -int(row[2])))


@pytest.mark.parametrize("rule", RULES)
def test_pixels_and_integers_are_pythons(scored: tuple[sm.Run, Path], open_report: OpenReport, rule: str) -> None:
    run, path = scored
    page = open_report(path, view="items")
    choose_rule(page, rule)
    again = run.rescore(rule)
    for index, name in enumerate(NAMES):
        open_item(page, index)
        wait_for_pictures(page, index, rule)
        assert edge_rows(page) == expected_rows(again, name)
        maps = sm.maps(TRUE[name], PRED[name], rule=rule, policy="coco")
        is_void = TRUE[name].labels == 200
        for title, side, hidden in (
            ("recall map", maps.true_values, is_void),
            ("precision map", maps.pred_values, None),
        ):
            shown, wanted = pixels(page, title), painted(side, maps)
            if hidden is not None:
                assert set(map(tuple, shown[hidden].tolist())) <= {(212, 212, 212, 255), (187, 187, 187, 255)}
                shown[hidden] = wanted[hidden] = 0
            assert np.array_equal(shown, wanted)


def test_a_known_pixel_of_the_precision_map(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    open_item(page, 2)
    wait_for_pictures(page, 2, run.settings.rule)
    maps = sm.maps(TRUE[NAMES[2]], PRED[NAMES[2]], policy="coco")
    row, column = np.argwhere(np.nan_to_num(maps.precision) > float(maps.alpha))[0].tolist()
    colour = colours_of(maps.precision[row, [column]], np.array([True]), maps.alpha)[0].tolist()
    assert pixels(page, "precision map")[row, column].tolist() == colour


def test_pairs_share_a_colour_and_the_others_are_striped(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    open_item(page, 1)
    page.get_by_label("show", exact=True).select_option("truth")
    page.get_by_label("colour by").select_option("segment")
    page.wait_for_selector('#item .pictures[data-layer="truth"]')
    wait_for_pictures(page, 1, run.settings.rule)
    alignment = sm.align(run.table(NAMES[1]), run.settings.rule, policy="coco")
    table = alignment.table
    colours = {}
    for title, labels, ids in (
        ("truth", TRUE[NAMES[1]], table.true.ids.tolist()),
        ("prediction", PRED[NAMES[1]], table.pred.ids.tolist()),
    ):
        shown = pixels(page, title)[..., :3]
        for at, segment in enumerate(ids):
            values, counts = np.unique(shown[labels.labels == segment], axis=0, return_counts=True)
            colours[title, at] = [tuple(value) for value in values[np.argsort(-counts)].tolist()]
    pairs = list(zip(alignment.at_true.tolist(), alignment.at_pred.tolist(), strict=True))
    assert len(pairs) > 2
    for t, p in pairs:
        assert colours["truth", t][0] == colours["prediction", p][0] in map(rgb, MATCHED)
    crowd = {table.true.ids.tolist().index(segment) for segment in TRUE[NAMES[1]].crowd}
    for at in set(range(table.true.ids.size)) - set(alignment.at_true.tolist()) - crowd:
        first, second = colours["truth", at][:2]
        assert {first, second} & set(map(rgb, MATCHED)) and sum(first) != sum(second)
    swatch = page.locator(f'#item .node[data-side=true][data-at="{pairs[0][0]}"] rect').get_attribute("fill")
    assert rgb(str(swatch)) == colours["truth", pairs[0][0]][0], "the graph has the colours of the pictures"


def is_large(table: sm.OverlapTable, row: int) -> bool:
    """Whether an overlap is at least 2 % of one of its segments, as the policy counts them."""
    shared = 50 * int(table.shared[row])
    pred = int(table.pred.sizes[table.row_pred[row]] - table.pred.void[table.row_pred[row]])
    return shared >= int(table.true.sizes[table.row_true[row]]) or shared >= pred


def hover(page: Page, title: str, row: int, column: int) -> None:
    box = page.locator(f'canvas[data-panel="{title}"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + (column + 0.5) * box["width"] / 48, box["y"] + (row + 0.5) * box["height"] / 36)


def test_what_is_pointed_at_is_shown_everywhere(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, viewport={"width": 1280, "height": 1400}, view="items")
    open_item(page, 3)
    wait_for_pictures(page, 3, run.settings.rule)
    page.locator("#item").scroll_into_view_if_needed()
    edge_rows(page)
    labels = TRUE[NAMES[3]].labels
    row, column = 20, 20
    segment = int(labels[row, column])
    table = run.table(NAMES[3])
    at = table.true.ids.tolist().index(segment)
    hover(page, "recall map", row, column)
    near = page.locator("#item tr.is-near")
    rows = [row for row in range(len(table)) if table.row_true[row] == at]
    kept = [row for row in rows if is_large(table, row)]
    assert len(kept) < len(rows), "of this segment some overlaps are folded"
    partners = table.row_pred[kept].tolist()
    assert sorted(int(edge.get_attribute("data-pred") or -1) for edge in near.all()) == sorted(partners)
    assert {edge.get_attribute("data-true") for edge in near.all()} == {str(at)}
    assert page.locator(f'#item .node.is-near[data-side=true][data-at="{at}"]').count() == 1
    assert page.locator("#item .edge.is-near").count() == len(partners)
    size = int(table.true.sizes[at])
    assert f" {segment}: " in page.locator("#item .description").inner_text()
    assert f"{size} pixels" in page.locator("#item .description").inner_text()
    framed = page.evaluate(
        """() => [...document.querySelectorAll("canvas.frame")].map((canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let open = 0;
            for (let at = 3; at < data.length; at += 4) if (data[at] !== 165) open++;
            return open;
        })"""
    )
    covered = sum(int(table.pred.sizes[p]) for p in partners)
    assert framed == [size, size, covered, size, covered]
    page.mouse.move(5, 5)
    assert page.locator("#item .is-near").count() == 0


def test_a_row_of_the_table_frames_its_pair(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, viewport={"width": 1280, "height": 1600}, view="items")
    open_item(page, 3)
    row = page.locator("#item tr[data-true]").first
    row.hover()
    t, p = row.get_attribute("data-true"), row.get_attribute("data-pred")
    edge = page.locator("#item .edge.is-near")
    assert (edge.get_attribute("data-true"), edge.get_attribute("data-pred")) == (t, p)


def test_matched_edges_are_solid_and_as_wide_as_what_they_share(
    scored: tuple[sm.Run, Path], open_report: OpenReport
) -> None:
    run, path = scored
    page = open_report(path, view="items")
    open_item(page, 3)
    page.locator("#item .unfold").click()
    alignment = sm.align(run.table(NAMES[3]), run.settings.rule, policy="coco")
    table = alignment.table
    maps = {
        (int(edge.get_attribute("data-true") or -1), int(edge.get_attribute("data-pred") or -1)): edge
        for edge in page.locator("#item .edge").all()
    }
    assert set(maps) == set(zip(table.row_true.tolist(), table.row_pred.tolist(), strict=True))
    solid = {pair for pair, edge in maps.items() if edge.get_attribute("stroke-dasharray") is None}
    assert solid == set(zip(alignment.at_true.tolist(), alignment.at_pred.tolist(), strict=True))
    most = int(table.shared.max())
    for pair, shared in zip(
        zip(table.row_true.tolist(), table.row_pred.tolist(), strict=True), table.shared, strict=True
    ):
        width = float(maps[pair].get_attribute("stroke-width") or 0)
        assert width == pytest.approx(max(0.75, int(shared) / most * 14), abs=0.006)


def test_the_graph_is_walked_with_the_keyboard(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    open_item(page, 2)
    page.locator("#item .node[tabindex='0']").focus()
    first = page.locator("#item .description").inner_text()
    page.keyboard.press("ArrowDown")
    second = page.locator("#item .description").inner_text()
    assert first.startswith("True ") and second.startswith("True ") and first != second
    page.keyboard.press("ArrowRight")
    assert page.locator("#item .description").inner_text().startswith("Predicted ")
    assert page.locator("#item .node:focus").get_attribute("data-side") == "pred"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#item .description").inner_text().startswith("True ")


def test_hostile_names_are_text(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    open_item(page, 0)
    assert page.locator("#item .item-name").text_content() == NAMES[0]
    assert page.locator("img").count() == 0


def test_the_numbers_of_an_item_are_pythons(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    for rule in RULES[:3]:
        choose_rule(page, rule)
        again = run.rescore(rule)
        for index, (_, scores) in enumerate(again.item_scores()):
            open_item(page, index)
            pq, sq, rq = (
                "–" if np.isnan(scores[key].value) else f"{scores[key].value:.4f}" for key in ("pq", "sq", "rq")
            )
            text = page.locator("#item .item-facts").inner_text()
            first, second = ("=", "×") if run.data.average == "segments" else ("·", "·")
            assert f"PQ {pq} {first} SQ {sq} {second} RQ {rq}" in text
            matched, missed, spurious = (int(scores[f"n_{word}"].value) for word in ("matched", "missed", "spurious"))
            assert f"{matched + missed} true, {matched + spurious} predicted, {matched} matched" in text
