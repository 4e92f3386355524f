"""RTTM: turns of speakers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import OptionError, SegmetryError
from segmetry.segmentation.time_intervals import TimeIntervals
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
    with pytest.raises(OptionError, match="contains lines of the types 'LEXEME', 'SPEAKER'; choose one with --tier"):
        read_text_as(tmp_path, None, text)
    (item,) = read_text_as(tmp_path, None, text, tier="LEXEME")
    assert plain(item) == ([(0, 1)], 1)
    with pytest.raises(OptionError, match="no lines of the type 'SU'"):
        read_text_as(tmp_path, None, text, tier="SU")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (turn("a", "0", "x", "x"), "line 1, column 15: 'x' is not a number"),
        ("SPEAKER a 1 0 1\n", "line 1: 5 fields; expected 8 to 10"),
        ("TURN a 1 0 1 x x x\n", "line 1, column 1: 'TURN' is not an RTTM type"),
        (turn("../a", "0", "1", "x"), "line 1: the item, '../a', leads out of its folder"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "rttm", text)


def test_turns_that_overlap_are_intervals(tmp_path: Path) -> None:
    text = turn("a", "0", "2", "x") + turn("a", "1.5", "2", "y") + turn("b", "0", "1", "x")
    for item in read_text_as(tmp_path, None, text):
        assert isinstance(item.load(), TimeIntervals)
    (first, _) = read_text_as(tmp_path, None, text)
    line = first.load()
    assert isinstance(line, TimeIntervals)
    assert (line.starts.tolist(), line.stops.tolist(), line.class_list) == ([0, 15], [20, 35], ["x", "y"])


def test_a_uem_states_what_is_evaluated(tmp_path: Path) -> None:
    uem = tmp_path / "all.uem"
    uem.write_text(";; parts\na 1 0.25 1\na 1 1 1.5\n")
    (item,) = read_text_as(tmp_path, None, turn("a", "0", "1", "x"), uem=str(uem))
    line = item.load()
    assert isinstance(line, TimeIntervals)
    assert (line.scored_pairs, line.n) == ([(25, 150)], 150)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 1 2\n", "line 1: 3 fields; expected 4: file, channel, start, end"),
        ("a 1 2 1\n", "line 1: the part from 2 to 1 is empty"),
        ("a 1 x 1\n", "line 1, column 5: 'x' is not a number"),
        ("\n", "contains no parts to evaluate"),
    ],
)
def test_a_wrong_uem_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    uem = tmp_path / "all.uem"
    uem.write_text(text)
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, None, turn("a", "0", "1", "x"), uem=str(uem))
