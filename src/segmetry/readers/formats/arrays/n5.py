"""N5: one data set of labels, or the finest scale ``s0`` of a group; x, y, z in the file is z, y, x here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base.json_fields import field, list_field
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.chunked.absent_chunks import MISSING_CHUNKS, check_grid, fill_of_absent
from segmetry.readers.chunked.axis_lengths import lengths_field, spacing_field
from segmetry.readers.chunked.zarr_folder import load_metadata
from segmetry.readers.isolation.isolated_reading import isolated_array
from segmetry.readers.items import Item, within
from segmetry.readers.labels.label_options import LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.reader import Reader, declare_reader
from segmetry.readers.remote_inputs import REMOTE
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing
from segmetry.storage.chunk_grid import overlapped
from segmetry.storage.n5_blocks import COMPRESSORS, N5Blocks
from segmetry.storage.stored_arrays import Region

ATTRIBUTES = "attributes.json"
FINEST = "s0"
_TYPES = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)) | {"float32", "float64"}


@dataclass(frozen=True, eq=False)
class N5Folder(N5Blocks):
    """A data set in an untrusted folder."""

    folder: Path
    options: ReadOptions

    def file_of(self, name: str) -> Path | None:
        return file_inside(self.folder, name, "the block") if (self.folder / name).is_file() else None

    def files(self, box: Region) -> Iterable[Path]:
        return [self.folder / self.name_of(place) for place, _ in overlapped(box, self.chunks)]

    def fill_of(self, place: tuple[int, ...]) -> Any:
        return fill_of_absent(0, f"{self.folder}: the block {self.name_of(place)}", self.options)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    folder = path if _is_data_set(path) else path / FINEST
    if not _is_data_set(folder):
        raise FormatError(
            f"{path}: an N5 group without a data set {FINEST}; expected the folder of a data set, in which "
            f"{ATTRIBUTES} declares dimensions"
        )
    yield Item(path.name.removesuffix(".n5"), within(str(path), partial(_labels, folder, options)))


def _labels(folder: Path, options: ReadOptions) -> Segmentation:
    attributes, where = load_metadata(folder, ATTRIBUTES), str(folder / ATTRIBUTES)
    shape = lengths_field(attributes, "dimensions", where)
    chunks = lengths_field(attributes, "blockSize", where)
    if not shape or len(shape) != len(chunks) or len(shape) > 32:
        raise FormatError(f"{where}: dimensions {shape} in blocks of {chunks}; expected as many axes in both")
    if 0 in shape or 0 in chunks:
        raise EmptyInputError(f"{where}: dimensions {shape} in blocks of {chunks}; expected at least one element")
    kind = field(attributes, "dataType", where)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise LabelTypeError(f"{where}: dataType is {str(kind)[:40]!a}; expected integers")
    blocks = N5Folder(shape[::-1], chunks[::-1], np.dtype(kind), _compressor(attributes, where), folder, options)
    check_grid(blocks.shape, blocks.chunks, folder, options)
    array = isolated_array(blocks, folder, options) if blocks.compressor == "blosc" else blocks
    return read_labels(array, options, spacing=_spacing(attributes, len(shape), where))


def _compressor(attributes: Any, where: str) -> str | None:
    if "compression" in attributes:
        name = field(attributes["compression"], "type", where)
    else:  # the first version of the format
        name = field(attributes, "compressionType", where)
    if not isinstance(name, str) or (name != "raw" and name not in COMPRESSORS):
        raise FormatError(
            f"{where}: unsupported compression {str(name)[:40]!a} (supported: raw, {', '.join(COMPRESSORS)})"
        )
    return None if name == "raw" else name


def _spacing(attributes: Any, n_axes: int, where: str) -> Spacing | None:
    """Return the size of a voxel: ``pixelResolution`` of N5 viewers, or ``resolution`` with ``units``."""
    pixel = attributes.get("pixelResolution")
    if isinstance(pixel, dict):
        return spacing_field(pixel, "dimensions", n_axes, pixel.get("unit"), where)
    if pixel is not None:
        return spacing_field(attributes, "pixelResolution", n_axes, None, where)
    if "resolution" not in attributes:
        return None
    units = attributes.get("units")
    unit = (
        list_field(attributes, "units", where)[0]
        if isinstance(units, list) and len(set(map(str, units))) == 1
        else None
    )
    return spacing_field(attributes, "resolution", n_axes, unit, where)


def _is_data_set(folder: Path) -> bool:
    return (folder / ATTRIBUTES).is_file() and "dimensions" in (load_metadata(folder, ATTRIBUTES) or {})


def _sniff(path: Path, _head: bytes) -> bool:
    return path.is_dir() and ((path / ATTRIBUTES).is_file() or (path / FINEST / ATTRIBUTES).is_file())


declare_reader(
    Reader(
        name="n5",
        summary="a data set of labels in N5, or the scale s0 of a group",
        extensions=(".n5/",),
        sniff=_sniff,
        read=_read,
        extra="zarr for zstd, Blosc and LZ4",
        options=(*LABEL_OPTIONS, MISSING_CHUNKS, REMOTE),
        lazy=True,
        remote=True,
    )
)
