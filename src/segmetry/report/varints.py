"""Pack lists of small numbers: seven bits to a byte (LEB128), then raw deflate, then base64.

Each list begins a new block of the deflate stream, so that it is coded by its own frequencies.
"""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

_BITS = 7
_MORE = 1 << _BITS


def varints(values: NDArray[np.int64]) -> bytes:
    """Return non-negative numbers as bytes, lower bits first, with the highest bit set in all but the last byte.

    >>> list(varints(np.array([5, 300])))
    [5, 172, 2]
    """
    rest = values.astype(np.uint64)
    width = np.ones(rest.size, dtype=np.int64)
    for place in range(1, 10):
        width += rest >> np.uint64(_BITS * place) > 0
    first = np.cumsum(width) - width
    content = np.zeros(int(width.sum()), dtype=np.uint8)
    for place in range(int(width.max(initial=0))):
        here = width > place
        digits = rest[here] >> np.uint64(_BITS * place) & np.uint64(_MORE - 1)
        content[first[here] + place] = digits.astype(np.uint8) | np.where(width[here] > place + 1, _MORE, 0)
    return content.tobytes()


def packed_lists(*lists: NDArray[np.int64]) -> str:
    """Return lists one after the other, each preceded by its length.

    >>> zlib.decompress(base64.b64decode(packed_lists(np.array([5]), np.array([300, 1]))), wbits=-15).hex(" ")
    '01 05 02 ac 02 01'
    """
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    parts = []
    for numbers in lists:
        parts += [compressor.compress(varints(np.array([numbers.size])) + varints(numbers))]
        parts += [compressor.flush(zlib.Z_PARTIAL_FLUSH)]
    return base64.b64encode(b"".join([*parts, compressor.flush()])).decode("ascii")
