"""Shards of zarr version 3: one file with many chunks and an index of their positions.

The index has two 64-bit numbers for every chunk, its offset and its length, all ones where the chunk is absent; a
CRC-32C may follow it. [zarr specification, sharding codec, version 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional
from segmetry.errors import FormatError
from segmetry.storage.zarr.metadata import ArrayMetadata, Shards

_ABSENT = 2**64 - 1
_SUM = 4  # bytes of a checksum


def shard_parts(file: Path, metadata: ArrayMetadata, places: Sequence[tuple[int, ...]]) -> Iterator[bytes | None]:
    """Yield the compressed bytes of some chunks of a shard, None for an absent chunk."""
    if metadata.shards is None:
        raise FormatError(f"{file}: is not a shard")
    counts = [outer // inner for outer, inner in zip(metadata.chunks, metadata.shards.chunks, strict=True)]
    size = file.stat().st_size
    with file.open("rb") as content:
        index = _index(content, size, math.prod(counts), metadata.shards, str(file))
        for place in places:
            offset, length = (int(number) for number in index[int(np.ravel_multi_index(place, counts))])
            if offset == length == _ABSENT:
                yield None
                continue
            if offset + length > size:
                raise FormatError(f"{file}: the chunk {place} is at bytes {offset} to {offset + length} of {size}")
            content.seek(offset)
            yield content.read(length)


def _index(content: IO[bytes], size: int, count: int, shards: Shards, where: str) -> NDArray[Any]:
    length = 16 * count
    n_bytes = length + _SUM * shards.checked
    if n_bytes > size:
        raise FormatError(f"{where}: {size} bytes; its index alone needs {n_bytes}: the shard is cut off")
    content.seek(0 if shards.index_first else size - n_bytes)
    index = content.read(n_bytes)
    if shards.checked:
        checksum = import_optional("google_crc32c", "checking the index of a zarr shard", "zarr").value(index[:length])
        if checksum != int.from_bytes(index[length:], "little"):
            raise FormatError(f"{where}: the index of the shard does not match its checksum: the file is damaged")
    return np.frombuffer(index[:length], dtype="<u8").reshape(count, 2)
