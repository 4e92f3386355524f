"""Spans in CSV and TSV, half-open or closed as the columns say."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import FormatError, OptionError, SegmetryError
from tests.readers.samples import plain, read_text_as


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("start,stop\n0,5\n6,8\n", {}),
        ("start\tstop\r\n6\t8\r\n0\t5\r\n", {}),
        ("start,last\n0,4\n6,7\n", {}),
        ("start,end\n0,5\n6,8\n", {"ends": "half-open"}),
        ("start,end\n0,4\n6,7\n", {"ends": "closed"}),
        ("start,stop,n\n0,5,8\n6,8,8\n", {}),
        ("\ufeffSTART , Stop\n0,5\n\n6,8\n", {}),
        ('start,stop\n"0","5"\n6,8', {}),
    ],
)
def test_ends_are_what_the_columns_say(text: str, options: dict[str, str], tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, text, "talk.csv", **options)
    assert (item.name, plain(item)) == ("talk", ([(0, 5), (6, 8)], 8))
    assert item.spans.classes is None


def test_items_coders_lengths_and_classes(tmp_path: Path) -> None:
    text = "item,coder,n,start,stop,class\nb,x,9,0,2,p\na,x,4,,,\nb,y,9,3,4,q\n"
    found = read_text_as(tmp_path, None, text, coder="*")
    assert [(item.name, item.coder, *plain(item)) for item in found] == [
        ("b", "x", [(0, 2)], 9),
        ("a", "x", [], 4),
        ("b", "y", [(3, 4)], 9),
    ]
    assert [item.spans.classes for item in found] == [{1: "p"}, {}, {1: "q"}]


def test_decimals_make_ticks_for_the_whole_file(tmp_path: Path) -> None:
    first, second = read_text_as(tmp_path, None, "item,start,stop\na,0.10,0.3\nb,0,1.250\n")
    assert first.tick == second.tick == Fraction(1, 100)
    assert plain(first) == ([(10, 30)], 30)
    (rounded,) = read_text_as(tmp_path, None, "start,stop\n0,0.25\n0.25,0.6\n", tick=Fraction(1, 10))
    assert plain(rounded) == ([(0, 2), (2, 6)], 6), "half to even"


def test_the_length_may_be_given(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "start,stop\n0,5\n", length=Fraction(7))
    assert (plain(item), item.open_end) == (([(0, 5)], 7), False)
    (item,) = read_text_as(tmp_path, None, "start,stop\n0,5\n")
    assert item.open_end
    with pytest.raises(OptionError, match="states the length of its line; omit --length"):
        read_text_as(tmp_path, None, "start,stop,n\n0,5,5\n", length=Fraction(7))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "start,end\n0,5\n",
            "line 2: 'end' may be the last element or the one after it; pass --ends closed or half-open",
        ),
        ("start,stop\n0,5\n4,8\n", "line 3: the span from 4 to 8 overlaps the one before it"),
        ("start,stop\n5,5\n", "line 2: the span from 5 to 5 is empty"),
        ("start,stop\n-1,5\n", "line 2: the span from -1 to 5 starts before 0"),
        ("start,stop,n\n0,5,4\n", "line 2: the span from 0 to 5 ends after the line, whose length is 4"),
        ("start,stop,n\n0,1,4\n2,3,5\n", "line 3: the length is 5; before it was 4"),
        ("start,stop\n0,x\n", "line 2, column 'stop': 'x' is not a number"),
        ("start,stop\n0,nan\n", "line 2, column 'stop': 'nan' is not a number"),
        ("start,stop\n0,1e99\n", "line 2, column 'stop': '1e99' is out of range"),
        ("start,stop\n0,\n", "line 2: 'stop' is empty"),
        ("start,stop\n0\n", "line 2: 1 cells; the header has 2 columns"),
        ("start,stop,stop\n0,1,1\n", "line 1, column 3: the column 'stop' occurs twice"),
        ("start,stop,clas\n0,1,x\n", "line 1, column 3: unknown column 'clas'; known: item"),
        ("start,stop,last\n0,1,1\n", "expected 'start' and one of"),
        ("start,last\n0,1.5\n", "closed ends are elements"),
        ("start,stop,class\n0,1,x\n2,3,\n", "line 3: the span has no class, but others have"),
        ("start,stop,class\n0,1,\x1b[2J\n", "line 2: the class, .* contains a control character"),
        ("item,start,stop\n/etc/passwd,0,1\n", "line 2: the item, '/etc/passwd', leads out of its folder"),
        ("start,stop\n0,4000000000\n", "more than the budget"),
        ('start,stop\n"0,5\n', "line 2: unexpected end of data"),
        ("start,stop\n", "contains no spans"),
        (b"start,stop\n0,\xff\n", "line 2, column 3: byte 0xff is not UTF-8"),
        ("start,stop\n0,\0\n", "line 2, column 3: a NUL character"),
        ("item,n,start,stop\na,,,\n", "the item has no spans and no length"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "spans", text)


def test_ends_that_contradict_the_columns(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="the column 'stop' is half-open; omit --ends closed"):
        read_text_as(tmp_path, None, "start,stop\n0,5\n", ends="closed")


def test_a_span_may_vanish_in_coarse_ticks(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 3: the span from 1\.1 to 1\.2 is empty in ticks of 1"):
        read_text_as(tmp_path, None, "start,stop\n0,1.1\n1.1,1.2\n", tick=Fraction(1))
