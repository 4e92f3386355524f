"""Each field in its own words: class maps, volumes, videos, entities; what changes between two runs; confidence."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import nibabel
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

import segmetry as sm
from segmetry.metrics import j_values, object_frames
from segmetry.report.page import write_report
from tests.browser.conftest import OpenReport
from tests.browser.scenes import street_like
from tests.browser.using import wait_until
from tests.protocols.small_data_sets import small_data_set

NAMES = {1: "road", 2: "car", 3: "sky"}


def class_maps(seed: int = 2) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    numbers = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        blocks = numbers.integers(1, 4, (4, 4, 4)), numbers.integers(1, 4, (4, 4, 4))
        sides.append({f"scene {at}": np.kron(block, np.ones((6, 6), dtype=int)) for at, block in enumerate(blocks[0])})
    true = sides[0]
    pred = {name: np.where(numbers.random(labels.shape) < 0.7, labels, sides[1][name]) for name, labels in true.items()}
    return tuple({name: sm.LabelArray.from_classes(one) for name, one in side.items()} for side in (true, pred))


def page_data(path: Path) -> dict:
    data = re.search(r'id="data">(.*?)</script>', path.read_text("utf-8"))
    assert data is not None
    return json.loads(data[1])


def number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def rows(page: Page, table: str) -> dict[str, list[str]]:
    cells = "(all) => all.map((row) => [...row.cells].map((cell) => cell.innerText))"
    return {row[0]: row[1:] for row in page.locator(f"{table} tbody tr").evaluate_all(cells)}


def test_classes_and_their_matrix_are_those_of_the_elements(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = class_maps()
    run = sm.evaluate(true, pred, protocol="semantic", class_names=NAMES)
    run.report(tmp_path / "maps.html")
    page = open_report(tmp_path / "maps.html", view="classes")
    both = (
        np.concatenate([one.labels.ravel() for one in true.values()]),
        np.concatenate([one.labels.ravel() for one in pred.values()]),
    )
    listed = rows(page, "#map-classes")
    for code, name in NAMES.items():
        ours, theirs = both[0] == code, both[1] == code
        shared = int((ours & theirs).sum())
        cells = listed[name]
        assert number(cells[0]) == pytest.approx(100 * shared / (ours | theirs).sum(), abs=0.006)
        assert number(cells[2]) == pytest.approx(200 * shared / (ours.sum() + theirs.sum()), abs=0.006)
        assert [number(cells[at]) for at in (3, 4)] == [ours.sum(), theirs.sum()]
    assert run.summary().parts[1]["mean_iou"].usual.value == pytest.approx(number(listed["road"][0]) / 100, abs=6e-5)
    for first, name in NAMES.items():
        for second, other in NAMES.items():
            share = 100 * ((both[0] == first) & (both[1] == second)).sum() / (both[0] == first).sum()
            cell = page.locator(f'#class-matrix tr[data-true="{name}"] td[data-pred="{other}"]')
            assert number(cell.inner_text().removesuffix(" %")) == pytest.approx(share, abs=0.51)
            assert cell.evaluate("(cell) => cell.style.getPropertyValue('--heat') !== ''") == (first != second)
    page.locator('#class-matrix tr[data-true="road"] td[data-pred="car"] button').click()
    page.wait_for_selector("#atlas .error-tile")
    asked = [error for error in run.errors() if (error.true_class, error.pred_class) == ("road", "car")]
    assert page.locator("#atlas .error-tile").count() == min(120, len(asked)) > 0
    text = page.evaluate("document.body.innerText")
    assert "partner" not in text


def test_a_filter_changes_the_classes(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = class_maps()
    sm.evaluate(true, pred, protocol="semantic", class_names=NAMES).report(tmp_path / "maps.html")
    page = open_report(tmp_path / "maps.html", view="classes&items=1")
    ours, theirs = true["scene 1"].labels == 2, pred["scene 1"].labels == 2
    shown = number(rows(page, "#map-classes")["car"][0])
    assert shown == pytest.approx(100 * (ours & theirs).sum() / (ours | theirs).sum(), abs=0.006)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two CT cases whose third axis points to the head, with their scans."""
    folder = tmp_path_factory.mktemp("cases")
    numbers = np.random.default_rng(4)
    for at in range(2):
        true = np.zeros((20, 16, 8), dtype=np.uint8)
        true[4:12, 3:11, 2:6] = 1
        true[13:17, 4:8, 3:5] = 2
        pred = np.roll(true, 1, 0)
        pred[4:12, 3:11, 4] = 2 - at
        scan = np.where(true > 0, 60, -900) + numbers.integers(-20, 20, true.shape)
        for kind, voxels in (("true", true), ("pred", pred), ("scans", scan.astype(np.int16))):
            (folder / kind).mkdir(exist_ok=True)
            end = "_0000" if kind == "scans" else ""
            image = nibabel.Nifti1Image(voxels, np.diag([2.0, 2.0, 5.0, 1.0]))
            nibabel.save(image, folder / kind / f"c{at}{end}.nii.gz")
    return folder


def test_a_volume_has_its_scan_named_planes_and_a_curve(cases: Path, tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(cases / "true", cases / "pred", protocol="nnunet")
    run.report(tmp_path / "cases.html", images=cases / "scans")
    page = open_report(tmp_path / "cases.html", view="items&item=c0")
    page.wait_for_selector("#item .curve-slider")
    true, pred = (np.asarray(nibabel.load(cases / side / "c0.nii.gz").dataobj) for side in ("true", "pred"))
    wrong = true != pred
    assert page.get_by_label("cut along").locator("option").all_inner_texts() == ["axial", "sagittal", "coronal"]
    for at, axis in enumerate((2, 0, 1)):
        if at:
            page.get_by_label("cut along").select_option(index=at)
        worst = int(wrong.sum(axis=tuple({0, 1, 2} - {axis})).argmax())
        page.wait_for_function(
            "(wanted) => document.querySelector('#item .slices output').innerText.startsWith(wanted)",
            arg=f"slice {worst + 1} of {true.shape[axis]}",
        )
        assert page.locator("#item .curve-slider").get_attribute("data-points") == str(true.shape[axis])
    before = page.locator("#item .slices output").inner_text()
    page.locator("#item").focus()
    page.keyboard.press(".")
    page.wait_for_function("(old) => document.querySelector('#item .slices output').innerText !== old", arg=before)
    assert "partner" not in page.locator("#item").inner_text()
    data = page_data(tmp_path / "cases.html")
    scans = data["runs"][0]["scans"]["0"]
    worst = [f"{axis}:{int(wrong.sum(axis=tuple({0, 1, 2} - {axis})).argmax())}" for axis in range(3)]
    assert set(worst) <= set(scans), "a cut of the scan at the worst slice of every axis"


def test_planes_of_an_oblique_volume_have_no_names(cases: Path, tmp_path: Path) -> None:
    turned = np.array([[1.4, 1.4, 0, 0], [-1.4, 1.4, 0, 0], [0, 0, 5, 0], [0, 0, 0, 1]])
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        for name in ("c0", "c1"):
            voxels = np.asarray(nibabel.load(cases / side / f"{name}.nii.gz").dataobj)
            nibabel.save(nibabel.Nifti1Image(voxels, turned), tmp_path / side / f"{name}.nii.gz")
    sm.evaluate(tmp_path / "true", tmp_path / "pred", protocol="nnunet").report(tmp_path / "both.html")
    assert page_data(tmp_path / "both.html")["runs"][0]["maps"]["0"]["names"] == [None, None, "axial"]


def test_a_video_has_j_over_its_frames_and_strips(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = small_data_set("davis")
    run = sm.evaluate(true, pred, protocol="davis")
    run.report(tmp_path / "video.html")
    page = open_report(tmp_path / "video.html")
    assert page.locator("#where-it-fails .j-button").count() == min(5, len(run.names))
    name = run.names[0]
    data = page_data(tmp_path / "video.html")
    objects = data["runs"][0]["maps"]["0"]["objects"]
    shown = [[s / u if u else 1.0 for s, u in zip(one["shared"], one["union"], strict=True)] for one in objects]
    sides = run.loaders[name]()
    wanted = j_values(object_frames(*sides))
    assert np.allclose(np.array(shown)[:, 1:-1], wanted), "the first and the last frame do not count"
    page.locator("#where-it-fails .j-button").first.click()
    page.wait_for_selector("#item .curve-slider .j-line")
    assert page.locator("#item .curve-slider").get_attribute("data-points") == str(len(objects[0]["union"]))
    if run.errors():
        page.goto("about:blank")
        page = open_report(tmp_path / "video.html", view="errors")
        wait_until(page, "document.querySelector('.error-tile canvas[data-drawn]')")
        ratio = page.locator(".error-tile canvas").first.evaluate("(canvas) => canvas.width / canvas.height")
        assert ratio == 3


def test_entities_are_marked_in_their_sentence(tmp_path: Path, open_report: OpenReport) -> None:
    true = "Ann B-PER\nsaw O\nOslo B-LOC\nand O\nNew B-LOC\nYork I-LOC\n\nno O\nentity O\n"
    pred = "Ann B-ORG\nsaw O\nOslo B-LOC\nand B-ORG\nNew O\nYork B-LOC\n\nno O\nentity O\n"
    for name, text in (("true", true), ("pred", pred)):
        (tmp_path / f"{name}.conll").write_text(text)
    run = sm.evaluate(tmp_path / "true.conll", tmp_path / "pred.conll", protocol="ner")
    run.report(tmp_path / "ner.html")
    page = open_report(tmp_path / "ner.html", view="items&item=1")
    page.wait_for_selector("#item .marked")
    marks = page.locator("#item .marked").evaluate_all(
        "(all) => all.map((mark) => [mark.dataset.kind, ...[...mark.children].map((part) => part.innerText)])"
    )
    assert ["right", "Oslo", "LOC"] in marks
    listed = {error.what: error.kind for error in run.errors() if error.item == "1"}
    assert {(label, kind) for kind, _, label in marks if kind != "right"} == set(listed.items())
    assert page.locator("#item .marked-text").inner_text().split()[0] == "Ann"
    assert page.locator("#item tr[data-type=LOC]").inner_text().split("\t")[1:] == ["1 of 2", "1 of 2"]
    page.locator("#item button.marked").first.click()
    page.wait_for_selector("dialog#error[open]")


def moved_right(side: sm.LabelArray) -> sm.LabelArray:
    return side.with_labels(np.roll(side.labels, 4, axis=1))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[sm.Run], Path]:
    true, first = street_like()
    second = {name: moved_right(one) if at % 2 else one for at, (name, one) in enumerate(first.items())}
    folder = tmp_path_factory.mktemp("two")
    runs = [sm.evaluate(true, pred, protocol="coco-panoptic") for pred in (first, second)]
    write_report(runs, folder / "two.html", names=["first", "second"])
    return runs, folder / "two.html"


def test_errors_of_two_runs_are_fixed_new_or_remain(two: tuple[list[sm.Run], Path], open_report: OpenReport) -> None:
    (first, second), path = two
    page = open_report(path, view="errors&against=second")
    page.wait_for_selector("#atlas .view[data-drawn]")

    def touched(error: sm.diagnosis.RunError, others: list[sm.diagnosis.RunError], same_kind: bool) -> bool:
        return any(
            error.item == other.item
            and (not same_kind or error.kind == other.kind)
            and set(error.true_ids) & set(other.true_ids)
            for other in others
        )

    before, after = ([error for error in run.errors() if error.kind != "boundary"] for run in (first, second))
    on_truth = [error for error in before if error.true_ids]
    wanted = {
        "remaining": sum(touched(error, after, True) for error in on_truth),
        "fixed": sum(not touched(error, after, False) for error in on_truth),
    }
    fates = page_data(path)["fates"][0]
    digits = {(error.item, error.error): fates["before"][at] for at, error in enumerate(first.errors())}
    for name, digit in (("remaining", "2"), ("fixed", "0")):
        assert sum(digits[error.item, error.error] == digit for error in on_truth) == wanted[name]
    counts = {
        card.get_attribute("data-fate"): int(card.locator(".fate-count").inner_text().split()[0])
        for card in page.locator("[data-fate]").all()
    }
    assert counts["fixed"] == fates["before"].count("0") and counts["new"] == fates["after"].count("3")
    assert counts["remaining"] == fates["before"].count("2")
    names = page.locator(".atlas-row").evaluate_all("(all) => all.map((row) => row.dataset.row.split(' ')[1])")
    assert names == [name for name in ("fixed", "new", "remaining", "changed") if counts.get(name)]
    page.locator("[data-fate=remaining] .cell").first.click()
    wait_until(page, "location.hash.includes('fate')")
    assert page.locator(".atlas-row").count() == 1
    page.locator(".error-tile").first.click()
    page.wait_for_selector("dialog#error[open]")


def test_what_is_drawn_is_in_the_address(two: tuple[list[sm.Run], Path], open_report: OpenReport) -> None:
    (first, _), path = two
    page = open_report(path, view=f"items&item={quote(first.names[0])}")
    page.wait_for_selector("#item canvas.large[data-drawn]")
    page.get_by_label("show", exact=True).select_option("truth")
    page.get_by_label("swipe against").select_option(label="second")
    page.get_by_label("side by side").check()
    page.locator(".class-boxes summary").click()
    page.locator(".class-boxes input").first.uncheck()
    page.wait_for_selector("#item .run-names bdi")
    page.reload()
    page.wait_for_selector("#item .run-names bdi")
    assert page.get_by_label("show", exact=True).input_value() == "truth"
    assert page.get_by_label("side by side").is_checked()
    assert page.locator(".class-boxes input:not(:checked)").count() == 1


def test_the_confidence_with_the_best_f1_is_proposed(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = small_data_set("coco-instances")
    run = sm.evaluate(true, pred, protocol="coco-instances")
    run.report(tmp_path / "detections.html")
    page = open_report(tmp_path / "detections.html", view="thresholds")

    def reading(name: str) -> float:
        return number(page.locator(f'#confidence-view [data-reading="{name}"]').inner_text())

    points = int(page.locator("#confidence").get_attribute("max") or 0)
    seen = []
    for place in range(points + 1):
        page.locator("#confidence").fill(str(place))
        found, wrong, all_true = (reading(name) for name in ("found", "wrong", "true"))
        assert reading("F1") == pytest.approx(2 * found / (found + wrong + all_true), abs=6e-5)
        seen.append(reading("F1"))
    page.locator("#best-confidence").click()
    assert reading("F1") == max(seen)
    assert "conf=" in page.evaluate("location.hash") or reading("F1") == seen[0]
    page.locator("#confidence").fill("0")
    errors = [error for error in run.errors() if error.kind not in ("missed", "localisation") or error.pred_ids]
    assert reading("wrong") >= len({(e.item, e.pred_ids) for e in errors if e.pred_ids and e.kind == "background"})


@pytest.mark.parametrize("protocol", ["semantic", "nnunet", "davis", "ner", "diarization", "text", "coco-instances"])
def test_every_field_has_the_same_nine_pages_and_no_foreign_words(
    protocol: str, tmp_path: Path, open_report: OpenReport
) -> None:
    sm.evaluate(*small_data_set(protocol), protocol=protocol).report(tmp_path / "page.html")
    page = open_report(tmp_path / "page.html")
    pages = page.locator("#pages a").evaluate_all("(all) => all.map((link) => link.dataset.page)")
    assert pages == ["overview", "items", "classes", "errors", "thresholds", "compare", "trust", "metrics", "method"]
    for name in pages:
        page.locator(f"#pages [data-page={name}]").click()
        page.wait_for_selector("html[data-ready]")
        assert page.locator(f"#page-{name}").inner_text().strip()
    page.locator("#pages [data-page=overview]").click()
    if protocol in ("semantic", "nnunet", "davis", "ner", "diarization"):
        assert "partner" not in page.locator("#page-overview").inner_text()
    assert all(text.strip() for text in page.locator("#first-screen .card").all_inner_texts()), "no empty card"


def test_thumbnails_of_texts_show_the_boundaries_that_one_side_has(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = ({"a": sm.Spans.from_masses(masses)} for masses in ([5, 5, 10], [10, 10]))
    sm.evaluate(true, pred, protocol="text").report(tmp_path / "text.html")
    page = open_report(tmp_path / "text.html", view="items")
    wait_until(page, "document.querySelector('#gallery .thumb canvas')")
    column = "(c) => [...c.getContext('2d').getImageData(80, 6, 1, 1).data].slice(0, 3)"
    red, green, blue = page.locator("#gallery .thumb canvas").evaluate(column)
    assert red > 150 and blue < 90, "the missed boundary after a quarter is a line above the truth"


def test_photographs_are_grey_under_errors(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = ({"scene": next(iter(side.values()))} for side in street_like(1))
    Image.new("RGB", (48, 36), (20, 200, 40)).save(tmp_path / "scene.png")
    sm.evaluate(true, pred, metrics="pq").report(tmp_path / "page.html", images=tmp_path)
    page = open_report(tmp_path / "page.html", view="items")
    wait_until(page, "document.querySelector('#gallery .thumb canvas')")
    greenest = page.locator("#gallery .thumb canvas").first.evaluate(
        "(c) => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let most = 0;"
        " for (let at = 0; at < d.length; at += 4) if (Math.abs(d[at] - d[at + 2]) < 3) most++;"
        " return most / (d.length / 4); }"
    )
    assert greenest > 0.1, "what is right is grey"


def test_parts_of_the_data_set_are_compared_and_filter(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = class_maps()
    run = sm.evaluate(true, pred, protocol="semantic", class_names=NAMES)
    by = sm.ByItem("light", {name: "day" if at % 2 else "night" for at, name in enumerate(true)})
    run.report(tmp_path / "parts.html", by=[by])
    page = open_report(tmp_path / "parts.html", view="items")
    listed = rows(page, ".subsets")
    for row in run.parts(by):
        assert number(listed[row["light"]][1]) == pytest.approx(100 * row["mean_iou"], abs=0.006)
    page.locator(".subsets tr[data-label=night] button").click()
    wait_until(page, "location.hash.includes('by.light=night')")
    assert page.locator("#gallery .tile").count() == 2


def test_one_page_is_printed_and_the_head_of_a_phone_is_low(tmp_path: Path, open_report: OpenReport) -> None:
    true, pred = street_like()
    sm.evaluate(true, pred, protocol="coco-panoptic").report(tmp_path / "page.html")
    for view, most in (("overview", 1), ("errors", 2)):
        page = open_report(tmp_path / "page.html", view=view)
        content = page.pdf(format="A4")
        assert len(re.findall(rb"/Type\s*/Page[^s]", content)) <= most
        phone = open_report(tmp_path / "page.html", view=view, viewport={"width": 390, "height": 844})
        place = "#run-sentence" if view == "overview" else ".atlas-sentence .lead"
        box = phone.locator(place).bounding_box()
        assert box is not None and box["y"] < 200
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_pages_of_fields(
    theme: str, cases: Path, two: tuple[list[sm.Run], Path], tmp_path: Path, open_report: OpenReport
) -> None:
    sm.evaluate(cases / "true", cases / "pred", protocol="nnunet").report(tmp_path / "cases.html")
    detections = small_data_set("coco-instances")
    sm.evaluate(*detections, protocol="coco-instances").report(tmp_path / "detections.html")
    opened = (
        (tmp_path / "cases.html", "overview", "#first-screen .card"),
        (tmp_path / "cases.html", "classes", "#class-matrix"),
        (tmp_path / "cases.html", "items&item=c0", "#item .curve-slider"),
        (tmp_path / "detections.html", "thresholds", "#confidence"),
        (two[1], "errors&against=second", "[data-fate]"),
    )
    for path, view, selector in opened:
        page = open_report(path, view=view, color_scheme=theme)
        page.wait_for_selector(selector)
        page.evaluate((files("axe_core_python") / "axe.min.js").read_text("utf-8") + "; undefined")
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
        found = page.evaluate("(rules) => axe.run({ runOnly: rules }).then((result) => result.violations)", rules)
        assert [(view, one["id"], [node["html"][:150] for node in one["nodes"][:2]]) for one in found] == []
