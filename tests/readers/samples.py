"""One small, valid file of every format, and a way to read it as a user would."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.readers.items import Item
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items


def png(
    width: int,
    height: int,
    depth: int,
    colour: int,
    rows: list[bytes],
    palette: bytes = b"",
    *,
    interlaced: bool = False,
) -> bytes:
    """A PNG file made by hand, so that its header can lie."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
    colours = chunk(b"PLTE", palette) if palette else b""
    pixels = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
    return b"\x89PNG\r\n\x1a\n" + header + colours + pixels + chunk(b"IEND", b"")


def npy(array: Any) -> bytes:
    """The bytes of a numpy file."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    """The bytes of a numpy archive."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@dataclass(frozen=True)
class Sample:
    """A file's content and the options it needs."""

    suffix: str
    content: bytes
    options: dict[str, Any] = field(default_factory=dict)


TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 2.5
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 2.5
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.75
            text = "one"
        intervals [2]:
            xmin = 0.75
            xmax = 1.5
            text = ""
        intervals [3]:
            xmin = 1.5
            xmax = 2.5
            text = "two"
"""

SAMPLES: dict[str, Sample] = {
    "masses": Sample(
        ".json",
        b'{"items": {"a": {"x": [5, 3, 5], "y": [4, 4, 5]},\n "b": {"x": [2, 2]}}, "segmentation_type": "linear"}\n',
        {"coder": "x"},
    ),
    "bits": Sample(".json", b'{"a": [1, 0, 0, 1, 0],\n "b": [0, 1, 1]}\n'),
    "boundaries": Sample(".csv", b"item,n,boundaries\na,13,5 8\nb,4,\nc,2.5,0.25 1\n"),
    "spans": Sample(".csv", b"item,n,start,stop,class\na,13,0,5,x\na,13,5,8,y\nb,4,1,3,x\nc,7,,,\n"),
    "spans-jsonl": Sample(
        ".jsonl",
        b'{"item": "a", "n": 13, "start": 0, "stop": 5.5, "class": "x"}\n'
        b'{"item": "a", "n": 13, "start": 6, "stop": 8, "class": "y"}\n{"item": "b", "n": 3}\n',
    ),
    "bio": Sample(".conll", b"# sent_id = first\nAnn\tB-PER\nLee\tI-PER\nsang\tO\n\nin\tO\nRome\tB-LOC\n"),
    "frame-labels": Sample(".txt", b"background\npour_milk\npour_milk\nstir\n"),
    "choi": Sample(".ref", b"==========\nOne line.\nA second line.\n==========\nA third.\n==========\n"),
    "text": Sample(".txt", b"One line.\nA second line.\n***\nA third.\n", {"separator": r"\*+"}),
    "lab": Sample(".lab", b"0.0 1.25 verse\n1.25\t3 chorus line\n4 5 verse\n"),
    "rttm": Sample(
        ".rttm",
        b";; made by hand\nSPEAKER a 1 0.50 1.25 <NA> <NA> ann <NA> <NA>\n"
        b"SPEAKER a 1 2 0.5 <NA> <NA> bob <NA> <NA>\nSPEAKER b 1 0 1 <NA> <NA> ann <NA> <NA>\n",
    ),
    "sound-events": Sample(
        ".tsv",
        b"filename\tonset\toffset\tevent_label\na.wav\t0.5\t2\tdog\na.wav\t1\t3.25\tcar\nb.wav\t0\t1\tdog\n",
    ),
    "change-points": Sample(
        ".json",
        b'{"bank": {"n": 20, "annotations": {"6": [], "7": [5, 9]}}, "sea": {"n": 9, "annotations": {"6": [3]}}}',
    ),
    "jams": Sample(
        ".jams",
        b'{"annotations": [{"namespace": "segment_open", "data": [{"time": 0, "duration": 2.5, "value": "A"}, '
        b'{"time": 2.5, "duration": 1, "value": "B"}]}]}',
    ),
    "textgrid": Sample(".TextGrid", TEXTGRID.encode()),
    "npy": Sample(".npy", npy(np.array([[1, 1, 0], [2, 2, 2]], dtype=np.int32))),
    "npz": Sample(".npz", npz(a=np.array([1, 2, 2], dtype=np.uint8), b=np.arange(6).reshape(2, 3))),
    "csv-labels": Sample(".csv", b"1,1,0\r\n2, 2,2\r\n"),
    "png": Sample(".png", png(3, 2, 8, 0, [b"\1\1\0", b"\2\2\2"])),
}


def read(path: Path, chosen: str | None = None, **options: Any) -> list[Item]:
    """All items of a file."""
    return list(read_items(path, chosen, ReadOptions(**options)))


def read_text_as(
    folder: Path, chosen: str | None, content: str | bytes, name: str = "file", **options: Any
) -> list[Item]:
    """All items of a file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read(path, chosen, **options)


def plain(item: Item) -> tuple[list[tuple[int, int]], int]:
    """Spans and length of an item, to compare."""
    spans = item.spans
    return list(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)), spans.n
