"""The report of detections: AP by class and size, precision over recall; nothing of an alignment."""

from __future__ import annotations

import base64
import math
import re
from html import escape, unescape
from xml.etree import ElementTree as ET

import pytest

import segmetry as sm
from segmetry.report.item_pictures import pixels_of
from segmetry.report.page import render
from segmetry.report.sections import ABOUT_SEGMENTS
from tests.report.detection_runs import CLASSES, scored_masks
from tests.report.test_semantic_section import page_data


def section(page: str, key: str = "detections") -> str:
    start = page.index(f'<section id="{key}"')
    return page[start : page.index("</section>", start)]


def sections(page: str) -> list[str]:
    return re.findall(r'<section id="(\w+)"', page)


def absent(page: str) -> set[str]:
    """The views that the page leaves out."""
    return set(page_data(page)["absent"])


def table_after(part: str, heading: str) -> list[list[str]]:
    table = part[part.index("<table>", part.index(heading)) :]
    rows = table[table.index("<tbody>") : table.index("</tbody>")].split("</tr>")[:-1]
    return [[unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row)] for row in rows]


@pytest.mark.parametrize("protocol", ["coco-instances", "lvis"])
def test_values_by_class_and_size_are_those_of_the_run(protocol: str) -> None:
    run = sm.evaluate(*scored_masks(), protocol=protocol)
    part = section(render([run], maps="none"))
    rows = table_after(part, "lowest AP first")
    table = run.protocol_table(classes=True)
    assert table is not None and len(rows) == 3
    wanted = {
        name: ["–" if math.isnan(cell.value) else f"{cell.value:.3f}" for cell in cells if cell]
        for name, *cells in table.rows
    }
    assert {name: cells for name, *cells in rows} == wanted
    assert [row[1] for row in rows] == sorted(row[1] for row in rows)
    lines = table_after(part, "<table>")
    assert lines[0][1] == f"{float(run.summary().scores['average_precision']['by_class'] or -1):.3f}"


def test_curves_by_class_and_size_state_the_ap_of_python() -> None:
    run = sm.evaluate(*scored_masks(), protocol="coco-instances")
    part = section(render([run], maps="none"))
    pictures = [base64.b64decode(text).decode() for text in re.findall(r'base64,([^"]+)"', part)]
    titles = [ET.fromstring(picture).findtext("{*}title") for picture in pictures]  # noqa: S314
    assert titles[:3] == [
        "precision over recall, mean over classes",
        "classes of lowest AP, mean over thresholds",
        "precision over recall by size",
    ]
    assert len(pictures) == 6
    for size in ("small", "medium"):
        curves = sm.recall_curves(run, size=size)
        assert f"{size}: AP {curves.precision.mean():.3f}" in pictures[2]
        for name, precision in zip(curves.names, curves.precision, strict=True):
            (own,) = (
                picture
                for title, picture in zip(titles[3:], pictures[3:], strict=True)
                if (title or "")[1:4] == str(name)[1:4]
            )
            assert f"{size}: AP {precision.mean():.3f}" in own


def test_names_are_inert() -> None:
    part = section(render([sm.evaluate(*scored_masks(), protocol="coco-instances")], maps="none"))
    assert "<b>" not in part and "<script" not in part and "onerror=alert(1)>" not in part
    assert escape(CLASSES[1]) in part and not re.search(r"\son\w+=|\sstyle=", part.replace(" onerror=alert(1)", ""))


@pytest.mark.parametrize("resolve", [None, "by_score"])
def test_the_places_of_masks_are_those_of_the_columns(resolve: str | None) -> None:
    true, pred = scored_masks()
    run = sm.evaluate(true, pred, metrics="average_precision", resolve=resolve)
    for index, header in pixels_of(run).headers.items():
        table = run.tables_together.table(index)
        columns = run.data.source("average_precision").statistics
        for side, key, sizes in (("true", "true_area", table.true.sizes), ("pred", "area", table.pred.sizes)):
            areas = columns.columns[key][columns.item_of(key) == index].tolist()
            assert areas == [int(sizes[at]) for at in header["places"][side]]


def test_sections_about_an_alignment_appear_only_with_its_metrics() -> None:
    pages = [
        render([sm.evaluate(*scored_masks(), metrics=metrics, resolve="assign")], maps="none")
        for metrics in ("average_precision", "average_precision,pq", "pq")
    ]
    assert absent(pages[0]) == ABOUT_SEGMENTS and absent(pages[1]) == absent(pages[2]) == set()
    keys = [sections(page) for page in pages]
    assert keys[0][0] == keys[1][0] == "detections"
    assert "detections" not in keys[2]


def test_without_true_masks_there_are_no_curves() -> None:
    true, pred = scored_masks()
    empty = {name: sm.Masks.from_dense(masks.dense()[:0], classes=[]) for name, masks in true.items()}
    part = section(render([sm.evaluate(empty, pred, protocol="coco-instances")], maps="none"))
    assert "<img" not in part and "Precision over recall" not in part


@pytest.mark.slow
def test_several_runs_are_shown_one_after_the_other() -> None:
    true, pred = scored_masks()
    runs = [sm.evaluate(true, other, protocol="coco-instances") for other in (pred, scored_masks(5)[1])]
    assert section(render(runs, maps="none")).count("Precision over recall</h3>") == 2
