"""BIO tags in CoNLL columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import DataWarning, FormatError
from segmetry.segmentation.tag_schemes import Tag, detect_scheme, tag_pieces
from tests.readers.samples import plain, read_text_as

TWO = """-DOCSTART- -X- O

Ann NNP B-PER
Lee NNP I-PER
sang VBD O

# sent_id = s-2
# text = in Rome
in IN O
Rome NNP B-LOC

"""


def test_sentences_are_items(tmp_path: Path) -> None:
    first, second = read_text_as(tmp_path, None, TWO)
    assert (first.name, plain(first), first.spans.classes) == ("1", ([(0, 2)], 3), {1: "PER"})
    assert (second.name, plain(second), second.spans.classes) == ("s-2", ([(1, 2)], 2), {1: "LOC"})
    assert second.units == ("in", "Rome")


def test_or_the_file_is_one_line(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, TWO, "news.conll", sentences="line")
    assert (item.name, plain(item)) == ("news", ([(0, 2), (4, 5)], 5))


def test_the_tag_may_stand_in_any_column(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, "bio", "Ann\tB-PER\tx\nsang\tO\ty\n", column=2)
    assert plain(item) == ([(0, 1)], 2)
    (item,) = read_text_as(tmp_path, None, "B\nI\nB\nO\n")
    assert (plain(item), item.spans.classes, item.units) == (([(0, 2), (2, 3)], 4), None, None)


def test_loose_tags_open_segments(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "a I-X\nb I-X\nc I-Y\nd B-Y\n", tags="loose")
    assert plain(item) == ([(0, 2), (2, 3), (3, 4)], 4)


def test_other_schemes_are_found_from_their_letters_or_stated(tmp_path: Path) -> None:
    (iobes,) = read_text_as(tmp_path, None, "a B-X\nb I-X\nc E-X\nd S-Y\n")
    assert (plain(iobes), iobes.spans.classes) == (([(0, 3), (3, 4)], 4), {1: "X", 2: "Y"})
    (bilou,) = read_text_as(tmp_path, None, "a B-X\nb L-X\nc U-X\n")
    assert plain(bilou) == ([(0, 2), (2, 3)], 3)
    (iob1,) = read_text_as(tmp_path, None, "a I-X\nb B-X\nc I-X\nd I-Y\n", scheme="iob1")
    assert plain(iob1) == ([(0, 1), (1, 3), (3, 4)], 4)


def test_dropped_tags_are_no_segments(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="2 segments of tags that the scheme bio does not allow left out"):
        (item,) = read_text_as(tmp_path, None, "a I-X\nb O\nc B-X\nd I-Y\n", tags="drop")
    assert plain(item) == ([(2, 3)], 4)


def test_a_letter_of_another_scheme_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 2, column 2: 'E-X' is not a tag of the scheme bio"):
        read_text_as(tmp_path, None, "a B-X\nb E-X\n", scheme="bio")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a O\nb I-X\n", r"line 2, column 2: 'I-X' continues nothing; expected B-X first \(--tags loose"),
        ("a O\nb I\n", "line 2, column 2: 'I' continues nothing; expected B first"),
        ("a B-X\nb I-Y\n", "line 2, column 2: 'I-Y' continues nothing"),
        ("a B-X\n\nb I-X\n", "line 3, column 2: 'I-X' continues nothing"),
        ("a B-X\nb Z-X\n", "line 2, column 2: 'Z-X' is not a tag"),
        ("a B-X\nb I-X\nc E-Y\n", "line 2, column 2: 'I-X' ends no segment of the scheme iobes"),
        ("a S-X\nb U-X\n", "S belong to IOBES, U to BILOU; expected one scheme"),
        ("a B-X\nb B\n", "line 2, column 2: a tag without a class, but others have one"),
        ("a B-\x07\n", "line 1, column 2: the class, .* contains a control character"),
        ("# sent_id = ../x\na B\n", "leads out of its folder"),
        ("\n\n", "contains no tagged tokens"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words):
        read_text_as(tmp_path, "bio", text)


def test_a_missing_column_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1: 2 columns; --column is 3"):
        read_text_as(tmp_path, "bio", "a O\n", column=3)


def test_the_example_of_tag_of() -> None:
    assert (Tag.of("B-PER"), Tag.of("O"), Tag.of("O-PER")) == (
        Tag(letter="B", name="PER"),
        Tag(letter="O", name=""),
        None,
    )


def test_the_example_of_detect_scheme() -> None:
    assert (detect_scheme("OBI"), detect_scheme("OBIE"), detect_scheme("OU")) == ("bio", "iobes", "bilou")


def test_the_example_of_tag_pieces() -> None:
    pieces = tag_pieces([["B-PER", "I-PER", "O"], ["I-LOC"]], "bio")
    assert (pieces.starts.tolist(), pieces.stops.tolist(), pieces.well_formed.tolist(), pieces.names) == (
        [0, 3],
        [2, 4],
        [True, False],
        ("PER", "LOC"),
    )
