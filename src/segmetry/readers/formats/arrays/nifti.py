"""NIfTI volumes (``.nii``, ``.nii.gz``): integers stay integers, the header gives spacing and position.

Nothing is scaled: a slope or intercept would change the labels, and is an error. Axes of one element after the third,
as (x, y, z, 1) of a volume at one time, are left out with a note.
"""

from __future__ import annotations

import gzip
import logging
import math
import warnings
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base import import_optional, translate_errors
from segmetry.errors import DataWarning, EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.formats.arrays.text_header_volumes import VolumeBytes, load_volume
from segmetry.readers.items import GridAffine, Item, within
from segmetry.readers.label_reading import LABEL_OPTIONS
from segmetry.readers.parts.file_head import read_start
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Spacing, unit_symbol

_GZIP = b"\x1f\x8b"
# By the size of the header, of versions 1 and 2: the place of the magic, and the magic of one file with its voxels.
_MAGIC = {348: (344, (b"n+1\0",)), 540: (4, (b"n+2\0\r\n\x1a\n",))}


def _read_header(path: Path, *, compressed: bool) -> Any:
    nibabel = import_optional("nibabel", "reading NIfTI", "medical")
    with (gzip.open if compressed else open)(path, "rb") as file:
        head = file.read(540)
    for kind in (nibabel.Nifti1Header, nibabel.Nifti2Header):
        size = kind.sizeof_hdr
        at, magic = _MAGIC[size]
        if len(head) >= size and head[at : at + len(magic[0])] in magic:
            order = "<" if int.from_bytes(head[:4], "little") == size else ">"
            if int.from_bytes(head[:4], "little" if order == "<" else "big") != size:
                break
            return kind(head[:size], endianness=order, check=False)
    raise FormatError(f"{path}: not a NIfTI volume in one file, or its header is cut off")


def _repairs(header: Any) -> list[str]:
    """Let nibabel repair a header, and return what it would print with a logger of its own."""
    lines: list[str] = []
    logger, handler = logging.Logger("nifti", logging.WARNING), logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    header.check_fix(logger=logger)
    return [line for line in lines if "setting" in line]


def _check_header(path: Path, header: Any, shape: tuple[int, ...], dtype: Any, offset: int) -> None:
    if not shape or min(shape) < 1:
        raise EmptyInputError(f"{path}: declares shape {shape}; expected at least one voxel")
    if dtype.kind not in "iuf" or dtype.itemsize > 8:
        raise LabelTypeError(f"{path}: voxels have dtype {dtype}; expected integers")
    slope, intercept = float(header["scl_slope"]), float(header["scl_inter"])
    # A slope of 0 means that nothing is scaled [NIfTI-1 standard, scl_slope].
    plain = not math.isfinite(slope) or slope == 0 or (slope == 1 and intercept == 0)
    if not plain:
        raise FormatError(
            f"{path}: declares slope {slope:g} and intercept {intercept:g}, which would change the labels; "
            "save the labels unscaled"
        )
    if offset < header.sizeof_hdr:
        raise FormatError(f"{path}: its data start at byte {offset}, inside the header")


def _is_nifti(_path: Path, head: bytes) -> bool:
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, 540)
        except zlib.error:
            return False
    return any(head[at : at + len(magic)] == magic for at, (magic,) in _MAGIC.values())


@reads(
    "nifti",
    "a label volume; affines of both sides are compared, spacing comes from the header",
    (".nii", ".nii.gz"),
    sniff=_is_nifti,
    extra="medical",
    options=LABEL_OPTIONS,
    lazy=True,
)
def _read_nifti(path: Path, options: ReadOptions) -> Iterator[Item]:
    with translate_errors(path, "NIfTI volume"):
        compressed = read_start(path, 2) == _GZIP
        header = _read_header(path, compressed=compressed)
        repairs = _repairs(header)
        shape = tuple(int(length) for length in header.get_data_shape())
        dtype = header.get_data_dtype()
        affine = header.get_best_affine()
        offset = int(header["vox_offset"])
        zooms = Spacing([float(step) for step in header.get_zooms()], unit_symbol(header.get_xyzt_units()[0]))
    _check_header(path, header, shape, dtype, offset)
    if repairs:
        warnings.warn(f"{path}: damaged header: {'; '.join(repairs)[:200]}", DataWarning, stacklevel=2)
    options.check_size(shape, str(path))
    if len(shape) > 3 and set(shape[3:]) == {1}:
        warnings.warn(f"{path}: its shape {shape} is read as {shape[:3]}", DataWarning, stacklevel=2)
        shape, zooms = shape[:3], zooms[:3]
    if not np.isfinite(affine).all():
        raise FormatError(f"{path}: its affine contains numbers that are not finite")
    spatial = shape[:3] + (1,) * (3 - len(shape[:3]))
    place = GridAffine(tuple(tuple(row) for row in affine[:3].tolist()), spatial)
    content = VolumeBytes(path, offset, shape, dtype, "gzip file" if compressed else "raw")
    load = partial(load_volume, content, zooms, options)
    yield Item(path.name.removesuffix(".gz").removesuffix(".nii"), within(str(path), load), place=place)
