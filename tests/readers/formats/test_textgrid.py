"""Praat's TextGrid."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import DataWarning, MissingExtraError, SegmetryError
from tests.readers.samples import TEXTGRID, plain, read_text_as

SHORT = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n2.5\n<exists>\n2\n' + "".join(
    f'"IntervalTier"\n"{name}"\n0\n2.5\n2\n0\n{cut}\n"a"\n{cut}\n2.5\n""\n'
    for name, cut in (("words", "1.5"), ("phones", "0.3"))
)


def test_a_missing_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "praatio.utilities", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'segmetry\[textgrid\]'"):
        read_text_as(tmp_path, None, TEXTGRID)


class TestWithPraatio:
    @pytest.fixture(autouse=True)
    def _praatio(self) -> None:
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_intervals_without_text_are_gaps(self, encoding: str, end: str, tmp_path: Path) -> None:
        content = TEXTGRID.replace("\n", end).encode(encoding)
        (item,) = read_text_as(tmp_path, None, content, "talk.TextGrid")
        assert (item.name, item.tick) == ("talk", Fraction(1, 100))
        assert (plain(item), item.spans.classes) == (([(0, 75), (150, 250)], 250), {1: "one", 2: "two"})

    def test_one_of_several_tiers_is_chosen(self, tmp_path: Path) -> None:
        with pytest.raises(SegmetryError, match="contains the tiers 'words', 'phones'; choose one with --tier"):
            read_text_as(tmp_path, None, SHORT)
        with pytest.raises(SegmetryError, match="no tier 'tones'; found 'words', 'phones'"):
            read_text_as(tmp_path, None, SHORT, tier="tones")
        assert plain(read_text_as(tmp_path, None, SHORT, tier="phones")[0]) == ([(0, 3)], 25)

    def test_many_digits_are_rounded_to_a_nanosecond_or_a_stated_tick(self, tmp_path: Path) -> None:
        text = TEXTGRID.replace("0.75", "0.74999999999999989")
        with pytest.warns(DataWarning, match="more than nine decimals"):
            (item,) = read_text_as(tmp_path, None, text)
        assert (item.tick, item.spans.starts.tolist()) == (Fraction(1, 10**9), [0, 15 * 10**8])
        assert plain(read_text_as(tmp_path, None, text, tick=Fraction(1, 100))[0]) == ([(0, 75), (150, 250)], 250)

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("xmin = 0.75", "xmin = 0.8", "interval 2: starts at 0.8, the one before ended at 0.75"),
            ("            xmax = 2.5", "            xmax = 2.4", "the last interval ends at 2.4, the tier at 2.5"),
            ("IntervalTier", "TextTier", "contains no tier of intervals"),
            ('name = "words"', 'nome = "words"', "not a TextGrid that praatio can read"),
            (
                "        xmin = 0\n        xmax = 2.5",
                "        xmin = 1\n        xmax = 2.5",
                "starts at 1.0; expected 0",
            ),
            ("File type", "file type", "line 1, column 1: expected File type"),
        ],
    )
    def test_what_is_wrong_is_reported(self, old: str, new: str, words: str, tmp_path: Path) -> None:
        assert old in TEXTGRID
        with pytest.raises(SegmetryError, match=words):
            read_text_as(tmp_path, "textgrid", TEXTGRID.replace(old, new))

    def test_a_short_file_cut_off_is_noticed(self, tmp_path: Path) -> None:
        with pytest.raises(SegmetryError, match="the file is cut off"):
            read_text_as(tmp_path, None, SHORT[: SHORT.rindex('2.5\n""')], tier="phones")
