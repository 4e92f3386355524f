"""The gallery has Python's order under every rule, and is walked with the keyboard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

import segmetry as sm
from segmetry.errors import DataWarning
from segmetry.outputs.plots.budget_plot import COLOURS
from segmetry.outputs.plots.picture import rgb
from segmetry.report.item_pictures import worst_first
from tests.browser import scenes
from tests.browser.conftest import OpenReport
from tests.browser.using import RULES, choose_rule

TRUE, PRED = scenes.street_like(30)
TRUE["nothing"] = PRED["nothing"] = sm.LabelArray(np.zeros((4, 4), dtype=int), classes={})


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[sm.Run, Path]:
    run = sm.evaluate(TRUE, PRED, metrics="panoptic")
    path = tmp_path_factory.mktemp("report") / "gallery.html"
    run.report(path, maps=28)
    return run, path


def shown(page: Page) -> list[int]:
    return page.evaluate("[...document.querySelectorAll('#gallery .tile')].map((tile) => Number(tile.dataset.item))")


def test_the_order_is_pythons(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    assert "the 28 worst items (--maps all keeps every one)" in page.locator(".gallery-more").inner_text()
    assert shown(page) == worst_first(run)[:24]
    page.get_by_role("button", name="show 7 more").click()
    for rule in RULES:
        choose_rule(page, rule)
        assert shown(page) == worst_first(run.rescore(rule))
        values = page.locator("#gallery .value").all_inner_texts()
        by_item = [row["pq"] for row in run.rescore(rule).items()]
        wanted = [by_item[index] for index in worst_first(run.rescore(rule))]
        assert values == [f"PQ {'–' if value is None else format(value, '.4f')}" for value in wanted]
    assert shown(page)[-1] == 30


def test_a_thumbnail_shows_what_is_wrong(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    worst = worst_first(run)[0]
    canvas = page.locator(f'#gallery .tile[data-item="{worst}"] canvas')
    canvas.wait_for()
    values = canvas.evaluate(
        "(canvas) => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data)"
    )
    shown = np.array(values, dtype=np.uint8).reshape(36, 48, 4)
    name = run.names[worst]
    alignment = sm.align(run.table(name), run.settings.rule)
    true, pred = TRUE[name].labels, PRED[name].labels
    pairs = zip(
        alignment.table.true.ids[alignment.at_true].tolist(),
        alignment.table.pred.ids[alignment.at_pred].tolist(),
        strict=True,
    )
    right = np.zeros(true.shape, dtype=bool)
    for t, p in pairs:
        right |= (true == t) & (pred == p)
    known = true != 200
    assert ((shown[..., :3] == (213, 235, 227)).all(axis=-1)[known] == right[known]).all()
    kinds = {rgb(colour) for colour in COLOURS.values()}
    assert {tuple(pixel[:3]) for pixel in shown[known & ~right].tolist()} <= kinds
    words = page.locator(f'#gallery .tile[data-item="{worst}"] .counts').inner_text()
    assert any(word in words for word in ("missed", "split", "wrong class", "merged"))


def test_tiles_and_items_are_walked_with_the_keyboard(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    order = worst_first(run)
    page.locator("#gallery .tile[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    item = page.locator("#item .view")
    assert item.get_attribute("data-item") == str(order[1])
    assert page.locator("#gallery .tile[aria-current=true]").get_attribute("data-item") == str(order[1])
    walked = []
    for key in "jjjkj":
        page.keyboard.press(key)
        walked.append(int(item.get_attribute("data-item") or -1))
    assert walked == [order[at] for at in (2, 3, 4, 3, 4)]
    assert page.locator("#item .item-facts").inner_text().endswith("5 of 31, worst first")
    page.locator("#item [data-step='-1']").click()
    assert item.get_attribute("data-item") == str(order[3])


def test_items_without_pictures_say_why(scored: tuple[sm.Run, Path], open_report: OpenReport) -> None:
    run, path = scored
    page = open_report(path, view="items")
    page.get_by_role("button", name="show 7 more").click()
    best = worst_first(run)[29]
    page.locator(f'#gallery .tile[data-item="{best}"]').click()
    words = "pictures are kept of the 28 worst items"
    assert words in page.locator("#item .pictures").inner_text()
    assert page.locator("#item .edges tbody tr").count() > 0
    assert words in page.locator("#gallery .gallery-more").inner_text()


def test_without_pictures_the_page_says_how_to_get_them(tmp_path: Path, open_report: OpenReport) -> None:
    labels = {"a": np.array([[1, 1, 2]])}
    for side in ("true", "pred"):
        np.savez(tmp_path / f"{side}.npz", **labels)
    sm.evaluate(tmp_path / "true.npz", tmp_path / "pred.npz", metrics="pq", out=tmp_path / "files.segm").close()
    sm.evaluate(labels, labels, metrics="pq", out=tmp_path / "objects.segm").close()
    (tmp_path / "true.npz").unlink()
    pages = {name: tmp_path / f"{name}.html" for name in ("files", "objects", "none", "sets")}
    with sm.Run.open(tmp_path / "files.segm") as run, pytest.warns(DataWarning, match="is not there any more"):
        run.report(pages["files"])
    with sm.Run.open(tmp_path / "objects.segm") as run:
        run.report(pages["objects"])
        run.report(pages["none"], maps="none")
    sets = {"a": sm.Sets({1: {"x", "y"}})}
    sm.evaluate(sets, sets, metrics="pq").report(pages["sets"])
    for name, words in (
        ("files", "--true and --pred say where they are"),
        ("objects", "pass them again: run.report(…, true=…, pred=…)"),
        ("none", "--maps all, or --maps N, draws them"),
        ("sets", "there is no picture of segments of this kind"),
    ):
        page = open_report(pages[name], view="items")
        assert words in page.locator("#gallery-note").inner_text()
        page.keyboard.press("j")
        assert words in page.locator("#item .pictures").inner_text()
        assert "Coloured where" not in page.locator("#gallery").inner_text()
