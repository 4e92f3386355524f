"""Files of lines that are read at once have the items that are read one after the other, and no other file is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.evaluation import inputs
from segmetry.kernels import native
from segmetry.readers import READERS, Item, ReadOptions
from segmetry.readers.formats.lines import rttm
from segmetry.readers.line_files import LineFile

pytestmark = pytest.mark.skipif(native is None, reason="native code reads the files")

_CELLS = st.sampled_from(["a", "O", "B-PER", "I-PER", "#", "-DOCSTART-", "é", "a\u00a0b", "-", "S-X", "_", "B", ""])
_SEPARATORS = st.sampled_from([" ", " ", "\t", "  ", "\x0b"])
_LINES = st.one_of(
    st.just(""),
    st.sampled_from([" ", "# sent_id = 7", "\t", " a O", "a O ", "-DOCSTART- -X- O"]),
    st.builds(lambda cells, separator: separator.join(cells), st.lists(_CELLS, min_size=1, max_size=3), _SEPARATORS),
)
_REGULAR = st.lists(st.sampled_from(["a O", "b B-PER", "c I-PER", "_ O", "", ""]), min_size=1, max_size=12)
_TABS = st.lists(st.sampled_from(["a\tO", "b\tB-PER", "\tO", "", "c\t\tO"]), min_size=1, max_size=8)
_TAGGED = st.one_of(_REGULAR, _TABS, st.lists(_LINES, min_size=1, max_size=8)).map("\n".join)
_NAMES = st.sampled_from(["a", "b", "a b/c", "é", "..", "", "x\\n", "c:", "/d", "segmentation_type", "\x7f"])
_LISTS = st.lists(st.sampled_from([1, 2, 10, 0, -1, 1.5, True, "1", 10**30]), max_size=4)
_MASSES = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "a b/c"]), st.lists(st.integers(1, 12), max_size=5)).map(json.dumps),
    st.dictionaries(_NAMES, _LISTS).map(json.dumps),
    st.sampled_from(['{"a": [1], "a": [2]}', '{"a": [01]}', '{"a": [1,]}', '{"a": [1]} x', '{"a": {"x": [1]}}', "[1]"]),
)


def facts(item: Item) -> tuple[Any, ...]:
    spans = item.spans
    return item.name, item.units, item.scheme, spans.starts.tolist(), spans.stops.tolist(), spans.n, spans.classes


def at_once(format_: str, text: str, folder: Path, **options: Any) -> tuple[LineFile | None, Path, ReadOptions]:
    path, how = folder / f"file.{format_}", ReadOptions(**options)
    path.write_text(text, encoding="utf-8")
    read: Callable[[Path, ReadOptions], LineFile | None] | None = READERS[format_].lines
    assert read is not None
    try:
        return read(path, how), path, how
    except FormatError:  # an empty file
        return None, path, how


@given(_TAGGED, st.sampled_from([None, 1, 2]), st.sampled_from(["loose", "drop", "strict"]))
def test_sentences(tmp_path_factory: pytest.TempPathFactory, text: str, column: int | None, tags: str) -> None:
    check_items("bio", text, tmp_path_factory.getbasetemp(), column=column, tags=tags)


@given(_MASSES)
def test_segment_lengths(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    check_items("masses", text, tmp_path_factory.getbasetemp())


def check_items(format_: str, text: str, folder: Path, **options: Any) -> None:
    found, path, how = at_once(format_, text, folder, **options)
    if found is not None:
        assert list(map(facts, found.items())) == list(map(facts, READERS[format_].read(path, how)))


@pytest.mark.parametrize(
    ("text", "n_sentences"),
    [
        ("a O\nb B-X\n\nc O\n", 2),
        ("\n\na\tx\tO\n\n\n\nb\ty\tO", 2),
        ("O\nB\n", 1),
        ("é O\n", 1),
        ("-DOCSTART- -X- O\n\na O\n", 1),
    ],
)
def test_ordinary_files_are_read_at_once(tmp_path: Path, text: str, n_sentences: int) -> None:
    found, _, _ = at_once("bio", text, tmp_path)
    assert found is not None
    assert len(found) == n_sentences


@pytest.mark.parametrize(
    "text",
    ["a O\nb c O\n", "a\tb\tO\na\t\tO\n", "# sent_id = 1\na O\n", "a X\n", "a b\tO\n", "a\u00a0b O\n", "a I-X\n"],
)
def test_other_files_are_read_line_by_line(tmp_path: Path, text: str) -> None:
    assert at_once("bio", text, tmp_path)[0] is None


def test_a_tag_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "t.conll").write_text("a O\nb X\n")
    with pytest.raises(FormatError, match=r"t\.conll, line 2, column 2: 'X' is not a tag"):
        sm.read(tmp_path / "t.conll", format="bio")


_FIELDS = [
    st.sampled_from(["SPEAKER", "SPEAKER", "SPEAKER", "LEXEME", ";"]),
    st.sampled_from(["a", "b", "c/d"]),
    st.sampled_from(["1", "1", "1", "2"]),
    st.sampled_from(["0", "1.5", "2.25", "0.000000001", "00.10", ".5", "1.", "1e1", "-1", "1.0000000001"]),
    st.sampled_from(["0.5", "2", "3.125", "0", "0.0", "9999999999"]),
    st.just("<NA>"),
    st.just("<NA>"),
    st.sampled_from(["x", "y", "é", "z z", "<NA>", "q\x7f"]),
]
_TURNS = st.lists(st.tuples(*_FIELDS).map(" ".join), min_size=1, max_size=5).map("\n".join)


@example("SPEAKER a 1 0 9999999999 <NA> <NA> x", {})  # more nanoseconds than 64 bits hold
@given(_TURNS, st.sampled_from([{}, {"length": "longer"}, {"tick": "0.5"}, {"tier": "LEXEME"}]))
def test_turns(tmp_path_factory: pytest.TempPathFactory, text: str, options: dict[str, Any]) -> None:
    path, how = tmp_path_factory.getbasetemp() / "turns.rttm", ReadOptions(**options)
    path.write_text(text, encoding="utf-8")
    found = rttm._items_at_once(path, how)
    if found is not None:
        expected = list(rttm._read_line_by_line(path, how))
        assert [(item.tick, item.open_end, type(item.content)) for item in found] == [
            (item.tick, item.open_end, type(item.content)) for item in expected
        ]
        assert [turns_of(item) for item in found] == [turns_of(item) for item in expected]


def turns_of(item: Item) -> tuple[Any, ...]:
    line = item.content
    assert isinstance(line, sm.Spans | sm.TimeIntervals)
    return item.name, line.starts.tolist(), line.stops.tolist(), line.n, line.classes, line.tick


def test_ordinary_turns_are_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.rttm").write_text(
        "SPEAKER a 1 0.5 2.25 <NA> <NA> ann <NA> <NA>\n\n;\nSPEAKER b 1 1 1 <NA> <NA> bob\n"
    )
    found = rttm._items_at_once(tmp_path / "t.rttm", ReadOptions())
    assert found is not None
    assert [(item.name, item.spans.starts.tolist(), str(item.tick)) for item in found] == [
        ("a", [50], "1/100"),
        ("b", [100], "1/100"),
    ]


TEXTS = {
    "text": ("masses", '{"a": [3, 4, 2], "b": [5, 1], "c": [7]}', '{"a": [3, 3, 3], "b": [6], "c": [2, 5]}'),
    "ner": ("bio", "a B-X\nb I-X\n\nc B-Y\nd O\n\ne O\n", "a B-X\nb O\n\nc B-Y\nd I-X\n\ne O\n"),
}


@pytest.mark.parametrize("protocol", TEXTS)
def test_a_run_of_columns_is_the_run_of_items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str) -> None:
    format_, *texts = TEXTS[protocol]
    true, pred = (tmp_path / f"{side}.{format_}" for side in ("true", "pred"))
    for path, text in zip((true, pred), texts, strict=True):
        path.write_text(text)

    def everything() -> list[Any]:
        with pytest.warns(sm.errors.DataWarning) if protocol == "ner" else pytest.MonkeyPatch.context() as notes:
            run = sm.evaluate(true, pred, format=format_, protocol=protocol)
        words = [str(note.message) for note in notes] if protocol == "ner" else []  # type: ignore[union-attr]
        # What is asked for first counts no overlaps, what comes later does.
        table, summary = str(run.protocol_table()), run.summary().to_dict()
        tables = [run.table(name).shared.tolist() for name in run.names]
        return [words, table, summary, list(run.items()), tables, str(run.rescore("theta_and").summary().to_dict())]

    columns = everything()
    monkeypatch.setattr(inputs, "_line_files", lambda *_: None)
    assert columns == everything()
