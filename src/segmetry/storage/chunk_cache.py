"""A stored array that caches the chunks it decoded last: for many small reads close to each other."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.storage.stored_arrays import Region, StoredArray

MOST_BYTES = 2**26


class CachedArray(StoredArray):
    """A stored array with a cache of decoded chunks, at most ``most_bytes``, dropped in order of last use."""

    def __init__(self, stored: StoredArray, most_bytes: int = MOST_BYTES) -> None:
        self.stored, self.shape, self.dtype, self.edges = stored, stored.shape, stored.dtype, stored.edges
        self._most, self._cached_bytes = most_bytes, 0
        self._chunks: OrderedDict[tuple[int, ...], NDArray[Any]] = OrderedDict()

    def read(self, box: Region) -> NDArray[Any]:
        touched = [
            range(bisect_right(cuts, part.start) - 1, bisect_left(cuts, part.stop))
            for cuts, part in zip(self.edges, box, strict=True)
        ]
        result = np.empty([part.stop - part.start for part in box], dtype=self.dtype)
        for place in itertools.product(*touched):
            ends = [(cuts[at], cuts[at + 1]) for cuts, at in zip(self.edges, place, strict=True)]
            both = [(max(p.start, low), min(p.stop, high)) for p, (low, high) in zip(box, ends, strict=True)]
            source = tuple(slice(a - low, b - low) for (a, b), (low, _) in zip(both, ends, strict=True))
            target = tuple(slice(a - p.start, b - p.start) for (a, b), p in zip(both, box, strict=True))
            result[target] = self._chunk(place, tuple(slice(*end) for end in ends))[source]
        return result

    def _chunk(self, place: tuple[int, ...], box: Region) -> NDArray[Any]:
        if place in self._chunks:
            self._chunks.move_to_end(place)
            return self._chunks[place]
        chunk = self.stored.read(box)
        self._chunks[place] = chunk
        self._cached_bytes += chunk.nbytes
        while self._cached_bytes > self._most and len(self._chunks) > 1:
            self._cached_bytes -= self._chunks.popitem(last=False)[1].nbytes
        return chunk
