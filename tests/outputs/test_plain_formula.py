"""Formulas in plain text: every metric has one, nothing of LaTeX is left, nothing unknown is let through."""

from __future__ import annotations

import pytest

from segmetry.errors import InputError
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.plain_formula import _lowered, _raised, _whole, _without_size, plain_formula

DECLARED = {f"{key} {word}": getattr(metric, word) for key, metric in METRICS.items() for word in ("formula", "symbol")}


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_nothing_of_latex_is_left(name: str) -> None:
    latex = DECLARED[name]
    text = plain_formula(latex)
    assert "\\" not in text and "\t" not in text and "  " not in text and text == text.strip()
    # Braces that are left are those of sets; parentheses and brackets are closed.
    assert (text.count("{"), text.count("}")) == (latex.count(r"\{"), latex.count(r"\}"))
    for opening, closing in ("()", "[]", "{}"):
        assert text.count(opening) == text.count(closing)
    assert text.count("|") == latex.count("|") + latex.count(r"\mid")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{a+b}{c}", "(a + b) / c"),
        (r"\frac{a}{b}\frac{d}{|e|}", "a/b · d/|e|"),
        (r"\frac{|t|+|h|}{|t||h|}", "(|t| + |h|) / (|t||h|)"),
        (r"\frac{|\{a : b\}|+|\{c : d\}|}{n}", "(|{a : b}| + |{c : d}|) / n"),
        (r"\frac{\frac{a}{b}}{\sqrt{(c+d)(e+f)}}", "(a/b) / √((c + d)(e + f))"),
        (r"\frac{2(a-1)}{f(x,y-1)}", "2(a − 1) / f(x,y−1)"),
        (r"2\frac{a}{b}-\frac12c", "2 · a/b − ½c"),
        (r"\sum_{i=0}^{n-1}x_i\sum_t\max_{h\in H}|t\cap h|", "Σ[i=0…n−1] xᵢ Σₜ max[h∈H] |t∩h|"),
        (r"\log_2\frac{a}{b}", "log₂(a/b)"),
        (r"\int_\alpha^1 F(t)\,dt", "∫[α…1] F(t) dt"),
        (r"r_c r_{c'}+P_{\mathrm{ab}\,c}", "r_c r_c′ + P[ab c]"),
        (r"x_d^2, y^{k+1}, z^{a-b}", "x_d², yᵏ⁺¹, z^(a−b)"),
        (r"\Bigl|\frac{1}{|t|}\sum_{a\in t}a\Bigr|", "|1/|t| · Σ[a∈t] a|"),
        (r"\begin{cases}a & b\ \text{is new}\\ c & d\end{cases}", "(a if b is new; c if d)"),
        (r"[\,\text{one-to-one}\,]", "[one-to-one]"),
        (r"a=1,\quad b=2", "a = 1,\nb = 2"),
        (r"\binom n2", "(n choose 2)"),
        (r"1{:}1", "1:1"),
    ],
)
def test_worked_examples(latex: str, text: str) -> None:
    assert plain_formula(latex) == text


@pytest.mark.parametrize("latex", [r"a\prod b", r"\mathfrak{A}", r"\frac{a}{b", r"\frac{a}", "a~b", "a)", "a}", r"\!"])
def test_what_is_unknown_or_torn_is_rejected(latex: str) -> None:
    with pytest.raises(InputError) as refused:
        plain_formula(latex)
    assert repr(latex) in str(refused.value)


def test_the_example_of_without_size() -> None:
    assert (_without_size(r"\Big("), _without_size(r"\Bigl|"), _without_size(r"\sum")) == ("(", "\\left|", "\\sum")


def test_the_example_of_whole() -> None:
    assert (_whole("|TP|"), _whole("|t||h|"), _whole("1 − α")) == ("|TP|", "(|t||h|)", "(1 − α)")


def test_the_example_of_lowered() -> None:
    assert (_lowered("11"), _lowered("split"), _lowered("t∈T"), _lowered("")) == ("₁₁", "_split", "[t∈T]", "")


def test_the_example_of_raised() -> None:
    assert (_raised("2"), _raised("π"), _raised("")) == ("²", "^π", "")
