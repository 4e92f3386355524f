"""Label images as text: a row of pixels per line, integers divided by commas, as superpixel-benchmark writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.label_reading import LABEL_OPTIONS, read_labels
from segmetry.readers.parts.text_file import read_lines
from segmetry.readers.reader import ReadOptions, reads

_ROW = re.compile(r"\s*[+-]?\d{1,18}\s*(,\s*[+-]?\d{1,18}\s*)*")
_NUMBERS = re.compile(rb"(\xef\xbb\xbf)?[\d,\s+-]*\d[\d,\s+-]*")


@reads(
    "csv-labels",
    "a label image in CSV: integers divided by commas, a row of pixels per line, no header",
    (".csv",),
    sniff=lambda path, head: (path.suffix.lower() == ".csv" or b"," in head) and _NUMBERS.fullmatch(head) is not None,
    options=LABEL_OPTIONS,
)
def _read_csv_labels(path: Path, options: ReadOptions) -> Iterator[Item]:
    lines = read_lines(path)
    width = lines[0].count(",") + 1
    for number, line in enumerate(lines, 1):
        if _ROW.fullmatch(line) is None:
            raise FormatError(f"{path}, line {number}: {line[:40]!a}; expected integers divided by commas")
        if line.count(",") + 1 != width:
            raise FormatError(f"{path}, line {number}: {line.count(',') + 1} values; expected {width}, as in line 1")
    options.check_size((len(lines), width), str(path))
    labels = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
    yield Item(path.stem, read_labels(labels, options))
