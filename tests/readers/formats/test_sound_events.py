"""Sound events in a table: filename, onset, offset, event_label."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.readers.samples import read_text_as

HEADER = "filename\tonset\toffset\tevent_label\n"


def test_recordings_are_items_and_may_be_empty(tmp_path: Path) -> None:
    text = HEADER + "b.wav\t0.5\t2\tdog\nb.wav\t1\t3.25\tcar\na.wav\t\t\t\n"
    first, second = read_text_as(tmp_path, None, text, "a.tsv")
    line = first.load()
    assert isinstance(line, TimeIntervals)
    assert (first.name, line.starts.tolist(), line.stops.tolist(), line.class_list) == (
        "b.wav",
        [50, 100],
        [200, 325],
        ["dog", "car"],
    )
    assert second.load().n_elements == 0


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("a\t1\t\tdog\n", "line 2: 'offset' is empty; expected onset, offset and label, or none of them"),
        ("\t1\t2\tdog\n", "line 2: the filename is empty"),
        ("a\tx\t2\tdog\n", "line 2, column 'onset': 'x' is not a number"),
        ("a\t2\t1\tdog\n", "line 2: the span from 2 to 1 is empty"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(rows: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, None, HEADER + rows, "a.tsv")
