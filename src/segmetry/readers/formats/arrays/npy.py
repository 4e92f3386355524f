"""numpy arrays: ``.npy`` files, read in parts, and ``.npz`` archives with one array or one per item.

The header is parsed and checked before any element is read, and never evaluated.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from segmetry._base import translate_errors
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError, SegmetryError
from segmetry.readers.items import Item, check_name
from segmetry.readers.label_reading import ARRAY, LABEL_OPTIONS, chosen_arrays, read_labels
from segmetry.readers.parts.file_head import opened
from segmetry.readers.reader import ReadOptions, reads
from segmetry.storage import PlainFile

if TYPE_CHECKING:
    import zipfile

# A header is a Python dictionary of three fields. It is parsed by regular expressions and never evaluated.
_FIELDS = {
    "descr": re.compile(r"""['"]descr['"]\s*:\s*(?:['"]([^'"\\]*)['"]|(\[[^\]]*\]))"""),
    "fortran_order": re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)"""),
    "shape": re.compile(r"""['"]shape['"]\s*:\s*\(([\d,\s]*)\)"""),
}
_REST = re.compile(r"\{[\s,]*\}\s*")
_NUMBERS = re.compile(r"[<>|=]?(b1|\?|[iu][1248]|f[248])")
LONGEST_HEADER = 10_000  # as numpy itself allows


def read_header(file: IO[bytes], where: str, options: ReadOptions) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
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
    kind, fortran, shape = _header_fields(head.decode("latin-1"), where)
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {shape}; expected at least one element")
    options.check_size(shape, where)
    return shape, fortran, np.dtype(kind)


def _header_fields(head: str, where: str) -> tuple[str, bool, tuple[int, ...]]:
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


def array_in_file(path: Path, options: ReadOptions) -> PlainFile:
    """Return the array of a file, whose size must be what its header says."""
    with opened(path) as file:
        shape, fortran, dtype = read_header(file, str(path), options)
        offset = file.tell()
    n_bytes = offset + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if path.stat().st_size != n_bytes:
        raise FormatError(
            f"{path}: {path.stat().st_size} bytes; its header needs {n_bytes}: the file is cut off or damaged"
        )
    return PlainFile(path, offset, shape, dtype, "F" if fortran else "C")


INSTANCE_AND_CLASS, CLASS_CHANNELS = 2, 6
"""The length of the last axis of images of nuclei with classes: CoNIC, PanNuke."""
LEAST_SIDE = 16
"""Images of nuclei are larger; a smaller array of four axes is a volume or a video."""


def stacked_channels(head: bytes) -> int | None:
    """Return the number of channels of a stack of images with classes, from the first bytes; None for other arrays."""
    if not head.startswith(npy_format.MAGIC_PREFIX):
        return None
    try:
        shape, _, _ = read_header(io.BytesIO(head), "", ReadOptions())
    except SegmetryError:
        return None
    is_stack = len(shape) == 4 and min(shape[1:3]) >= LEAST_SIDE and shape[3] in (INSTANCE_AND_CLASS, CLASS_CHANNELS)
    return shape[3] if is_stack else None


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str, options: ReadOptions) -> NDArray[Any]:
    with translate_errors(where, "archive"), archive.open(member) as file:  # each compression has errors of its own
        shape, fortran, dtype = read_header(file, where, options)
        n_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        content = file.read(n_bytes + 1)
    if len(content) != n_bytes:
        raise FormatError(f"{where}: its header needs {n_bytes} bytes of data; the archive contains another number")
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran else "C")


@reads(
    "npy",
    "one label array in a numpy file",
    (".npy",),
    sniff=lambda _path, head: head.startswith(npy_format.MAGIC_PREFIX) and stacked_channels(head) is None,
    signatures=(npy_format.MAGIC_PREFIX,),
    options=LABEL_OPTIONS,
)
def _read_npy(path: Path, options: ReadOptions) -> Iterator[Item]:
    yield Item(path.stem, read_labels(array_in_file(path, options), options))  # a large one is read block by block


@reads(
    "npz",
    "label arrays in a numpy archive, one per item",
    (".npz",),
    sniff=lambda path, head: head.startswith(b"PK") and path.suffix == ".npz",
    signatures=(b"PK\3\4",),
    options=(*LABEL_OPTIONS, ARRAY),
)
def _read_npz(path: Path, options: ReadOptions) -> Iterator[Item]:
    from zipfile import ZipFile

    with translate_errors(path, "archive"):
        archive = ZipFile(path)
    with archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        if not members:
            raise FormatError(f"{path}: contains no numpy array")
        by_name = {member.filename.removesuffix(".npy"): member for member in members}
        chosen = chosen_arrays([*by_name], options, path)
        for inner in chosen:
            member = by_name[inner]
            check_name(member.filename, f"{path}: the name of a member")
            name = path.stem if len(chosen) == 1 else inner
            yield Item(name, read_labels(_read_member(archive, member, f"{path}:{member.filename}", options), options))
