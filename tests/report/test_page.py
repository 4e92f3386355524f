"""What Python writes: a page that stands alone, data that are safe in it, formulas for every metric."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.metrics.declare import METRICS
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.head import about, filter_facts, item_words, plural, title_of
from segmetry.report.metric_data import declarations, formula_tree
from segmetry.report.overview_data import headline_facts, headline_interval, other_errors, overview_facts, symbol
from segmetry.report.page import render, write_report
from segmetry.report.page_data import report_data

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\u202e"


@pytest.fixture(scope="module")
def run() -> sm.Run:
    true, pred = {HOSTILE: [[1, 1, 2]], "b": [[1, 1, 1]]}, {HOSTILE: [[1, 2, 2]], "b": [[1, 1, 0]]}
    return sm.evaluate(true, pred, metrics="pq,sq")


def test_the_policy_names_the_script_and_the_style_by_their_hashes(run: sm.Run) -> None:
    page = render([run])
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    (module,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for text in (module, style):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy


def test_names_cannot_leave_their_block(run: sm.Run) -> None:
    page = render([run], title=HOSTILE)
    assert HOSTILE not in page and "<img" not in page and "\u2028" not in page.partition("<script")[2]
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(block)["runs"][0]["items"] == [HOSTILE, "b"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([0, 255]), "u1"),
        (np.array([0, 256]), "u2"),
        (np.array([2**16]), "u4"),
        (np.array([2**53 - 1]), "f8"),
        (np.array([-1, 3]), "f8"),
        (np.array([2**53]), "i8"),
        (np.array([2**63], dtype=np.uint64), "u8"),
        (np.array([0.5]), "f8"),
        (np.array([], dtype=np.int64), "u1"),
    ],
)
def test_columns_keep_every_value(values: np.ndarray, kind: str) -> None:
    columns = ColumnBlock()
    columns.add("before", np.array([7]))
    columns.add("it", values)
    content = zlib.decompress(base64.b64decode(columns.packed()), wbits=-15)
    stored_kind, at, length = columns.directory["it"]
    assert stored_kind == kind and at % 8 == 0
    assert np.frombuffer(content, f"<{kind}", length, at).tolist() == values.tolist()


@pytest.mark.parametrize("key", METRICS)
def test_every_formula_is_a_tree(key: str) -> None:
    (declared,) = declarations([key])
    assert declared["formula"][:2] == ["math", {"display": "block"}] and len(declared["formula"]) > 2


@pytest.mark.parametrize("latex", [r"\unknown{x}", r"\frac{", r"\begin{cases}", "a & b < c", ""])
def test_a_formula_that_cannot_be_converted_is_shown_as_its_source(latex: str) -> None:
    assert formula_tree(latex, "block") == latex


def test_a_report_is_written_whole_or_not_at_all(run: sm.Run, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no folder"):
        run.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(InputError, match="no run to report"):
        write_report([], tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
    run.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8") == render([run])


def test_classes_are_called_what_the_data_set_calls_them(coco_panoptic: Path) -> None:
    sides = (coco_panoptic / name for name in ("truth.json", "pred.json"))
    data, _ = report_data([sm.evaluate(*sides, metrics="pq")], maps="none")
    assert {"car", "person", "tree"} < set(data["runs"][0]["classes"])


def test_the_example_of_title_of() -> None:
    assert title_of([], ["baseline", "ours"]) == "baseline, ours"


def test_a_report_is_named_after_its_prediction(coco_panoptic: Path, tmp_path: Path) -> None:
    run = sm.evaluate(*(coco_panoptic / name for name in ("truth.json", "pred.json")), metrics="pq")
    data, _ = report_data([run], maps="none")
    assert data["title"] == "pred" and "against truth.json" in data["about"]
    run.report(tmp_path / "named.html", maps="none", title="fern")
    assert "<title>fern</title>" in (tmp_path / "named.html").read_text("utf-8")


def test_the_example_of_about() -> None:
    import segmetry as sm

    assert about([sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")])[0] == "1 item"


def test_the_example_of_item_words() -> None:
    import segmetry as sm

    line = {"a": sm.Spans.from_masses([2, 3])}
    assert item_words(sm.evaluate(line, line, protocol="page-streams")) == {"item": "stream", "segment": "document"}


def test_the_example_of_plural() -> None:
    assert (plural("stream"), plural("entity"), plural("series")) == ("streams", "entities", "series")


def test_the_example_of_filter_facts() -> None:
    from segmetry.run.part_rows import ByItem

    assert filter_facts(["a", "b"], [ByItem("tissue", {"a": "liver", "b": 7})])["groups"] == {"tissue": ["liver", "7"]}


def test_the_example_of_formula_tree() -> None:
    assert formula_tree(r"\mathrm{IoU}", "inline") == [
        "math",
        {"display": "inline"},
        ["mrow", {}, ["mrow", {}, ["mi", {}, "IoU"]]],
    ]
    assert formula_tree(r"\unknown{x}", "inline") == "\\unknown{x}"


def test_the_example_of_overview_facts() -> None:
    import segmetry as sm

    true, pred = ({"a": sm.LabelArray([labels], classes={1: "car", 2: "sky"})} for labels in ([1, 1, 2], [1, 1, 0]))
    from segmetry.report.analysis_data import BEING_COMPUTED

    facts = overview_facts(sm.evaluate(true, pred, metrics="pq"), ColumnBlock(), BEING_COMPUTED["headline"])
    assert (facts["classes"], facts["headline"]["problem"]) == (
        [("sky", 0.0), ("car", 1.0)],
        "the interval is being computed",
    )


def test_the_example_of_headline_facts() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, metrics="pq")
    facts = headline_facts(run, ColumnBlock(), headline_interval(run))
    assert (facts["name"], facts["average"], facts["value"], facts["protocol"]) == ("PQ", "by_item", 0.5, None)


def test_the_example_of_headline_interval() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, metrics="pq")
    assert headline_interval(run)["problem"] == "2 items are too few"


def test_the_example_of_symbol() -> None:
    assert (symbol("pq"), symbol("mean_iou")) == ("PQ", "mIoU")


def test_the_example_of_other_errors() -> None:
    import segmetry as sm

    true, pred = ({"a": sm.LabelArray.from_classes([labels])} for labels in ([1, 1, 2, 2], [1, 2, 2, 2]))
    facts = other_errors(sm.evaluate(true, pred, metrics="mean_iou"))
    assert [(row["name"], row["count"], round(row["gain"], 4)) for row in facts["rows"]] == [
        ("1 predicted as 2", 1, 0.4167)
    ]
