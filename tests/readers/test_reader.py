"""Finding a reader, and the promises all readers share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from segmetry.errors import DataWarning, FormatError, OptionError, SegmetryError, UnknownNameError
from segmetry.readers.items import Item
from segmetry.readers.read_file import read_sides
from segmetry.readers.reader import (
    READERS,
    Integer,
    Isolation,
    Option,
    Reader,
    ReadOptions,
    _side_and_option,
    check_declared_options,
    find_option,
    format_of,
    users_of,
)
from segmetry.readers.source import find_reader, read_items
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.readers.samples import SAMPLES, read

NEVER_SNIFFED = {"text"}


@pytest.mark.parametrize("name", READERS)
def test_an_option_of_several_formats_is_declared_alike(name: str) -> None:
    check_declared_options(READERS[name])


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("void", "in another way than the format '.*'; use the same"),
        ("side", "an option 'side', which all formats have"),
    ],
)
def test_an_option_declared_in_another_way_is_noticed(option: str, words: str) -> None:
    options = (Option(option, "Other.", Integer(), 1),)
    with pytest.raises(ValueError, match=words):
        check_declared_options(Reader("new", "", (), lambda *_: False, lambda *_: [], options=options))


def test_an_option_imports_few_readers() -> None:
    program = (
        "from segmetry.readers.reader import ReadOptions; from segmetry.readers.reader import READERS;"
        "ReadOptions(void=255, pred_void=3).as_plain(); print(len(READERS.declared_so_far()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 5  # a module may declare three formats, and use the readers of two others


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - NEVER_SNIFFED))
def test_every_format_is_recognised_by_its_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / "nothing in its name"
    if name == "npz":  # every archive starts alike
        path = path.with_suffix(".npz")
    path.write_bytes(SAMPLES[name].content)
    assert find_reader(path).name == name


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xef\xbb\xbf", b"\0" * 50, b"{", b"[]", b"\xff\xfe", b'""', b"PK\3\4"]
)
def test_no_reader_takes_what_is_not_its_own(name: str, content: bytes, tmp_path: Path) -> None:
    if name == "textgrid":
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    path = tmp_path / "file"
    path.write_bytes(content)
    options = {"separator": "[^x]*"} if name == "text" else {}
    if READERS[name].blank and not content.removeprefix(b"\xef\xbb\xbf").strip():  # a side without segments
        with pytest.warns(DataWarning, match="an empty file"):
            assert not any(item.spans.starts.size for item in read(path, name))
        return
    with pytest.raises(SegmetryError) as caught:
        read(path, name, **options)
    assert str(path) in str(caught.value)


def line_facts(item: Item) -> tuple[object, ...]:
    """Spans or intervals as plain data."""
    line = item.load()
    assert isinstance(line, Spans | TimeIntervals)
    return line.starts.tolist(), line.stops.tolist(), line.n, line.classes


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - {"npy", "npz", "png", "csv-labels"}))
def test_windows_lines_change_nothing(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    if name == "textgrid":
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    found = []
    for content in (sample.content, b"\xef\xbb\xbf" + sample.content.replace(b"\n", b"\r\n")):
        path = tmp_path / "file"
        path.write_bytes(content)
        found.append([(item.name, line_facts(item), item.units) for item in read(path, name, **sample.options)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("JPEG", "a JPEG image, whose compression changes labels; save the labels as PNG"),
        ("WEBP", "a WebP image, whose compression"),
        ("GIF", "a GIF image; save the labels as a grey PNG"),
        ("BMP", "a BMP image; save"),
    ],
)
@pytest.mark.parametrize("name", ["labels", "labels.png"])
def test_other_pictures_are_named(kind: str, words: str, name: str, tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / name
    Image.fromarray(np.ones((8, 8), dtype=np.uint8)).save(path, format=kind)
    for chosen in (None, "png"):
        with pytest.raises(FormatError, match=words):
            list(read_items(path, chosen))


def test_what_nobody_recognises(tmp_path: Path) -> None:
    empty, odd, folder, pipe = (tmp_path / name for name in ("empty", "odd", "folder", "pipe"))
    empty.touch()
    folder.mkdir()
    os.mkfifo(pipe)
    odd.write_bytes(b"%PDF-1.7 ...")
    for path, words in (
        (tmp_path / "none", "no such file or folder"),
        (empty, "an empty file"),
        (folder, "an empty folder"),
        (tmp_path, "a folder without files of a format segmetry recognises"),
        (pipe, "a pipe or a device, which cannot be read again"),
        (odd, r"not a format segmetry recognises \(first bytes b'%PDF-1.7'\)"),
        (Path("a\0b"), "not the name of a file"),
    ):
        with pytest.raises(FormatError, match=words):
            find_reader(path)
    with pytest.raises(UnknownNameError, match="there is no format 'mases'; did you mean masses"):
        find_reader(odd, "mases")


@pytest.mark.parametrize("name", SAMPLES)
def test_an_option_of_another_reader_is_rejected(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(SAMPLES[name].content)
    for option, value in {"first": "force", "coder": "x", "tier": "x", "colours": "rgb", "blank": "skip"}.items():
        if option not in {declared.name for declared in READERS[name].options}:
            with pytest.raises(OptionError, match=f"--{option} is not supported by format {name} \\(it applies to "):
                list(read_items(path, name, ReadOptions(**{option: value})))


@pytest.mark.parametrize(
    ("option", "value"), [("first", "gape"), ("ends", "open"), ("unit", "page"), ("tick", -1), ("colours", "blue")]
)
def test_options_have_values(option: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{option} is"):
        ReadOptions(**{option: value})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.lab", "0.0 1.0 a\n1.0 x b\n", "line 2, column 5: 'x' is not a number"),
        ("a.bio", "a\tB-x\nb\tZ-y\n", "line 2, column 2: 'Z-y' is not a tag"),
        ("a.csv", "item,start,stop\na,0,3\na,3,zz\n", "line 3, column 'stop': 'zz' is not a number"),
        ("a.rttm", "SPEAKER a 1 0 x <NA> <NA> s <NA> <NA>\n", "line 1, column 15: 'x' is not a number"),
    ],
)
def test_a_damaged_text_says_where_without_a_format(name: str, text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=re.escape(f"{name}, {words}")):
        list(read_items(tmp_path / name))


def test_the_example_of_read_sides() -> None:
    assert read_sides([[1]], [[2]]) == ([[1]], [[2]])


def test_the_example_of_isolation() -> None:
    assert (Isolation.of(True).wanted, Isolation.of({"seconds": 5}).seconds, Isolation.of(None).wanted) == (
        True,
        5.0,
        None,
    )


def test_the_example_of_seconds_for() -> None:
    assert Isolation(seconds=10).seconds_for(2**22) == 14.0


def test_the_example_of_format_of() -> None:
    assert (format_of("bits", "pred"), format_of(("bits", None), "pred")) == ("bits", None)


def test_the_example_of_find_option() -> None:
    assert (find_option("first").flag, find_option("pred_first")) == ("--first", None)


def test_the_example_of_users_of() -> None:
    assert users_of("first") == ["bits"]


def test_the_example_of_side_and_option() -> None:
    assert [(side, option.name) for side, option in map(_side_and_option, ["void", "pred_void"])] == [
        (None, "void"),
        ("pred", "void"),
    ]
