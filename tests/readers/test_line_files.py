"""Files of lines as their fields write them: empty sides, long decimals, comments, lone carriage returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.errors import DataWarning, EmptyInputError, FormatError, InputError
from segmetry.readers.source import find_reader
from segmetry.run.run import Run
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.cli import protocol_inputs
from tests.cli.running import Runner
from tests.readers.samples import read_text_as


def turn(recording: str, start: str, duration: str, speaker: str) -> str:
    return f"SPEAKER {recording} 1 {start} {duration} <NA> <NA> {speaker} <NA> <NA>\n"


def evaluated(tmp_path: Path, true: str, pred: str, name: str, **options: object) -> Run:
    paths = [tmp_path / side / name for side in ("true", "pred")]
    for path, text in zip(paths, (true, pred), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return sm.evaluate(*paths, engine="serial", **options)  # type: ignore[arg-type]


def value(run: Run, key: str) -> float | None:
    averages = run.summary()[key]
    score = averages.over_data_set or averages.over_items
    assert score is not None
    return score.value


def test_a_system_without_output_has_an_error_rate_of_1(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="an empty file, read as rttm without segments"):
        run = evaluated(tmp_path, turn("a", "0", "4", "x"), "", "a.rttm")
    assert value(run, "der") == 1


def test_speech_in_recordings_without_true_speech_is_false_alarm(tmp_path: Path) -> None:
    true = turn("a", "0", "4", "x")
    with pytest.warns(DataWarning, match="1 only in pred: b; scored against a truth without segments"):
        run = evaluated(tmp_path, true, true + turn("b", "1", "2", "y"), "a.rttm")
    assert value(run, "der") == 0.5


@pytest.mark.parametrize("name", ["a.rttm", "a.txt"])
def test_two_empty_files_are_one_error(name: str, tmp_path: Path) -> None:
    format_ = "rttm" if name == "a.rttm" else "sound-events"
    with (
        pytest.warns(DataWarning, match="an empty file"),
        pytest.raises(EmptyInputError, match="no item on either side"),
    ):
        evaluated(tmp_path, "", "", name, format=format_)
    with pytest.raises(FormatError, match="an empty file"):
        evaluated(tmp_path, "", "", name)


def test_recordings_of_other_names_are_still_an_error(tmp_path: Path) -> None:
    pred = turn("b", "0", "4", "x") + turn("c", "0", "4", "x")
    with pytest.raises(InputError, match="the items do not pair up"):
        evaluated(tmp_path, turn("a", "0", "4", "x"), pred, "a.rttm")


def test_a_recording_that_only_the_uem_names_is_evaluated(tmp_path: Path) -> None:
    (tmp_path / "all.uem").write_text("a 1 0 10\nb 1 0 10\n")
    true = turn("a", "0", "4", "x")
    pred = true + turn("b", "1", "2", "y") + turn("b", "8", "5", "y")  # the last turn is within for 2 s
    run = evaluated(tmp_path, true, pred, "a.rttm", read={"uem": str(tmp_path / "all.uem")})
    assert value(run, "der") == 1


def test_turns_of_no_length_are_left_out_with_a_note(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match=r"1 spans of no length are left out \(the first: line 2\)"):
        (item,) = read_text_as(tmp_path, "rttm", turn("a", "0", "4", "x") + turn("a", "5", "0", "y"))
    line = item.load()
    assert isinstance(line, Spans)
    assert line.stops.tolist() == [4]


@pytest.mark.parametrize("format_", ["lab", "rttm", "sound-events"])
def test_times_of_many_decimals_are_rounded_to_a_nanosecond(format_: str, tmp_path: Path) -> None:
    start = "10.200000000000001"
    text = {
        "lab": f"{start} 11 a\n",
        "rttm": turn("a", start, "0.8", "x"),
        "sound-events": f"{start}\t11\tdog\n",
    }[format_]
    with pytest.warns(DataWarning, match="rounded to a nanosecond"):
        (item,) = read_text_as(tmp_path, format_, text)
    line = item.load()
    assert isinstance(line, Spans)
    assert (line.starts.tolist(), line.n) == ([10_200_000_000], 11 * 10**9)


def test_comments_of_label_files_are_left_out(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "# start end label\n0 1 a\n#0 9 z\n1 2 b\n", "a.lab")
    assert item.spans.class_list == ["a", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.lab", ("0 1 a", "1 2 b")),
        ("a.tsv", ("item\tn\tstart\tstop", "a\t5\t0\t2")),
        ("a.rttm", (turn("a", "0", "1", "x").strip(), turn("a", "1", "1", "y").strip())),
        ("a.conll", ("Ann\tB-PER", "ran\tO")),
        ("a.ref", ("==========", "one", "==========", "two", "==========")),
    ],
)
def test_lines_may_end_in_any_way(name: str, lines: tuple[str, ...], end: str, tmp_path: Path) -> None:
    found = [read_text_as(tmp_path, None, mark.join(lines) + mark, name)[0].spans for mark in ("\n", end)]
    assert found[0].starts.tolist() == found[1].starts.tolist()
    assert found[0].n == found[1].n


EVENTS = {
    "onset and offset": "0.5\t2\n1\t3.25\n",
    "and a label": "0.5\t2\tdog barks\n1\t3.25\tcar\n",
    "commas": "0.5,2,dog barks\n1,3.25,car\n",
    "semicolons": "0.5;2;dog barks\n1;3.25;car\n",
    "a recording, no label": "a.wav\t0.5\t2\na.wav\t1\t3.25\n",
    "a recording": "a.wav\t0.5\t2\tdog barks\na.wav\t1\t3.25\tcar\n",
    "a scene": "a.wav\thome\t0.5\t2\tdog barks\na.wav\thome\t1\t3.25\tcar\n",
}


@pytest.mark.parametrize("layout", EVENTS)
def test_lists_of_events_need_no_header(layout: str, tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, "sound-events", EVENTS[layout], "a.txt")
    line = item.load()
    assert isinstance(line, TimeIntervals)
    assert (item.name, line.starts.tolist(), line.stops.tolist()) == (
        "a.wav" if "a.wav" in EVENTS[layout] else "a",
        [50, 100],
        [200, 325],
    )
    assert line.class_list == (
        None if layout in ("onset and offset", "a recording, no label") else ["dog barks", "car"]
    )


@pytest.mark.parametrize("layout", ["a recording", "a scene"])
def test_events_after_the_name_of_a_recording_are_recognised(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(EVENTS[layout])
    assert find_reader(path).name == "sound-events"


def test_the_protocol_reads_events_that_look_like_labels(tmp_path: Path) -> None:
    run = evaluated(tmp_path, EVENTS["and a label"], EVENTS["and a label"], "a.txt", protocol="sound-events")
    assert value(run, "event_based_f1") == 1


def test_events_without_length_and_names_with_a_slash(tmp_path: Path) -> None:
    text = "/audio/a.wav\t2.5\t2.5\tdog\n/audio/b.wav\n"
    first, second = read_text_as(tmp_path, None, text, "a.txt")
    line = first.load()
    assert isinstance(line, TimeIntervals)
    assert (first.name, line.starts.tolist(), line.stops.tolist()) == ("audio/a.wav", [25], [25])
    assert (second.name, second.load().n_elements) == ("audio/b.wav", 0)


@pytest.mark.parametrize("row", ["a.wav\t1\t2\tdog\t3\tx\n", "a.wav\t1\tx\tdog\n", "1\n", "a.wav\tdog\n"])
def test_other_rows_are_one_error(row: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 1: .*; expected \[filename \[scene\]\] onset offset \[label\]"):
        read_text_as(tmp_path, "sound-events", row, "a.txt")


def test_choi_separators_have_any_number_of_signs(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "===\none\ntwo\n===============  \nthree\n=====\n", "a.ref")
    assert item.spans.masses.tolist() == [2, 1]


def test_the_error_about_a_text_says_how_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Once upon a time.\n\nThe end.\n")
    with pytest.raises(FormatError, match=r"--format chooses one \(text .*--format text --separator REGEX\)"):
        find_reader(path)


def test_the_protocol_decides_between_formats(tmp_path: Path) -> None:
    sections = "0\t1\tA\n1\t2\tB\n2\t3\tO\n"  # its last column could be BIO tags
    assert value(evaluated(tmp_path, sections, sections, "a.txt", protocol="music"), "label_pair_f") == 1
    points = json.dumps({"bank": {"6": [], "7": [53, 92]}})  # could be lengths of segments
    assert (
        value(evaluated(tmp_path, points, '{"bank": [53, 92]}', "b.json", protocol="change-points"), "change_point_f1")
        == 1
    )
    frames = "pour\nstir\n"  # no label twice
    assert value(evaluated(tmp_path, frames, frames, "c.txt", protocol="action"), "edit_score") == 1


IOBES, BIO = "a B-X\nb E-X\nc O\n", "a B-X\nb I-X\nc O\n"


def test_tags_of_two_schemes_are_compared_only_if_both_are_stated(tmp_path: Path) -> None:
    """Read in one scheme, as seqeval does, a BIO prediction of an IOBES truth has no entity."""
    for true, pred in ((IOBES, BIO), (BIO, IOBES)):
        with pytest.raises(
            FormatError, match=r"item 1: the tags of .* are \w+, those of .*: state it with --scheme iobes"
        ):
            evaluated(tmp_path, true, pred, "a.conll", protocol="ner")
    with pytest.warns(DataWarning):  # about tags that are no entity
        stated = evaluated(tmp_path, IOBES, BIO, "a.conll", protocol="ner", read={"scheme": "iobes"})
    assert value(stated, "entity_f1") == 0
    each = {"true_scheme": "iobes", "pred_scheme": "bio"}
    both = evaluated(tmp_path, IOBES, BIO, "a.conll", protocol="ner", read=each)
    assert value(both, "entity_f1") == 1


def test_the_scheme_of_tags_is_stated(tmp_path: Path, segmetry: Runner) -> None:
    empty = "a O\nb O\nc O\n"
    for true, pred, scheme in ((IOBES, IOBES, "iobes"), (IOBES, empty, "iobes"), (empty, BIO, "bio")):
        paths = [tmp_path / "true.conll", tmp_path / "pred.conll"]
        for path, text in zip(paths, (true, pred), strict=True):
            path.write_text(text)
        assert f"counted together · scheme {scheme}" in " ".join(
            segmetry("score", *paths, "--protocol", "ner").out.split()
        )


TEXTS = (
    *("masses", "frames", "change_points", "speakers", "sounds", "songs", "hierarchies", "entities", "panoptic"),
    *("coco_instances", "lvis", "youtube_vis", "mots"),
)
STATED: dict[str, dict[str, Any]] = {
    "change_points": {"format": "change-points"},
    "hierarchies": {"protocol": "music-hierarchy"},
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TEXTS)
def test_a_byte_order_mark_and_newlines_of_windows_change_nothing(name: str, tmp_path: Path) -> None:
    """Every format of text is recognised and read as without, as editors of Windows save it."""
    true, pred, *_ = getattr(protocol_inputs, name)(tmp_path)
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.suffix != ".png"]
    before = sm.evaluate(true, pred, engine="serial", **STATED.get(name, {}))
    for file in files:
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    after = sm.evaluate(true, pred, engine="serial", **STATED.get(name, {}))
    assert after.scalars() == pytest.approx(before.scalars(), nan_ok=True)


def test_one_file_of_mots_is_no_list_of_intervals(tmp_path: Path) -> None:
    path = tmp_path / "0001.txt"
    path.write_text("0 1001 1 4 4 04d0\n0 1002 1 4 4 4\n")
    assert find_reader(path).name == "mots"
    path.write_text("0 1 1 4 verse\n1 2 1 4 chorus\n")
    assert find_reader(path).name == "lab"
