"""Times as exact numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from segmetry.errors import FormatError
from segmetry.readers.parts.span_rows import in_ticks, is_number, parse_time, time_text
from segmetry.segmentation.seconds import common_tick

TIMES = st.decimals(0, 10**6, places=6).map(lambda time: time.normalize())


@given(st.lists(TIMES, min_size=1, max_size=6))
def test_the_common_tick_is_the_coarsest_that_is_exact(times: list[Decimal]) -> None:
    found = [parse_time(f"{time:f}", "time") for time in times]
    tick = common_tick(found)
    ticks = [in_ticks(time, tick) for time in found]
    assert [position * tick for position in ticks] == [Fraction(time) for time in times]
    assert tick == 1 or any(position % 10 for position in ticks), "ten times the tick would do"
    assert [parse_time(time_text(position, tick), "time") for position in ticks] == found


@pytest.mark.parametrize("text", ["", "x", "1,5", "0x1", "1_0", "٣", " 1", "inf", "nan", "--1", "1" * 31, "1e100"])
def test_what_is_not_a_number_is_rejected(text: str) -> None:
    with pytest.raises(FormatError, match=r"place: .* is not a number"):
        parse_time(text, "place")


@pytest.mark.parametrize("text", ["1e30", "9" * 25])
def test_what_cannot_be_counted_is_rejected(text: str) -> None:
    with pytest.raises(FormatError, match=r"place: .* is out of range"):
        parse_time(text, "place")


def test_a_third_of_a_second_cannot_be_written() -> None:
    with pytest.raises(FormatError, match="no finite decimal"):
        time_text(1, Fraction(1, 3))
    assert time_text(3, Fraction(1, 3)) == "1"


def test_the_example_of_parse_time() -> None:
    assert (parse_time("0.1", "example"), parse_time("2.50", "example")) == (Fraction(1, 10), Fraction(5, 2))


def test_the_example_of_is_number() -> None:
    assert (is_number("0.25"), is_number("nan")) == (True, False)


def test_the_example_of_in_ticks() -> None:
    assert in_ticks(Fraction(3, 10), Fraction(1, 100)) == 30
