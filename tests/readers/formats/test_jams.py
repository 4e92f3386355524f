"""JAMS: sections by several annotators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from segmetry.errors import SegmetryError
from tests.readers.samples import plain, read_text_as


def annotation(*rows: tuple[float, float, Any], name: str = "", space: str = "segment_open") -> dict[str, Any]:
    return {
        "namespace": space,
        "annotation_metadata": {"annotator": {"name": name}},
        "data": [
            {"time": time, "duration": duration, "value": value, "confidence": None} for time, duration, value in rows
        ],
    }


def jams(*annotations: dict[str, Any]) -> str:
    return json.dumps({"annotations": list(annotations), "file_metadata": {"duration": 9.0}})


def test_sections_are_spans_with_labels(tmp_path: Path) -> None:
    text = jams(annotation((0, 0.1, "A"), (0.1, 0.2, "B")), annotation((0, 1, "N"), space="chord"))
    (item,) = read_text_as(tmp_path, None, text, "song.jams")
    assert (item.name, plain(item), item.spans.class_list) == ("song", ([(0, 1), (1, 3)], 3), ["A", "B"])


def test_durations_of_floats_do_not_overlap(tmp_path: Path) -> None:
    """0.3 − 0.1 is 0.19999999999999998."""
    (item,) = read_text_as(tmp_path, None, jams(annotation((0.1, 0.3 - 0.1, "A"), (0.3, 1, "B"))))
    assert plain(item) == ([(1, 3), (3, 13)], 13)


def test_columns_of_older_files_are_read(tmp_path: Path) -> None:
    old = {"namespace": "segment_open", "data": {"time": [0, 2], "duration": [2, 1], "value": ["A", "B"]}}
    (item,) = read_text_as(tmp_path, None, jams(old))
    assert plain(item) == ([(0, 2), (2, 3)], 3)


def test_an_annotator_is_chosen(tmp_path: Path) -> None:
    text = jams(annotation((0, 2, "A"), name="ann"), annotation((0, 1, "A"), (1, 1, "B"), name="bob"))
    with pytest.raises(SegmetryError, match="contains the annotators ann, bob; choose one with --coder"):
        read_text_as(tmp_path, None, text)
    (item,) = read_text_as(tmp_path, None, text, coder="bob")
    assert plain(item) == ([(0, 1), (1, 2)], 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (jams(annotation((0, 1, "A")), annotation((0, 1, "a"), space="segment_tut")), "choose one with --tier"),
        (jams(annotation((0, 1, "N"), space="chord")), "no annotation of segments; found 'chord'"),
        (jams(annotation((0, 1, 5))), "observation 1: the value is '5'; expected a label"),
        ('{"annotations": [{"namespace": "segment_open", "data": [{"time": null}]}]}', "expected a number of seconds"),
        ('{"annotations": [{"namespace": "segment_open", "data": 3}]}', "expected a list of observations"),
        ('{"annotations": {"namespace": "x"}}', "expected an object with a list of annotations"),
        (jams(annotation((0, 2, "A"), (1, 2, "B"))), "overlaps the one before it"),
    ],
)
def test_what_is_wrong_is_one_error(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "jams", text)
