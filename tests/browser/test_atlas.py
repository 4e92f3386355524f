"""The atlas of errors: every tile is an error that Python lists, with its cost; links, keys, verdicts, brush, files."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

import segmetry as sm
from tests.browser.conftest import OpenReport
from tests.browser.scenes import street_like
from tests.browser.using import wait_until
from tests.protocols.small_data_sets import small_data_set


def tiles(page: Page) -> list[str]:
    return page.locator("#atlas .error-tile").evaluate_all("(all) => all.map((tile) => tile.dataset.error)")


@pytest.fixture(scope="module")
def run() -> sm.Run:
    true, pred = ({f"scene {at}": one for at, one in enumerate(side.values())} for side in street_like())
    return sm.evaluate(true, pred, protocol="coco-panoptic")


@pytest.fixture(scope="module")
def report(run: sm.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("atlas")
    (folder / "images").mkdir()
    numbers = np.random.default_rng(1)
    for name in run.names:
        photograph = numbers.integers(0, 256, (36, 48, 3), dtype=np.uint8)
        Image.fromarray(photograph).save(folder / "images" / f"{name}.png")
    run.report(folder / "atlas.html", images=folder / "images")
    return folder / "atlas.html"


def opened(open_report: OpenReport, path: Path, **options: object) -> Page:
    page = open_report(path, view="errors", **options)
    page.wait_for_selector("#atlas .view[data-drawn]")
    return page


def test_a_number_of_the_contents_shows_its_errors_with_their_costs(
    run: sm.Run, report: Path, open_report: OpenReport
) -> None:
    page = opened(open_report, report)
    errors = run.errors()
    missed = [error for error in errors if error.kind == "missed"]
    assert page.locator("#pages [data-page=errors]").inner_text().split() == ["Errors", str(len(errors))]
    page.locator("#error-contents .cell[data-only='kind:missed']").click()
    assert tiles(page) == [f"{error.item}:{error.error}" for error in missed]
    shown = page.locator("#atlas .error-tile b").all_inner_texts()
    assert [float(cost.replace("−", "-")) for cost in shown] == pytest.approx([-one.cost for one in missed], abs=0.006)
    page.reload()
    page.wait_for_selector("#atlas .view[data-drawn]")
    assert len(tiles(page)) == len(missed), "the address keeps what is shown"
    page.get_by_role("button", name="size", exact=True).first.click()
    page.locator("#show-all").click()
    rows = page.locator(".atlas-row").evaluate_all("(all) => all.map((row) => row.dataset.row)")
    assert rows and all(name.split()[0] in ("under", "from") or " to " in name for name in rows)


def test_a_link_opens_the_error_and_keys_judge_it(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = opened(open_report, report)
    first, second = (f"{error.item}:{error.error}" for error in run.errors()[:2])
    page.evaluate("(address) => { location.hash = `view=errors&error=${encodeURIComponent(address)}`; }", first)
    page.reload()
    page.wait_for_selector("dialog#error[open]")
    wait_until(page, f"document.querySelector('#error').dataset.error === {first!r}")
    page.keyboard.press("2")
    wait_until(page, f"document.querySelector('#error').dataset.error === {second!r}")
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#error", state="hidden")
    assert "Of 2 errors judged, 1 is an error of the labels, 0 unclear" in page.locator(".atlas-triage").inner_text()
    page.reload()
    page.wait_for_selector(".atlas-triage .judged")
    assert "Of 2 errors judged" in page.locator(".atlas-triage").inner_text(), "kept in the browser"
    with page.expect_download() as download:
        page.locator("#verdicts-csv").click()
    path = report.parent / "verdicts.csv"
    download.value.save_as(path)
    after = run.rescore(verdicts=path)
    assert after.value() != run.value() and after.names == run.names
    tile = page.locator(f'.error-tile[data-error="{first}"]')
    assert tile.locator(".verdict").inner_text() == "label"
    tile.focus()
    page.keyboard.press("2")
    assert tile.locator(".verdict").count() == 0, "said again it is taken back"


def test_photographs_under_errors_are_grey_and_have_their_colours_on_demand(
    run: sm.Run, report: Path, open_report: OpenReport
) -> None:
    page = opened(open_report, report)
    error = next(error for error in run.errors() if error.kind == "missed")
    page.locator(f'.error-tile[data-error="{error.item}:{error.error}"]').first.click()
    page.wait_for_selector("dialog#error[open]")
    corner = (
        "() => { const c = document.querySelector('#error canvas'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; let most = 0; for (let at = 0; at < d.length; at += 4) "
        "if (Math.abs(d[at] - d[at + 1]) + Math.abs(d[at + 1] - d[at + 2]) > 12) most++; return most / d.length * 4; }"
    )
    page.wait_for_function("document.querySelector('#error').dataset.error")
    coloured = page.evaluate(corner)
    page.keyboard.press("p")
    wait_until(page, f"({corner})() > {coloured + 0.2}")


def test_dragging_selects_errors(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = opened(open_report, report)
    box = page.locator(".brush").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 50, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 90)
    page.mouse.up()
    page.wait_for_selector("#show-all")
    shown = set(tiles(page))
    costs = {f"{error.item}:{error.error}": error.cost for error in run.errors()}
    assert 0 < len(shown) < len(costs)
    assert min(costs[one] for one in shown) > 0.4 * max(costs.values())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_the_atlas_and_in_an_error(report: Path, open_report: OpenReport, theme: str) -> None:
    page = opened(open_report, report, color_scheme=theme)
    page.evaluate((files("axe_core_python") / "axe.min.js").read_text("utf-8") + "; undefined")
    for opens in (False, True):
        if opens:
            page.locator(".error-tile").first.click()
            page.wait_for_selector("dialog#error[open]")
        rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
        found = page.evaluate("(rules) => axe.run({ runOnly: rules }).then((result) => result.violations)", rules)
        assert [(one["id"], [node["html"][:150] for node in one["nodes"][:2]]) for one in found] == []


@pytest.mark.parametrize(
    "protocol",
    ["coco-instances", "semantic", "nnunet", "text", "ner", "diarization", "davis", "page-streams", "stardist"],
)
def test_errors_of_every_kind_of_item_have_a_picture(protocol: str, tmp_path: Path, open_report: OpenReport) -> None:
    run = sm.evaluate(*small_data_set(protocol), protocol=protocol)
    run.report(tmp_path / "page.html")
    page = opened(open_report, tmp_path / "page.html")
    assert set(tiles(page)) <= {f"{error.item}:{error.error}" for error in run.errors()}
    first = "[...document.querySelectorAll('.error-tile')].slice(0, 9)"
    wait_until(page, f"{first}.every((tile) => tile.querySelector('canvas[data-drawn]'))")
    colours = page.locator(".error-tile canvas").first.evaluate(
        "(c) => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"
    )
    assert colours > 2, "more than a ground"


def test_a_contact_sheet_is_white_with_captions(run: sm.Run, report: Path, open_report: OpenReport) -> None:
    page = opened(open_report, report)
    for kind in ("svg", "pdf"):
        with page.expect_download() as download:
            page.locator(f"[data-sheet={kind}]").click()
        content = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename.endswith(f"-errors.{kind}")
        if kind == "svg":
            text = content.decode()
            assert 'fill="#ffffff"' in text and "<a" not in text and text.count("<image") == min(48, len(run.errors()))
        else:
            assert content.startswith(b"%PDF-1.4") and content.count(b"/DCTDecode") == min(48, len(run.errors()))


def test_two_thousand_errors_need_less_than_four_megabytes(tmp_path: Path) -> None:
    numbers = np.random.default_rng(3)
    true, pred = {}, {}
    for at in range(100):
        labels = np.kron(np.arange(1, 31).reshape(5, 6), np.ones((24, 24), dtype=int))
        true[f"{at}"], pred[f"{at}"] = labels, np.where(numbers.random(31)[labels] < 0.5, 0, np.roll(labels, 2, 1))
    run = sm.evaluate(true, pred, protocol="stardist")
    assert len(run.errors()) >= 2000
    run.report(tmp_path / "many.html", maps="all")
    assert (tmp_path / "many.html").stat().st_size < 4_000_000


@pytest.mark.parametrize("protocol", ["diarization", "davis", "nnunet"])
def test_fields_without_matched_segments_fail_in_their_own_currency(
    protocol: str, tmp_path: Path, open_report: OpenReport
) -> None:
    run = sm.evaluate(*small_data_set(protocol), protocol=protocol)
    run.report(tmp_path / "page.html")
    page = open_report(tmp_path / "page.html")
    page.wait_for_selector("#cost-table tr")
    costs = [float(text.replace("−", "")) for text in page.locator("#cost-table td:nth-child(3)").all_inner_texts()]
    if protocol == "diarization":
        assert sum(costs) == pytest.approx(100 * float(run.value().value), abs=0.06)  # type: ignore[union-attr]
    card = page.locator("#cost-table").locator("xpath=ancestor::*[contains(@class, 'card')][1]").inner_text()
    assert "PQ" not in card
    error = run.errors()[0]
    page.evaluate("(item) => { location.hash = `item=${encodeURIComponent(item)}`; }", error.item)
    page.wait_for_selector(".own-errors li")
    words = page.locator("#item").inner_text()
    assert "partner" not in words.split("Overlaps as a graph")[0] and error.what in words
    assert page.locator("#item .lanes").count() == (protocol == "diarization")
    page.locator(".own-errors li button").first.click()
    page.wait_for_selector("dialog#error[open]")
    assert error.what in page.locator("#error-name").inner_text()


def test_a_drawing_is_saved_white_and_without_links_on_a_dark_page(report: Path, open_report: OpenReport) -> None:
    page = open_report(report, color_scheme="dark")
    page.locator("#first-screen .copy-menu, #first-screen summary").first.click()
    with page.expect_download() as download:
        page.get_by_text("SVG").first.click()
    text = Path(download.value.path()).read_text("utf-8")
    assert 'fill="#ffffff"' in text and "<a " not in text
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
