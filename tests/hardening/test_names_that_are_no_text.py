"""Halves of surrogate pairs, which Python's strings may contain and no file can, are one clear error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import ClassesError, FormatError
from segmetry.readers.parts.text_file import parse_json

LABELS = np.array([[1, 1], [2, 2]])


def test_a_class_that_is_not_a_text_is_rejected() -> None:
    labels = sm.LabelArray(LABELS, classes={1: "\ud800", 2: "b"})
    with pytest.raises(ClassesError, match=r"item a: class '\\ud800' cannot be kept in a run file; expected a name"):
        sm.evaluate({"a": labels}, {"a": labels})


@pytest.mark.parametrize("half", [r"\ud800", r"\uDC00", r"\ud800 \udc00", r"\udc00\ud800", r"a\uDBFFb"])
def test_half_a_pair_in_json_is_rejected(half: str) -> None:
    with pytest.raises(FormatError, match=r"file, line 2, column .: half of a surrogate pair; expected text"):
        parse_json(f'{{"a":\n"{half}"}}', "file")


@pytest.mark.parametrize("whole", [r"\ud83d\ude00", r"\\ud800", r"\u00e4", "ä"])
def test_whole_pairs_and_escaped_backslashes_are_read(whole: str) -> None:
    assert len(parse_json(f'{{"a": "{whole}"}}', "file")["a"]) in (1, 6)


def test_a_file_with_such_a_class_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": "a", "n": 3, "start": 0, "stop": 2, "class": "\\ud800"}\n')
    with pytest.raises(FormatError, match=r"a\.jsonl, line 1, column .*: half of a surrogate pair"):
        sm.read(path)
