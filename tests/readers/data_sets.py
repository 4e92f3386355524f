"""One tiny, valid data set of every format of images, volumes and maps; one of its files is named to segmetry."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.readers.samples import png


def colours(ids: NDArray[Any]) -> bytes:
    """A PNG whose colours are ids, as COCO writes them."""
    rows = [b"".join(int(value).to_bytes(3, "little") for value in row) for row in ids]
    return png(ids.shape[1], ids.shape[0], 8, 2, rows)


@dataclass(frozen=True)
class DataSet:
    """Files by name, the one to read, the options it needs, the shape of every item, and the package it needs."""

    files: dict[str, bytes]
    entry: str
    shape: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)
    needs: str | None = None
    sniffed: bool = True

    def write(self, folder: Path) -> Path:
        """Write all files and return what is to be read."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder / self.entry


IDS = np.array([[0, 7, 7], [66000, 66000, 7]])
PANOPTIC = {
    "images": [{"id": 1, "height": 2, "width": 3}],
    "annotations": [
        {
            "image_id": 1,
            "file_name": "a.png",
            "segments_info": [
                {"id": 7, "category_id": 1, "iscrowd": 0, "area": 3},
                {"id": 66000, "category_id": 9, "iscrowd": 0, "area": 2},
            ],
        }
    ],
    "categories": [{"id": 1, "isthing": 1}, {"id": 9, "isthing": 0}],
}

DATA_SETS: dict[str, DataSet] = {
    "coco-panoptic": DataSet(
        {"set.json": json.dumps(PANOPTIC).encode(), "set/a.png": colours(IDS)}, "set.json", (2, 3)
    ),
}
