"""numpy arrays: ``.npy`` files, mapped into memory, and ``.npz`` archives with one array or one per item."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.npy_file import mapped_array, read_header, stacked_channels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.reader import Reader, declare_reader

if TYPE_CHECKING:
    import zipfile


def _read_npy(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, read_labels(mapped_array(path, options), options))  # a large map is read block by block


def _read_npz(path: Path, options: ReadOptions) -> Iterator[Item]:
    from zipfile import ZipFile

    with translate_errors(path, "archive"):
        archive = ZipFile(path)
    with archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if not members:
            raise FormatError(f"{path}: contains no numpy array")
        for member in members:
            check_name(member.filename, f"{path}: the name of a member")
            name = path.stem if len(members) == 1 else member.filename.removesuffix(".npy")
            yield Item(name, read_labels(_member(archive, member, f"{path}:{member.filename}", options), options))


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str, options: ReadOptions) -> NDArray[Any]:
    with translate_errors(where, "archive"), archive.open(member) as file:  # each compression has errors of its own
        shape, fortran, dtype = read_header(file, where, options)
        n_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        content = file.read(n_bytes + 1)
    if len(content) != n_bytes:
        raise FormatError(f"{where}: its header needs {n_bytes} bytes of data; the archive contains another number")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran else "C")


declare_reader(
    Reader(
        name="npy",
        summary="one label array in a numpy file",
        extensions=(".npy",),
        sniff=lambda _path, head: head.startswith(npy_format.MAGIC_PREFIX) and stacked_channels(head) is None,
        read=_read_npy,
        signatures=(npy_format.MAGIC_PREFIX,),
        options=LABEL_OPTIONS,
    )
)
declare_reader(
    Reader(
        name="npz",
        summary="label arrays in a numpy archive, one per item",
        extensions=(".npz",),
        sniff=lambda path, head: head.startswith(b"PK") and path.suffix == ".npz",
        read=_read_npz,
        signatures=(b"PK\3\4",),
        options=LABEL_OPTIONS,
    )
)
