"""SemanticKITTI labels: ``.label`` files, 32 bits per point, the class in the lower half and the instance above.

A thing is one segment per instance, a class without instances is one segment. Classes 0 and 1 (unlabelled, outlier)
are void in the truth and in no segment in the prediction.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_sizes import label_sizes
from segmetry.readers.options import ReadOptions
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

IGNORED = (0, 1)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    size = path.stat().st_size if path.is_file() else 0
    if not size or size % 4:
        raise FormatError(f"{path}: {size} bytes; expected 4 for each point, and at least one point")
    options.check_size((size // 4,), str(path))
    values = np.fromfile(path, dtype="<u4")
    labels = list(label_sizes(values))
    classes: dict[int, Hashable] = {}
    for value in labels:
        if value & 0xFFFF not in IGNORED:
            classes[value] = value & 0xFFFF
    ignored = [value for value in labels if value not in classes]
    truth = options.side == "true"
    yield Item(
        path.stem,
        LabelArray(values, outside=None if truth else ignored, void=ignored if truth else None, classes=classes),
    )


declare_reader(
    Reader(
        name="semantic-kitti",
        summary="SemanticKITTI: a class and an instance for every point",
        extensions=(".label",),
        sniff=lambda path, head: path.suffix == ".label" and bool(head),
        read=_read,
        declares_void=True,
    )
)
