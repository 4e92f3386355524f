"""numpy arrays: ``.npy`` files, mapped into memory, and ``.npz`` archives with one array or one per item."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.readers.reader import LABEL_OPTIONS, Item, Reader, ReadOptions, declare_reader
from segmetry.segmentation import LabelArray


def _header(file: IO[bytes], where: str, options: ReadOptions) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and dtype of an array, checked before a single element is read."""
    try:
        version = npy_format.read_magic(file)
        read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except (ValueError, EOFError, UnicodeDecodeError, SyntaxError, TypeError) as problem:
        raise FormatError(f"{where}: damaged numpy header: {_first_line(problem)}") from None
    if dtype.hasobject:
        raise FormatError(f"{where}: holds Python objects (dtype {dtype}), which are never unpickled; save integers")
    options.check_size(shape, where)
    return shape, fortran, dtype


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__


def _read_npy(path: Path, options: ReadOptions) -> Iterator[Item]:
    with path.open("rb") as file:
        shape, fortran, dtype = _header(file, str(path), options)
        offset = file.tell()
    needed = offset + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if path.stat().st_size != needed:
        raise FormatError(
            f"{path}: {path.stat().st_size} bytes; its header needs {needed}: the file is cut off or damaged"
        )
    order: Any = "F" if fortran else "C"
    if 0 in shape:
        array: NDArray[Any] = np.zeros(shape, dtype=dtype)
    else:
        array = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape, order=order)
    yield Item(path.stem, LabelArray(array, **options.labels))


def _read_npz(path: Path, options: ReadOptions) -> Iterator[Item]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
            if not members:
                raise FormatError(f"{path}: holds no numpy array")
            for member in members:
                name = path.stem if len(members) == 1 else member.filename.removesuffix(".npy")
                yield Item(
                    name, LabelArray(_member(archive, member, f"{path}:{member.filename}", options), **options.labels)
                )
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError) as problem:
        raise FormatError(f"{path}: damaged archive: {_first_line(problem)}") from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str, options: ReadOptions) -> NDArray[Any]:
    with archive.open(member) as file:
        shape, fortran, dtype = _header(file, where, options)
        needed = int(np.prod(shape, dtype=object)) * dtype.itemsize
        content = file.read(needed + 1)
    if len(content) != needed:
        raise FormatError(f"{where}: its header needs {needed} bytes of data; the archive holds another number")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran else "C")


declare_reader(
    Reader(
        name="npy",
        words="one label array in a numpy file",
        extensions=(".npy",),
        sniff=lambda _path, head: head.startswith(npy_format.MAGIC_PREFIX),
        read=_read_npy,
        options=LABEL_OPTIONS,
    )
)
declare_reader(
    Reader(
        name="npz",
        words="label arrays in a numpy archive, one per item",
        extensions=(".npz",),
        sniff=lambda path, head: head.startswith(b"PK") and path.suffix == ".npz",
        read=_read_npz,
        options=LABEL_OPTIONS,
    )
)
