"""Tables on a terminal: drawn as rich draws them, except that a narrow terminal never costs a digit."""

from __future__ import annotations

from hypothesis import given, strategies as st
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from segmetry.results.render import terminal_lines
from segmetry.results.result_table import ResultTable

CELLS = st.text("aZ09_-–θ⁺行é", min_size=1, max_size=6)
HEADINGS = st.lists(st.text("aZ09_θ⁺行", max_size=6), min_size=1, max_size=3).map("\n".join)


def test_headings_are_escaped_as_rows_are() -> None:
    table = ResultTable("a\x1b[2J", ["b\x1b[2J", "PQ"], [["c\x1b[2J", "1"]])
    assert not any("\x1b" in line.text for line in terminal_lines(table, 80))


@st.composite
def tables(draw: st.DrawFn) -> ResultTable:
    n = draw(st.integers(1, 8))
    names = st.lists(st.text("abc_行", min_size=1, max_size=6), min_size=1, max_size=2).map("\n".join)
    row = st.tuples(names, *[CELLS] * (n - 1))
    rows = draw(st.lists(row, min_size=1, max_size=5))
    texts = frozenset({0, *draw(st.sets(st.integers(0, n - 1)))})
    headings = draw(st.one_of(st.just([""] * n), st.lists(HEADINGS, min_size=n, max_size=n)))
    rules = frozenset(draw(st.sets(st.integers(1, 4))))
    return ResultTable("", headings, rows, texts=texts, rules=rules, has_headings=draw(st.booleans()))


def lines_by_rich(table: ResultTable) -> list[str]:
    """The table as rich draws it in a line of its own for each row."""
    gap = 1 if len(table.headings) <= 5 else 0
    shows = any(table.headings) and table.has_headings
    drawn = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, show_edge=False, show_header=shows)
    for at, heading in enumerate(table.headings):
        drawn.add_column(Text(heading), justify="left" if at in table.texts else "right", no_wrap=True)
    for at, row in enumerate(table.rows):
        drawn.add_row(*map(Text, row), end_section=at + 1 in table.rules and at + 1 < len(table.rows))
    console = Console(width=1000)
    with console.capture() as capture:
        console.print(drawn)
    return [line.rstrip() for line in capture.get().splitlines()]


def texts(table: ResultTable, width: int) -> list[str]:
    return [line.text for line in terminal_lines(table, width)]


@given(tables())
def test_a_table_is_drawn_as_rich_draws_it(table: ResultTable) -> None:
    assert texts(table, 1000) == lines_by_rich(table)


@given(tables(), st.integers(1, 60))
def test_a_narrow_terminal_shortens_names_and_never_numbers(table: ResultTable, width: int) -> None:
    lines = "\n".join(texts(table, width))
    for row in table.rows:
        for at, cell in enumerate(map(str, row)):
            assert at in table.texts or all(part in lines for part in cell.split("\n"))
    if "…" not in lines:
        assert lines == "\n".join(texts(table, 1000))


def test_the_title_and_the_headings_are_headings() -> None:
    table = ResultTable("title", ("", "a\nb"), [("x", "1")])
    assert [line.is_heading for line in terminal_lines(table, 80)] == [True, True, True, False, False]


def test_the_widest_names_are_shortened_first() -> None:
    table = ResultTable("", ("", "n", ""), [("a" * 20, "7", "b" * 10)], texts=frozenset({0, 2}), has_headings=False)
    assert texts(table, 20) == ["aaaaaa…  7  bbbbbbb…"]
    assert texts(table, 4) == ["aa…  7  bb…"]


def test_what_a_terminal_would_act_upon_is_shown_as_it_is_written() -> None:
    table = ResultTable("t\x1b[2J", ("", "pq"), [("a\x1b]0;b\x07", "1")])
    text = "".join(texts(table, 80))
    assert text.isprintable() and "\\x1b[2J" in text and "\\x1b]0;b\\x07" in text
