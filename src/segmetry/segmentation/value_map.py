"""New values for the values of labels, all replaced at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.frozen_dataclass import frozen_dataclass


@frozen_dataclass()
class ValueMap:
    """New values by old value, and the value of all others (None: they keep theirs).

    All values are replaced at once: with 1 → 2 and 2 → 3, a 1 becomes 2 and not 3.

    >>> ValueMap({1: 2, 2: 3})(np.array([1, 2, 9])).tolist(), ValueMap({1: 2}, rest=0)(np.array([1, 9])).tolist()
    ([2, 3, 9], [2, 0])
    """

    new: Mapping[int, int]
    rest: int | None = None

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the new values."""
        result = np.array(values, dtype=self.dtype(values.dtype))
        if self.rest is not None:
            result[...] = self.rest
        limits = (0, 1) if values.dtype.kind == "b" else (np.iinfo(values.dtype).min, np.iinfo(values.dtype).max)
        possible = sorted(old for old in self.new if limits[0] <= old <= limits[1])
        if possible and values.size:
            old = np.array(possible, dtype=values.dtype)
            at = np.minimum(np.searchsorted(old, values), old.size - 1)
            changed = old[at] == values
            result[changed] = np.array([self.new[value] for value in possible], dtype=result.dtype)[at[changed]]
        return result

    def dtype(self, old: np.dtype[Any]) -> np.dtype[Any]:
        """Return a type for all new values, and for the old ones where they are kept.

        >>> str(ValueMap({7: 300}).dtype(np.dtype("u1"))), str(ValueMap({7: -1}, rest=0).dtype(np.dtype("u8")))
        ('uint16', 'int16')
        """
        targets = [*self.new.values(), *(() if self.rest is None else (self.rest,))]
        kept = [old] if self.rest is None else []
        smallest = [np.min_scalar_type(value) for value in targets]
        found = np.result_type(*kept, *smallest) if kept or smallest else old
        return np.dtype(np.int64) if found.kind == "f" else np.dtype(np.uint8) if found.kind == "b" else found

    def value_of(self, value: int) -> int:
        """Return the new value of one value.

        >>> ValueMap({7: 0}).value_of(7), ValueMap({7: 0}).value_of(8), ValueMap({7: 0}, rest=255).value_of(8)
        (0, 8, 255)
        """
        return self.new.get(value, value if self.rest is None else self.rest)
