"""Large buffers that are used again.

The system clears every page of memory it hands out for the first time, which takes longer than to unpack a chunk of
labels into memory the process has already. So a buffer goes back to a small store when the last array that looks into
it is gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ByteArray = NDArray[np.uint8]

WORTH_KEEPING = 2**20
MOST_KEPT = 2**26
"""Bytes of buffers of one size that wait to be used again."""
_waiting: dict[int, list[ByteArray]] = {}


class _Lent:
    """Holds a buffer as long as an array looks into it."""

    def __init__(self, buffer: ByteArray) -> None:
        self.buffer = buffer
        self.__array_interface__: dict[str, Any] = buffer.__array_interface__

    def __del__(self) -> None:
        waiting = _waiting.setdefault(self.buffer.size, [])
        if (len(waiting) + 1) * self.buffer.size <= MOST_KEPT:
            waiting.append(self.buffer)


def buffer_of(size: int) -> ByteArray:
    """Some bytes of any content.

    >>> first = buffer_of(2**20)
    >>> place = first.ctypes.data
    >>> del first
    >>> buffer_of(2**20).ctypes.data == place
    True
    """
    if size < WORTH_KEEPING:
        return np.empty(size, dtype=np.uint8)
    try:
        buffer = _waiting[size].pop()
    except (KeyError, IndexError):  # asked for, not looked for: another thread may be quicker
        buffer = np.empty(size, dtype=np.uint8)
    return np.asarray(_Lent(buffer))
