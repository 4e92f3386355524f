"""numpy arrays: ``.npy`` files, mapped into memory, and ``.npz`` archives with one array or one per item."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.reader import Reader, declare_reader

# A header is a Python dictionary of three fields. It is parsed by regular expressions and never evaluated.
_FIELDS = {
    "descr": re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"\\]*)['"]|(\[[^\]]*\]))"""),
    "fortran_order": re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)"""),
    "shape": re.compile(r"""['"]shape['"]\s*:\s*\(([\d,\s]*)\)"""),
}
_REST = re.compile(r"\{[\s,]*\}\s*")
_NUMBERS = re.compile(r"[<>|=]?(b1|\?|[iu][1248]|f[248])")
LONGEST_HEADER = 10_000


def _header(file: IO[bytes], where: str, options: ReadOptions) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and dtype of an array, checked before any element is read."""
    start = file.read(10)
    if len(start) < 10 or start[:6] != npy_format.MAGIC_PREFIX or start[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
        raise FormatError(f"{where}: not a numpy array of version 1 to 3, or cut off")
    length = int.from_bytes(start[8:] if start[6] == 1 else start[8:] + file.read(2), "little")
    if length > LONGEST_HEADER:
        raise FormatError(f"{where}: declares a header of {length} bytes; expected at most {LONGEST_HEADER}")
    head = file.read(length)
    if len(head) != length:
        raise FormatError(f"{where}: the header is cut off")
    kind, fortran, shape = _fields(head.decode("latin-1"), where)
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {shape}; expected at least one element")
    options.check_size(shape, where)
    return shape, fortran, np.dtype(kind)


def _fields(head: str, where: str) -> tuple[str, bool, tuple[int, ...]]:
    fields, rest = {}, head
    for name, pattern in _FIELDS.items():
        match = pattern.search(rest)
        if match is None:
            raise FormatError(f"{where}: damaged numpy header: {name!r} is missing")
        fields[name] = match[1] if match[1] is not None else match[2]
        rest = rest[: match.start()] + rest[match.end() :]
    if not _REST.fullmatch(rest):
        raise FormatError(f"{where}: damaged numpy header: {rest.strip()[:40]!a}")
    if not _NUMBERS.fullmatch(fields["descr"]):
        objects = "O" in fields["descr"]
        content = "Python objects, which are never unpickled" if objects else "no integers"
        raise LabelTypeError(f"{where}: contains {content} (dtype {fields['descr'][:40]!a}); expected integers")
    lengths = [text.strip() for text in fields["shape"].split(",")]
    if lengths and not lengths[-1]:
        lengths.pop()
    if not all(text.isdecimal() and len(text) < 20 for text in lengths):
        raise FormatError(f"{where}: damaged numpy header: shape ({fields['shape'][:40]!a})")
    return fields["descr"], fields["fortran_order"] == "True", tuple(int(text) for text in lengths)


def _read_npy(path: Path, options: ReadOptions) -> Iterator[Item]:
    with path.open("rb") as file:
        shape, fortran, dtype = _header(file, str(path), options)
        offset = file.tell()
    n_bytes = offset + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if path.stat().st_size != n_bytes:
        raise FormatError(
            f"{path}: {path.stat().st_size} bytes; its header needs {n_bytes}: the file is cut off or damaged"
        )
    order: Any = "F" if fortran else "C"
    array: NDArray[Any] = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=shape, order=order)
    yield Item(path.stem, read_labels(array, options))  # a large map is read again block by block


def _read_npz(path: Path, options: ReadOptions) -> Iterator[Item]:
    with translate_errors(path, "archive"):
        archive = zipfile.ZipFile(path)
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
        shape, fortran, dtype = _header(file, where, options)
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
        sniff=lambda _path, head: head.startswith(npy_format.MAGIC_PREFIX),
        read=_read_npy,
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
        options=LABEL_OPTIONS,
    )
)
