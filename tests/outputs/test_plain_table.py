"""Tables as Markdown and LaTeX: every cell comes through, and no name breaks out of its cell."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmetry._base.result_table import Table
from segmetry.outputs.tables.plain_table import PlainTable, as_latex, as_markdown, printed
from segmetry.outputs.tables.terminal_lines import terminal_lines

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


def table(names: list[str]) -> PlainTable:
    return PlainTable("t", ("name", "pq"), [(name, "0.5") for name in names], ["– no segments: pq_1"])


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
    grouped = PlainTable("t", ("", "pq"), [("a", "1"), ("b", "2"), ("c", "3")], ["why"], rules=frozenset({2}))
    assert as_latex(grouped).splitlines()[4:10] == [
        r"\midrule", r"a & 1 \\", r"b & 2 \\", r"\midrule", r"c & 3 \\", r"\bottomrule",
    ]  # fmt: skip
    assert as_latex(grouped).splitlines()[-1] == "% why" and as_markdown(grouped).splitlines()[-1] == "why"


def test_numbers_are_never_cut_and_long_names_are_broken_or_shortened() -> None:
    numbers = ["0.1234"] * 6
    heads = ["", *["by class\nIoU > 0.5"] * 6]
    for breaks in (True, False):
        wide = PlainTable("", heads, [["objects_and_parts_precision", *numbers]], breaks=breaks)
        lines = [line.text for line in terminal_lines(wide, 80)]
        text = "\n".join(lines)
        assert max(map(len, lines)) <= 80 and text.count("0.1234") == 6
        assert ("…" in text) != breaks


def test_the_values_of_a_table_are_those_before_they_were_formatted() -> None:
    scores = PlainTable(
        "", ("", "by item\nθ⁺"), [("pq", "0.3333"), ("sq", "–")], values=[["pq", 1 / 3], ["sq", float("nan")]]
    )
    assert list(scores.values_table()) == [{"metric": "pq", "by item θ⁺": 1 / 3}, {"metric": "sq", "by item θ⁺": None}]


def test_rows_of_results_are_printed_with_their_counts() -> None:
    rows = [{"item": "a", "n_elements": 12, "pq": 0.5, "n_matched": 3.0, "iou": None}]
    assert printed(Table("items", rows)).rows == [["a", "12", "0.5000", "3", "–"]]
