"""Volumes by slices, videos by frames, masks that overlap: the same pixels as Python's maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.panoptic.precision_recall_maps import Maps
from segmetry.outputs.plots.map_images import TRANSPARENT, colours_of
from segmetry.report.item_pictures import worst_first
from segmetry.report.page import write_report
from tests.browser import scenes
from tests.browser.conftest import OpenReport
from tests.browser.using import choose_rule, open_item, pixels, wait_for_pictures


def painted(maps: Maps, title: str) -> np.ndarray:
    side = maps.true_values if title == "recall map" else maps.pred_values
    return side.painted(colours_of(side.values, side.above, maps.alpha), TRANSPARENT)


@pytest.mark.parametrize("metrics", ["pq", "pq,stq"])
def test_a_volume_has_slices_and_a_video_frames(tmp_path: Path, open_report: OpenReport, metrics: str) -> None:
    true, pred = scenes.volumes()
    if metrics == "pq":
        true, pred = ({"brain": sm.LabelArray(np.moveaxis(side["brain"].labels, 0, 2))} for side in (true, pred))
    run = sm.evaluate(true, pred, metrics=metrics)
    run.report(tmp_path / "volume.html")
    page = open_report(tmp_path / "volume.html", view="items")
    open_item(page, 0)
    word = "slice" if metrics == "pq" else "frame"
    slider = page.get_by_role("slider", name=word)
    maps = sm.maps(true["brain"], pred["brain"])
    for plane in (0, 5, 8):
        slider.fill(str(plane))
        wait_for_pictures(page, 0, "theta_plus", plane)
        assert page.locator("#item .slices output").inner_text() == f"{word} {plane + 1} of 9"
        for title in ("recall map", "precision map"):
            wanted = painted(maps, title)
            assert np.array_equal(pixels(page, title), wanted[:, :, plane] if metrics == "pq" else wanted[plane])
    slider.focus()
    page.keyboard.press("ArrowLeft")
    wait_for_pictures(page, 0, "theta_plus", 7)


def test_of_masks_that_overlap_the_best_is_on_top(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = scenes.overlapping()
    run = sm.evaluate(true, pred, resolve="keep", metrics="pq")
    run.report(tmp_path / "masks.html")
    page = open_report(tmp_path / "masks.html", view="items")
    for rule in ("theta_and", "theta_plus", "iou(above=1/5)"):
        choose_rule(page, rule)
        open_item(page, 0)
        wait_for_pictures(page, 0, rule)
        maps = sm.maps(true["cells"], pred["cells"], rule=rule)
        for title in ("recall map", "precision map"):
            assert np.array_equal(pixels(page, title), painted(maps, title))


def test_a_report_without_its_inputs_says_why(tmp_path: Path, open_report: OpenReport) -> None:
    for side in ("t", "p"):
        np.save(tmp_path / f"{side}.npy", np.array([[1, 1, 2]]))
    sm.evaluate(tmp_path / "t.npy", tmp_path / "p.npy", out=tmp_path / "run.segm", metrics="pq")
    (tmp_path / "p.npy").unlink()
    with sm.Run.open(tmp_path / "run.segm") as run, pytest.warns(sm.errors.DataWarning, match="not there any more"):
        run.report(tmp_path / "report.html")
    page = open_report(tmp_path / "report.html", view="items")
    open_item(page, 0)
    assert "p.npy is not there any more" in page.locator("#item .pictures").inner_text()
    assert page.locator("#item .edges tbody tr").count() == 2


def test_sets_have_numbers_only(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = sm.Sets({1: {"x", "y"}, 2: {"z"}}), sm.Sets({1: {"x"}, 7: {"z", "y"}})
    sm.evaluate({"a": true}, {"a": pred}, metrics="pq").report(tmp_path / "sets.html")
    page = open_report(tmp_path / "sets.html", view="items")
    open_item(page, 0)
    assert "no picture of segments of this kind" in page.locator("#item .pictures").inner_text()
    assert page.locator("#item .edges tbody tr").count() == 3


def test_maps_of_a_huge_run_are_as_exact(
    tmp_path: Path, open_report: OpenReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, pred = scenes.street_like(3)
    run = sm.evaluate(true, pred, metrics="pq")
    monkeypatch.setattr("segmetry.report.page_data.MOST_ROWS", 10)
    run.report(tmp_path / "huge.html", maps=1)
    page = open_report(tmp_path / "huge.html", view="items")
    index = worst_first(run)[0]
    open_item(page, index)
    wait_for_pictures(page, index, "theta_plus")
    name = run.names[index]
    maps = sm.maps(true[name], pred[name])
    assert np.array_equal(pixels(page, "precision map"), painted(maps, "precision map"))
    assert page.locator("#item .table-box").inner_text().count("of such a large run") == 0
    page.keyboard.press("j")
    assert page.locator("#item .table-box").inner_text().count("of such a large run") == 1


def test_every_run_has_its_own_pictures(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = scenes.street_like(2)
    runs = []
    for name, prediction in (("first", pred), ("second", true)):
        sm.evaluate(true, prediction, metrics="pq", out=tmp_path / f"{name}.segm")
        runs.append(sm.Run.open(tmp_path / f"{name}.segm"))
    write_report(runs, tmp_path / "both.html", true=true, pred=[pred, true])
    page = open_report(tmp_path / "both.html", view="items")
    for at, (run, prediction) in enumerate(zip(runs, (pred, true), strict=True)):
        page.select_option("#run", str(at))
        page.wait_for_selector("html[data-ready]")  # until then the pictures of the run before may still be there
        index = worst_first(run)[0]
        open_item(page, index)
        wait_for_pictures(page, index, "theta_plus")
        maps = sm.maps(true[run.names[index]], prediction[run.names[index]])
        shown, wanted = pixels(page, "precision map"), painted(maps, "precision map")
        counted = ~np.isnan(maps.precision)
        assert np.array_equal(shown[counted], wanted[counted])
