"""NIfTI volumes (``.nii``, ``.nii.gz``): integers stay integers, the header gives spacing and position.

Nothing is scaled: a slope or intercept would change the labels, and is an error.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.items import GridAffine, Item, within
from segmetry.readers.label_reading import LABEL_OPTIONS, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import Spacing, unit_symbol
from segmetry.storage.opened_arrays import MappedFile

_GZIP = b"\x1f\x8b"
# By the size of the header, of versions 1 and 2: the place of the magic, and the magic of one file with its voxels.
_MAGIC = {348: (344, (b"n+1\0",)), 540: (4, (b"n+2\0\r\n\x1a\n",))}
_PIECE = 1 << 20


def _open_file(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if compressed else path.open("rb")


def _load_volume(
    path: Path, shape: tuple[int, ...], dtype: Any, offset: int, zooms: Spacing, options: ReadOptions
) -> Segmentation:
    if not all(math.isfinite(step) and step > 0 for step in zooms):
        raise FormatError(f"{path}: declares voxels of size {tuple(zooms)}; expected positive lengths")
    mapped = _mapped_voxels(path, shape, dtype, offset)
    labels = _read_voxels(path, shape, dtype, offset) if mapped is None else mapped
    return read_labels(labels, options, spacing=zooms)


def _read_header(path: Path) -> Any:
    nibabel = import_optional("nibabel", "reading NIfTI", "medical")
    with _open_file(path) as file:
        head = file.read(540)
    for kind in (nibabel.Nifti1Header, nibabel.Nifti2Header):
        size = kind.sizeof_hdr
        at, magic = _MAGIC[size]
        if len(head) >= size and head[at : at + len(magic[0])] in magic:
            order = "<" if int.from_bytes(head[:4], "little") == size else ">"
            if int.from_bytes(head[:4], "little" if order == "<" else "big") != size:
                break
            return kind(head[:size], endianness=order)
    raise FormatError(f"{path}: not a NIfTI volume in one file, or its header is cut off")


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


def _mapped_voxels(path: Path, shape: tuple[int, ...], dtype: Any, offset: int) -> MappedFile | None:
    """Return the voxels of an uncompressed file, memory-mapped; None for a compressed one, which is read at once."""
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
    if compressed or path.stat().st_size != offset + math.prod(shape) * dtype.itemsize:
        return None
    return MappedFile(path, offset, shape, dtype, "F")


def _read_voxels(path: Path, shape: tuple[int, ...], dtype: Any, offset: int) -> NDArray[Any]:
    """Return the voxels, first axis fastest; read in pieces, so that a short file fails before memory is allocated."""
    n_bytes = math.prod(shape) * dtype.itemsize
    try:
        with _open_file(path) as file:
            _skip_bytes(file, offset)
            content = bytearray()
            while len(content) <= n_bytes:
                piece = file.read(min(_PIECE, n_bytes + 1 - len(content)))
                if not piece:
                    break
                content += piece
    except (OSError, EOFError, zlib.error) as problem:
        raise FormatError(f"{path}: damaged NIfTI volume: {problem}") from None
    if len(content) != n_bytes:
        size = "more" if len(content) > n_bytes else len(content)
        raise FormatError(f"{path}: its header needs {n_bytes} bytes of voxels; the file contains {size}")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F")


def _skip_bytes(file: IO[bytes], offset: int) -> None:
    while offset > 0:
        piece = file.read(min(_PIECE, offset))
        if not piece:
            return
        offset -= len(piece)


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
        header = _read_header(path)
        shape = tuple(int(length) for length in header.get_data_shape())
        dtype = header.get_data_dtype()
        affine = header.get_best_affine()
        offset = int(header["vox_offset"])
        zooms = Spacing([float(step) for step in header.get_zooms()], unit_symbol(header.get_xyzt_units()[0]))
    _check_header(path, header, shape, dtype, offset)
    options.check_size(shape, str(path))
    if not np.isfinite(affine).all():
        raise FormatError(f"{path}: its affine contains numbers that are not finite")
    spatial = shape[:3] + (1,) * (3 - len(shape[:3]))
    place = GridAffine(tuple(tuple(row) for row in affine[:3].tolist()), spatial)
    load = partial(_load_volume, path, shape, dtype, offset, zooms, options)
    yield Item(path.name.removesuffix(".gz").removesuffix(".nii"), within(str(path), load), place=place)
