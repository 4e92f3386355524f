"""Volumes behind a text header (NRRD, MetaImage): their numbers, their grid in space, and their elements.

Files are read in pieces, so that a short file fails before memory is allocated, and one that unpacks to more is noticed
as soon as it does.
"""

from __future__ import annotations

import bz2
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import EmptyInputError, FormatError
from segmetry.readers.items import GridAffine
from segmetry.storage.opened_arrays import MappedFile

MOST_AXES = 8


def integers(text: str, what: str, least: int = 0) -> tuple[int, ...]:
    """Return integers separated by blanks.

    >>> integers("4 5 6", "sizes")
    (4, 5, 6)
    """
    words = text.split()
    if not words or not all(word.isascii() and word.isdecimal() and len(word) < 19 for word in words):
        raise FormatError(f"{what} is {text[:40]!a}; expected integers")
    numbers = tuple(map(int, words))
    if min(numbers) < least:
        raise FormatError(f"{what} is {text[:40]!a}; expected integers of at least {least}")
    return numbers


def floats(text: str, what: str, count: int) -> tuple[float, ...]:
    """Return finite numbers separated by blanks.

    >>> floats("1.5 2", "spacing", 2)
    (1.5, 2.0)
    """
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)) or len(numbers) != count:
        raise FormatError(f"{what} is {text[:60]!a}; expected {count} numbers")
    return numbers


def checked_shape(shape: Sequence[int], axes: int, where: str) -> tuple[int, ...]:
    """Return the shape of a volume, without an axis of length 0."""
    if len(shape) != axes or axes > MOST_AXES:
        raise FormatError(
            f"{where}: declares {axes} axes and sizes {tuple(shape)[:MOST_AXES]}; expected a size for each"
        )
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {tuple(shape)}; expected at least one voxel")
    return tuple(shape)


def checked_steps(steps: Sequence[float], where: str) -> tuple[float, ...]:
    """Return the spacing of a volume: positive lengths."""
    if not all(step > 0 for step in steps):
        raise FormatError(f"{where}: declares voxels of size {tuple(steps)}; expected positive lengths")
    return tuple(steps)


def grid(
    shape: Sequence[int], vectors: Sequence[Sequence[float]], origin: Sequence[float], signs: Sequence[int]
) -> GridAffine | None:
    """Return the grid of a volume or an image in coordinates from left to right, posterior to anterior, inferior to
    superior, from the vector of each axis and the position of the first voxel; None beyond three axes.

    ``signs`` are -1 for each coordinate that grows the other way.

    >>> grid((2, 3), [(0.5, 0), (0, 1)], (7, 0), (-1, -1)).affine
    ((-0.5, 0.0, 0.0, -7.0), (0.0, -1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    """
    if not 2 <= len(shape) <= 3 or len(origin) != len(shape):
        return None
    whole = (*shape, *(1,) * (3 - len(shape)))
    padded = [(*vector, *(0.0,) * (3 - len(vector))) for vector in vectors]
    padded += [(0.0, 0.0, 1.0)] * (3 - len(padded))
    start = (*origin, *(0.0,) * (3 - len(origin)))
    turn = (*signs, 1, 1)[:3]
    rows = tuple(
        tuple(turn[row] * value + 0.0 for value in (*(vector[row] for vector in padded), start[row]))
        for row in range(3)
    )
    return GridAffine(rows, whole)


_PIECE = 1 << 20
_UNPACKERS: Mapping[str, Callable[[], Any]] = {
    "raw": lambda: None,
    "gzip": lambda: zlib.decompressobj(wbits=31),
    "zlib": zlib.decompressobj,
    "bzip2": bz2.BZ2Decompressor,
}


@dataclass(frozen=True)
class VolumeBytes:
    """Where the elements of a volume are: in which file, from which byte, of which type, first axis fastest.

    ``encoding`` is raw, gzip, zlib or bzip2.
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    encoding: str = "raw"

    @property
    def n_bytes(self) -> int:
        """The number of bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    def labels(self) -> NDArray[Any] | MappedFile:
        """Return the elements; those of a plain file are mapped into memory, not read."""
        if self.encoding == "raw" and self.path.stat().st_size == self.offset + self.n_bytes:
            return MappedFile(self.path, self.offset, self.shape, self.dtype, "F")
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                content = self._unpacked_content(file)
        except (OSError, EOFError, zlib.error, ValueError) as problem:
            raise FormatError(f"{self.path}: damaged {self.encoding} data: {problem}") from None
        if len(content) != self.n_bytes:
            size = "more" if len(content) > self.n_bytes else len(content)
            raise FormatError(
                f"{self.path}: its header needs {self.n_bytes} bytes of elements; the file contains {size}"
            )
        return np.frombuffer(content, dtype=self.dtype).reshape(self.shape, order="F")

    def _unpacked_content(self, file: IO[bytes]) -> bytearray:
        """Return the unpacked bytes, at most one more than the header declares."""
        content, unpacker = bytearray(), _UNPACKERS[self.encoding]()
        while len(content) <= self.n_bytes:
            piece = file.read(_PIECE)
            if not piece:
                break
            most = self.n_bytes + 1 - len(content)
            content += piece[:most] if unpacker is None else b"" if unpacker.eof else unpacker.decompress(piece, most)
        if unpacker is not None and not unpacker.eof and len(content) <= self.n_bytes:
            raise EOFError("it is cut off")
        return content
