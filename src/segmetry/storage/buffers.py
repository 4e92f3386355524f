"""A pool of large buffers.

The system clears every page of memory it hands out for the first time, which takes longer than decompressing a chunk
of labels into memory the process has already. So a buffer returns to the pool when the last array that uses it is gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ByteArray = NDArray[np.uint8]

LEAST_POOLED = 2**20
MOST_FREE = 2**26
"""Most bytes of free buffers of one size."""
_free: dict[int, list[ByteArray]] = {}


class _Lent:
    """Keeps a buffer as long as an array uses its memory."""

    def __init__(self, buffer: ByteArray) -> None:
        self.buffer = buffer
        self.__array_interface__: dict[str, Any] = buffer.__array_interface__

    def __del__(self) -> None:
        free = _free.setdefault(self.buffer.size, [])
        if (len(free) + 1) * self.buffer.size <= MOST_FREE:
            free.append(self.buffer)


def buffer_of(size: int) -> ByteArray:
    """Return a buffer of uninitialised bytes.

    >>> first = buffer_of(2**20)
    >>> address = first.ctypes.data
    >>> del first
    >>> buffer_of(2**20).ctypes.data == address
    True
    """
    if size < LEAST_POOLED:
        return np.empty(size, dtype=np.uint8)
    try:
        buffer = _free[size].pop()
    except (KeyError, IndexError):  # not tested first: another thread may be quicker
        buffer = np.empty(size, dtype=np.uint8)
    return np.asarray(_Lent(buffer))
