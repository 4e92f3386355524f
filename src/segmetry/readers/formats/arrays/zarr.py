"""Zarr: one label array, or the labels of an OME-Zarr image, one item each at full resolution.

A folder is an array, a label image (its metadata name ``multiscales``), a group that names ``labels``, or an image with
such a group in its folder ``labels``. The scale of a label image becomes its spacing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from segmetry._base.json_fields import field, list_field
from segmetry.errors import FormatError
from segmetry.readers.isolation.isolated_reading import isolated_array
from segmetry.readers.items import Item, within
from segmetry.readers.label_options import LABEL_OPTIONS
from segmetry.readers.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.chunked_folders import MISSING_CHUNKS, ChunkedFolder, as_object, check_grid, load_metadata
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.reader import reads
from segmetry.readers.source import REMOTE
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing, unit_symbol
from segmetry.storage.zarr_arrays import ZarrChunks, parse_metadata


@dataclass(frozen=True, eq=False)
class ZarrFolder(ChunkedFolder, ZarrChunks):
    """A zarr array in an untrusted folder."""

    @property
    def fill(self) -> Any:
        return self.metadata.fill

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """Return the array in a folder; only its metadata are read."""
        for name in ("zarr.json", ".zarray"):
            if (document := load_metadata(folder, name)) is not None:
                metadata = parse_metadata(document, folder, name)
                check_grid(metadata.shape, metadata.chunks, folder, options)
                return cls(metadata, folder, options)
        raise FormatError(f"{folder}: not a zarr array: contains neither zarr.json nor .zarray")


_MARKS = ("zarr.json", ".zarray", ".zgroup")


def _finest_scale(name: str, root: Path, folder: Path, options: ReadOptions, *, named: bool) -> Item:
    """Return the first, finest resolution of a label image."""
    where = str(folder)
    scales = list_field(_group_attributes(folder), "multiscales", where)
    levels = list_field(scales[0] if scales else None, "datasets", where)
    if not levels:
        raise FormatError(f"{where}: multiscales name no dataset")
    inner = _inner_folder(folder, field(levels[0], "path", where))
    return _lazy_item(name, root, inner, _scale_of(levels[0], scales[0], where), options, named=named)


def _lazy_item(
    name: str, root: Path, folder: Path, spacing: Spacing | None, options: ReadOptions, *, named: bool
) -> Item:
    return Item(name, within(str(root), partial(_load_labels, folder, spacing, options)), named=named)


def _load_labels(folder: Path, spacing: Spacing | None, options: ReadOptions) -> Segmentation:
    array = ZarrFolder.of(folder, options)
    uses_blosc = any(step.name == "blosc" for step in array.metadata.steps)
    return read_labels(isolated_array(array, folder, options) if uses_blosc else array, options, spacing=spacing)


def _scale_of(level: Any, scales: Any, where: str) -> Spacing | None:
    """Return the scale of a resolution, and the unit of the axes of space if they have the same."""
    for change in level.get("coordinateTransformations") or []:
        if field(change, "type", where) == "scale":
            scale = list_field(change, "scale", where)
            if not all(isinstance(step, int | float) and 0 < step < 1e300 for step in scale):
                raise FormatError(f"{where}: scale is {str(scale)[:40]!a}; expected positive numbers")
            return Spacing([float(step) for step in scale], _unit_of(scales))
    return None


def _unit_of(scales: Any) -> str | None:
    axes = scales.get("axes") if isinstance(scales, dict) else None
    named = [axis for axis in axes if isinstance(axis, dict)] if isinstance(axes, list) else []
    units = {unit_symbol(str(axis.get("unit", ""))) for axis in named if axis.get("type") == "space"}
    return units.pop() if len(units) == 1 else None


def _group_attributes(folder: Path) -> dict[str, Any]:
    version_3, version_2 = (load_metadata(folder, name) for name in ("zarr.json", ".zattrs"))
    if version_3 is not None:
        where = folder / "zarr.json"
        attributes = field({"attributes": {}, **as_object(version_3, where)}, "attributes", str(where))
        return as_object(as_object(attributes, where).get("ome", attributes), where)
    return {} if version_2 is None else as_object(version_2, folder / ".zattrs")


def _inner_folder(folder: Path, name: Any) -> Path:
    """Return a folder named by metadata, which must be inside ``folder``."""
    if not isinstance(name, str):
        raise FormatError(f"{folder}: {str(name)[:40]!a} is not the name of a folder")
    inner = folder / check_name(name, f"{folder}: the name of a folder")
    if not inner.is_dir() or not inner.resolve().is_relative_to(folder.resolve()):
        raise FormatError(f"{folder}: {name[:80]!a} is not a folder inside it")
    return inner


def _is_array(folder: Path) -> bool:
    document = load_metadata(folder, "zarr.json")
    if document is not None:
        return bool(as_object(document, folder).get("node_type") == "array")
    return (folder / ".zarray").is_file()


def _is_group(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in _MARKS)


@reads(
    "zarr",
    "a zarr label array, or the labels of an OME-Zarr image",
    (".zarr/",),
    sniff=lambda path, _head: path.is_dir() and _is_group(path),
    extra="zarr for zstd and Blosc",
    options=(*LABEL_OPTIONS, MISSING_CHUNKS, REMOTE),
    lazy=True,
    remote=True,
)
def _read_zarr(path: Path, options: ReadOptions) -> Iterator[Item]:
    name = path.name.removesuffix(".zarr").removesuffix(".ome")
    if _is_array(path):
        yield _lazy_item(name, path, path, None, options, named=False)
        return
    attributes = _group_attributes(path)
    if "labels" not in attributes and _is_group(path / "labels"):
        labels_path = _inner_folder(path, "labels")
        attributes = _group_attributes(labels_path)
    else:
        labels_path = path
    if "labels" in attributes:
        labels = list_field(attributes, "labels", str(labels_path))
        if len({str(label) for label in labels}) < len(labels):  # each would be read again
            raise FormatError(f"{labels_path}: labels name a label image twice; expected each once")
        for label in labels:
            folder = _inner_folder(labels_path, label)
            yield _finest_scale(str(label), path, folder, options, named=True)
    elif "multiscales" in attributes:
        yield _finest_scale(name, path, path, options, named=False)
    else:
        raise FormatError(f"{path}: a zarr group without labels; expected an array or the labels of an OME-Zarr image")
