"""A stored array that remembers the chunks it decoded last: for many small reads that lie near each other."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.storage.stored_arrays import Region, StoredArray

MOST_BYTES = 2**26


class Remembered(StoredArray):
    """The same array; up to some bytes of decoded chunks are kept, those used last."""

    def __init__(self, found: StoredArray, most_bytes: int = MOST_BYTES) -> None:
        self.found, self.shape, self.dtype, self.edges = found, found.shape, found.dtype, found.edges
        self._most, self._held = most_bytes, 0
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
        chunk = self.found.read(box)
        self._chunks[place] = chunk
        self._held += chunk.nbytes
        while self._held > self._most and len(self._chunks) > 1:
            self._held -= self._chunks.popitem(last=False)[1].nbytes
        return chunk
