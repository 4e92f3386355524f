"""Decode Neuroglancer's compressed segmentation: blocks of few labels, each a table and indices of few bits.

The words of a channel are 32 bits, little-endian. Two of them for every block: the place of its table in the low 24
bits and the bits of an index in the high 8, then the place of its indices. Blocks and elements run along x first.
[Neuroglancer, compressed segmentation format]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import FormatError

ChannelWords = NDArray[np.uint32]

BITS = (0, 1, 2, 4, 8, 16, 32)
"""The numbers of bits an index may have."""
_WORD = np.dtype("<u4")


def decode_segmentation(
    content: bytes, shape: tuple[int, ...], block: tuple[int, ...], dtype: np.dtype[Any], where: str
) -> NDArray[Any]:
    """Return the labels of one chunk of one channel; shapes are of z, y and x.

    >>> words = np.array([1, 0 | 1 << 24, 0, 0, 0], dtype="<u4")
    >>> words[1:] = [3 | 1 << 24, 2, 0b0110, 7]  # indices 0, 1, 1, 0 of the table 7, 9
    >>> content = words.tobytes() + np.array([9], dtype="<u4").tobytes()
    >>> decode_segmentation(content, (1, 2, 2), (1, 2, 2), np.dtype("<u4"), "chunk").tolist()
    [[[7, 9], [9, 7]]]
    """
    if len(content) % 4 or len(content) < 8:
        raise _damaged(where, f"{len(content)} bytes")
    words = np.frombuffer(content, dtype=_WORD)
    start = int(words[0])
    grid = tuple(-(-length // step) for length, step in zip(shape, block, strict=True))
    count, size = math.prod(grid), math.prod(block)
    channel = words[start:]
    if start < 1 or channel.size < 2 * count:
        raise _damaged(where, f"{channel.size} words for {count} blocks")
    heads = channel[: 2 * count].reshape(count, 2).astype(np.int64)
    tables, bits, places = heads[:, 0] & 0xFFFFFF, heads[:, 0] >> 24, heads[:, 1]
    if not np.isin(bits, BITS).all():
        raise _damaged(where, f"indices of {int(bits[~np.isin(bits, BITS)][0])} bits")
    labels = np.empty((count, size), dtype=dtype)
    for width in np.unique(bits).tolist():
        chosen = np.flatnonzero(bits == width)
        index = _indices(channel, places[chosen], width, size, where)
        labels[chosen] = _looked_up(channel, tables[chosen], index, dtype, where)
    whole = (
        labels.reshape(*grid, *block)
        .transpose(0, 3, 1, 4, 2, 5)
        .reshape([g * b for g, b in zip(grid, block, strict=True)])
    )
    return whole[tuple(slice(0, length) for length in shape)]


def _indices(channel: ChannelWords, places: IntArray, width: int, size: int, where: str) -> IntArray:
    """Return the indices of some blocks, all of the same number of bits; the first is in the lowest bits of a word."""
    if width == 0:
        return np.zeros((places.size, size), dtype=np.int64)
    per_word = 32 // width
    n_words = -(-size // per_word)
    if int(places.max()) + n_words > channel.size:
        raise _damaged(where, f"indices at word {int(places.max())} of {channel.size}")
    packed = channel[places[:, None] + np.arange(n_words)].astype(np.int64)
    shifts = np.arange(per_word, dtype=np.int64) * width
    every: IntArray = (packed[:, :, None] >> shifts) & ((1 << width) - 1)
    return every.reshape(places.size, -1)[:, :size]


def _looked_up(
    channel: ChannelWords, tables: IntArray, index: IntArray, dtype: np.dtype[Any], where: str
) -> NDArray[Any]:
    """Return the labels that indices into the tables of blocks stand for."""
    step = dtype.itemsize // _WORD.itemsize
    place = tables[:, None] + index * step
    if int(place.max()) + step > channel.size:
        raise _damaged(where, f"a label at word {int(place.max())} of {channel.size}")
    labels: NDArray[Any] = channel[place].astype(dtype)
    if step == 2:
        labels |= channel[place + 1].astype(dtype) << np.array(32, dtype=dtype)
    return labels


def _damaged(where: str, words: str) -> FormatError:
    return FormatError(f"{where}: damaged compressed segmentation: {words}")
