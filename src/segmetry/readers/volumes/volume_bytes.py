"""The elements of a volume behind a text header: plain or compressed, never more than the header declares.

Files are read in pieces, so that a short file fails before memory is allocated, and one that unpacks to more is noticed
as soon as it does.
"""

from __future__ import annotations

import bz2
import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.storage.opened_arrays import MappedFile

_PIECE = 1 << 20
_WINDOW = {"gzip": 31, "zlib": 15}


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
                content = self._content(file)
        except (OSError, EOFError, zlib.error, ValueError) as problem:
            raise FormatError(f"{self.path}: damaged {self.encoding} data: {problem}") from None
        if len(content) != self.n_bytes:
            size = "more" if len(content) > self.n_bytes else len(content)
            raise FormatError(
                f"{self.path}: its header needs {self.n_bytes} bytes of elements; the file contains {size}"
            )
        return np.frombuffer(content, dtype=self.dtype).reshape(self.shape, order="F")

    def _content(self, file: IO[bytes]) -> bytearray:
        """Return the unpacked bytes, at most one more than the header declares."""
        content, unpacker = bytearray(), _unpacker(self.encoding)
        while len(content) <= self.n_bytes:
            piece = file.read(_PIECE)
            if not piece:
                break
            most = self.n_bytes + 1 - len(content)
            content += piece[:most] if unpacker is None else b"" if unpacker.eof else unpacker.decompress(piece, most)
        if unpacker is not None and not unpacker.eof and len(content) <= self.n_bytes:
            raise EOFError("it is cut off")
        return content


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _unpacker(encoding: str) -> _Unpacker | None:
    if encoding == "raw":
        return None
    return bz2.BZ2Decompressor() if encoding == "bzip2" else zlib.decompressobj(wbits=_WINDOW[encoding])
