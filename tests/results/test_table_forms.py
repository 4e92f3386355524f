"""Tables as Markdown and LaTeX: every cell comes through, and no name breaks out of its cell."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from segmetry.protocols.protocol_cells import metric_cell
from segmetry.results.records import Table
from segmetry.results.render import as_latex, as_markdown, terminal_lines
from segmetry.results.result_table import Cell, ResultTable, Value

HOSTILE = [
    "a|b",
    "a & b",
    "50 %",
    "x_y",
    r"\input{secret}",
    "$1^2$",
    "#1",
    "~",
    "{",
    "}",
    "<script>",
    "[link](u)",
    "`x`",
]


def table(names: list[str]) -> ResultTable:
    return ResultTable("t", ("name", "pq"), [(name, "0.5") for name in names], ["– no segments: pq_1"])


def unescaped_cells(line: str) -> list[str]:
    """The cells of a line: a bar without a backslash separates them."""
    cells = re.findall(r"((?:\\.|[^\\|])*)\|", line.removeprefix("|"))
    return [re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_every_cell_of_markdown_comes_back(names: list[str]) -> None:
    head, rule, *lines = as_markdown(table(names)).splitlines()
    assert unescaped_cells(head) == ["name", "pq"] and rule == "|:--|--:|"
    assert [unescaped_cells(line) for line in lines[: len(names)]] == [[name, "0.5"] for name in names]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_is_a_command_of_latex(name: str) -> None:
    text = as_latex(table([name]))
    row = next(line for line in text.splitlines() if line.endswith(r"& 0.5 \\"))
    cell = row.removesuffix(r" & 0.5 \\")
    bare = re.sub(r"\\(textbackslash|textasciicircum|textasciitilde)\{\}|\\[{}$&#%_]|\{[\[\]]\}|\$[<>]\$", "", cell)
    assert not set(bare) & set("\\{}$&#%_^~"), bare
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1


def test_lines_separate_groups_and_notes_stay_below() -> None:
    grouped = ResultTable("t", ("", "pq"), [("a", "1"), ("b", "2"), ("c", "3")], ["why"], rules=frozenset({2}))
    assert as_latex(grouped).splitlines()[4:10] == [
        r"\midrule", r"a & 1 \\", r"b & 2 \\", r"\midrule", r"c & 3 \\", r"\bottomrule",
    ]  # fmt: skip
    assert as_latex(grouped).splitlines()[-1] == "% why" and as_markdown(grouped).splitlines()[-1] == "why"


def test_numbers_are_never_cut_and_long_names_are_broken_or_shortened() -> None:
    numbers = ["0.1234"] * 6
    heads = ["", *["by class\nIoU > 0.5"] * 6]
    for breaks in (True, False):
        wide = ResultTable("", heads, [["precision_of_objects_and_of_their_parts", *numbers]], breaks=breaks)
        lines = [line.text for line in terminal_lines(wide, 80)]
        text = "\n".join(lines)
        assert max(map(len, lines)) <= 80 and text.count("0.1234") == 6
        assert ("…" in text) != breaks


def test_files_have_all_digits() -> None:
    pq, sq = Value(metric_cell("pq"), 1 / 3), Value(metric_cell("sq"), float("nan"), "no pair")
    scores = ResultTable("", ("", "by item\nθ⁺"), [("pq", pq), ("sq", sq)])
    assert list(scores.records()) == [{"metric": "pq", "by item θ⁺": 1 / 3}, {"metric": "sq", "by item θ⁺": None}]
    assert scores.printed() == [["pq", "0.3333"], ["sq", "–"]]
    assert (scores["pq"], scores["sq"], scores.value("sq")) == (1 / 3, None, sq)


def test_every_form_has_every_number() -> None:
    scores = ResultTable("t", ("class", "PQ"), [("road", Value(metric_cell("pq"), 0.25)), ("sky", 3)])
    for form in ("terminal", "markdown", "latex", "html"):
        text = scores.to(form)  # type: ignore[arg-type]
        assert "0.2500" in text and "3" in text
    assert "0.25" in scores.to("csv") and '"values": [0.25]' in scores.to("json")
    assert scores.to("parquet")[:4] == b"PAR1"


def test_records_are_printed_with_their_counts() -> None:
    rows = [{"item": "a", "n_elements": 12, "pq": 0.5, "n_matched": 3.0, "iou": None}]
    cells = {key: metric_cell(key) for key in ("pq", "n_matched")}
    assert ResultTable.of_table(Table("items", rows), cells).printed() == [["a", "12", "0.5000", "3", "–"]]


def test_a_row_of_one_entry_is_a_heading() -> None:
    table = ResultTable("", ("metric", "PQ"), [("mean over all items of the data set",), ("a", 0.5)])
    lines = list(terminal_lines(table, 80))
    assert lines[2] == ("mean over all items of the data set", True) and lines[3].text == "a       0.5000"
    assert "| a | 0.5000 |" in as_markdown(table) and "items of the data set & " in as_latex(table)


def test_what_is_clearly_better_is_green() -> None:
    change = Value(metric_cell("pq"), 0.25, change=True, tone="better")
    table = ResultTable("", ("", "change"), [("a", change)])
    assert any("\x1b[32m+0.2500\x1b[0m" in line.text for line in terminal_lines(table, 80))
    assert "\x1b" not in str(table)


def test_the_example_of_text() -> None:
    assert Cell("PQ", "pq", "by_class", unit="percent", decimals=1).text(0.4567) == "45.7"
    assert Cell("PQ", "pq", "by_class").text(0.45182, ends=(0.37, 0.53)) == "0.452"
    assert Cell("missed", "n_missed", "pooled", unit="count").text(3.0) == "3"
