"""The format ``waves``: the word WAVES and the lengths of consecutive waves, such as ``WAVES 3 2 4``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import segmetry as sm
from segmetry.plugins import FormatError, Integer, Item, Option, Reader, ReadOptions, declare_reader

STEP = Option("wave_step", "Waves: elements per unit of length. [default: 1]", Integer(least=1), 1, metavar="N")


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    words = path.read_bytes().split()
    if words[:1] != [b"WAVES"] or len(words) < 2:
        raise FormatError(f"{path}: expected WAVES and at least one length")
    if not all(word.isdigit() and len(word) < 10 and int(word) > 0 for word in words[1:]):
        raise FormatError(f"{path}: expected positive lengths of at most nine digits")
    lengths = [int(word) * options[STEP] for word in words[1:]]
    options.check_size((sum(lengths),), str(path))
    yield Item(path.stem, sm.Spans.from_masses(lengths))


WAVES = declare_reader(
    Reader(
        name="waves",
        summary="lengths of waves",
        extensions=(".waves",),
        sniff=lambda _path, head: head.startswith(b"WAVES"),
        read=_read,
        options=(STEP,),
    )
)
