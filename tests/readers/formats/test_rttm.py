"""RTTM: turns of speakers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import OptionError, SegmetryError
from tests.readers.samples import plain, read_text_as

REST = "<NA> <NA>"


def turn(file: str, start: str, duration: str, speaker: str, channel: str = "1", kind: str = "SPEAKER") -> str:
    return f"{kind} {file} {channel} {start} {duration} {REST} {speaker} {REST}\n"


def test_a_recording_is_an_item(tmp_path: Path) -> None:
    text = (
        ";; note\n"
        + turn("b", "0.5", "1.25", "ann")
        + turn("a", "0", "1", "bob")
        + turn("b", "2", ".5".rjust(3, "0"), "bob")
    )
    first, second = read_text_as(tmp_path, None, text)
    assert (first.name, plain(first), first.tick) == ("b", ([(50, 175), (200, 250)], 250), Fraction(1, 100))
    assert (second.name, plain(second), second.spans.classes) == ("a", ([(0, 100)], 100), {1: "bob"})


def test_sums_are_exact(tmp_path: Path) -> None:
    """0.1 + 0.2 is 0.3: turns that touch do not overlap."""
    (item,) = read_text_as(tmp_path, None, turn("a", "0.1", "0.2", "x") + turn("a", "0.3", "0.1", "x"))
    assert plain(item) == ([(1, 3), (3, 4)], 4)


def test_channels_are_items_of_their_own(tmp_path: Path) -> None:
    found = read_text_as(tmp_path, None, turn("a", "0", "2", "x") + turn("a", "1", "2", "y", channel="2"))
    assert [item.name for item in found] == ["a/1", "a/2"]


def test_one_type_of_lines_is_chosen(tmp_path: Path) -> None:
    text = (
        turn("a", "0", "2", "x")
        + turn("a", "0", "1", "w", kind="LEXEME")
        + f"SPKR-INFO a 1 {REST} {REST[:4]} unknown x <NA>\n"
    )
    with pytest.raises(OptionError, match="contains lines of the types LEXEME, SPEAKER; choose one with --tier"):
        read_text_as(tmp_path, None, text)
    (item,) = read_text_as(tmp_path, None, text, tier="LEXEME")
    assert plain(item) == ([(0, 1)], 1)
    with pytest.raises(OptionError, match="no lines of the type 'SU'"):
        read_text_as(tmp_path, None, text, tier="SU")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (turn("a", "0", "2", "x") + turn("a", "1", "2", "y"), "line 2: the span from 1 to 3 overlaps"),
        (turn("a", "0", "x", "x"), "line 1, column 15: 'x' is not a number"),
        (turn("a", "0", "0", "x"), "line 1: the span from 0 to 0 is empty"),
        ("SPEAKER a 1 0 1\n", "line 1: 5 fields; expected 8 to 10"),
        ("TURN a 1 0 1 x x x\n", "line 1, column 1: 'TURN' is not an RTTM type"),
        (turn("../a", "0", "1", "x"), "line 1: the item, '../a', leads out of its folder"),
        (";; nothing\n", "contains no line with a start and a duration"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "rttm", text)
