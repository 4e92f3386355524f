"""Small examples of internal functions in results/."""

from __future__ import annotations

import math

from segmetry.results.number_format import counted, number, p_value, percent, shortest, signed
from segmetry.results.records import _fitting_type, as_csv
from segmetry.results.render import _in_latex, as_html, as_latex, as_markdown, broken_name, cut_text, text_width
from segmetry.results.result_table import Cell, ResultTable


def test_the_example_of_number() -> None:
    assert (
        number(0.25),
        number(-0.00001),
        number(1250.25),
        number(3),
        number(1200),
        number(None),
        number(math.inf),
    ) == ("0.2500", "0.0000", "1,250.2", "3", "1,200", "–", "inf")
    assert (
        number(0.25, sign=True),
        number(-0.5, 3, sign=True),
        number(-0.00001, sign=True),
        number(1.0, 1, percent=True),
    ) == ("+0.2500", "-0.500", "0", "100.0")


def test_the_example_of_signed() -> None:
    assert (signed(0.25), signed(-1e-9)) == ("+0.2500", "0")


def test_the_example_of_percent() -> None:
    assert (percent(0.125), percent(None)) == ("12.5 %", "–")


def test_the_example_of_p_value() -> None:
    assert (p_value(0.03), p_value(0.00001), p_value(None)) == ("0.0300", "<1e-4", "–")


def test_the_example_of_shortest() -> None:
    assert (shortest(1 / 3), shortest(2.0), shortest(-0.0)) == ("0.333333", "2", "0")


def test_the_example_of_counted() -> None:
    assert (counted(1, "item"), counted(1200, "item")) == ("1 item", "1,200 items")


def test_the_example_of_fitting_type() -> None:
    assert (_fitting_type("integer", [1, None]), _fitting_type("integer", [2**64]), _fitting_type(None, [1, 0.5])) == (
        "integer",
        "text",
        "number",
    )


def test_the_example_of_as_csv() -> None:
    assert as_csv([{"item": "=1+1", "pq": -0.5}, {"item": "b", "pq": None}]).splitlines() == [
        "item,pq",
        "'=1+1,-0.5",
        "b,",
    ]


def test_the_example_of_broken_name() -> None:
    assert broken_name("variation_of_information", 16) == "variation_of_\n  information"


def test_the_example_ofcut_text() -> None:
    assert (cut_text("pedestrian", 6), cut_text("行人行人", 6), cut_text("road", 4)) == ("pedes…", "行人…", "road")


def test_the_example_of_text_width() -> None:
    assert (text_width("road"), text_width("行人"), text_width("é")) == (4, 4, 1)


def test_the_example_of_as_markdown() -> None:
    assert (
        str(as_markdown(ResultTable("", ("class", "PQ"), [("road_1", 0.5)], ["– no segments"])))
        == "| class | PQ |\n|:--|--:|\n| road\\_1 | 0.5000 |\n\n– no segments\n"
    )


def test_the_example_of_as_latex() -> None:
    assert as_latex(ResultTable("", ("class", "PQ"), [("road & rail", 0.5)])).splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"class & PQ \\",
        r"\midrule",
        r"road \& rail & 0.5000 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_the_example_of_as_html() -> None:
    assert (
        as_html(ResultTable("a < b", ("metric", "value"), [("pq", 0.5)]))
        == "<p>a &lt; b</p><table><tr><th>metric</th><th>value</th></tr><tr><td>pq</td><td>0.5000</td></tr></table>"
    )


def test_the_example_of_in_latex() -> None:
    assert str(_in_latex(r"50 % of a_b & \c^2")) == "50 \\% of a\\_b \\& \\textbackslash{}c\\textasciicircum{}2"


def test_the_example_of_cell_heading() -> None:
    assert Cell("HD95", "class_hausdorff95", "by_class_of_items", unit="mm").heading == "HD95 (mm)"


def test_the_example_of_cell_words() -> None:
    assert Cell("Dice", "dice", "by_class_of_items", of="foreground mean").words == "Dice (foreground mean)"


def test_the_example_of_cell_span() -> None:
    assert Cell("PQ", "pq", "by_class", unit="percent", decimals=1).span((-0.012, 0.25), sign=True) == "-1.2 to +25.0"
