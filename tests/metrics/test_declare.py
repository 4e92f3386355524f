"""A declaration states what is special; the other facts follow from where and how the function is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from segmetry.errors import OptionError
from segmetry.metrics.declare import LAST, METRICS, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.table import OverlapTable

FACTS: dict[str, Any] = {"symbol": "D", "family": "mine", "formula": "1", "summary": "One.", "citation": "In print."}


@pytest.fixture(autouse=True)
def forget_what_is_declared() -> Iterator[None]:
    list(METRICS)
    before = METRICS.snapshot()
    yield
    METRICS.restore(before)


def of_table(table: OverlapTable) -> Score:
    return Score.number("of_table", 1.0)


def of_anything(subject: Any) -> Score:
    return Score.number("of_anything", 1.0)


def untyped(subject):  # type: ignore[no-untyped-def]
    return Score.number("untyped", 1.0)


def test_facts_that_are_not_stated_have_defaults() -> None:
    declared = metric(**FACTS)(of_table)
    assert (declared.needs, declared.bounds, declared.better, declared.value_if_equal) == ("table", (0, 1), "higher", 1)
    assert (declared.symmetric, declared.pooled, declared.order) == (False, False, LAST)
    assert (declared.citation, declared.aliases) == (("In print.",), {})


def test_a_type_that_is_not_postponed_says_what_is_needed() -> None:
    def evaluated(table: Any) -> Score:
        return of_table(table)

    evaluated.__annotations__["table"] = OverlapTable
    assert metric(**FACTS)(evaluated).needs == "table"


def test_stated_facts_override_what_follows() -> None:
    assert metric(**FACTS, needs="inputs")(of_table).needs == "inputs"


@pytest.mark.parametrize(("function", "found"), [(of_anything, "the type Any"), (untyped, "without a type")])
def test_needs_is_asked_for_where_no_type_says_it(function: Callable[..., Score], found: str) -> None:
    with pytest.raises(OptionError, match=f"{found}.*; pass needs=…"):
        metric(**FACTS)(function)
    assert metric(**FACTS, needs="table")(function).needs == "table"


def test_a_family_is_asked_for_outside_of_the_package() -> None:
    stated = {name: fact for name, fact in FACTS.items() if name != "family"}
    with pytest.raises(OptionError, match="'of_table' is declared without a family; pass family=…"):
        metric(**stated)(of_table)


def test_the_symbol_is_the_left_side_of_the_formula_unless_stated() -> None:
    stated = {name: fact for name, fact in FACTS.items() if name != "symbol"}
    with pytest.raises(OptionError, match=r"the formula of 'of_table' has no left side `… = `; state symbol=…"):
        metric(**stated)(of_table)
    declared = metric(**{**stated, "formula": r"\mathrm{D}_2 = a / b"})(of_table)
    assert declared.symbol == r"\mathrm{D}_2"


def test_a_metric_comes_after_the_one_declared_before_it() -> None:
    first, second = metric(**FACTS, order=30)(of_table), metric(**FACTS, needs="table")(of_anything)
    assert (first.order, second.order) == (30, 31)


@pytest.mark.parametrize("name", ["sumary", "key"])
def test_a_misspelled_fact_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(TypeError, match=f"'{name}'"):
        metric(**FACTS, **{name: "One."})(of_table)


def test_the_symbol_is_the_left_side_of_the_formula() -> None:
    assert METRICS["youden_index"].symbol == "J"
    facts = {name: fact for name, fact in FACTS.items() if name != "symbol"}
    with pytest.raises(OptionError, match=re.escape("the formula of 'of_table' has no left side")):
        metric(**{**facts, "formula": "a+b"})(of_table)


def test_a_missing_fact_is_an_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'formula'"):
        metric(**{name: fact for name, fact in FACTS.items() if name != "formula"})(of_table)
