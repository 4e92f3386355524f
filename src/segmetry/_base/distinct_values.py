"""The distinct values of an array, by sorting.

``numpy.unique`` looks values up in a hash table from numpy 2.3 on. Its time grows faster than its input once the table
has left the caches: thirty times for ten times as many edges of spans.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

ScalarType = TypeVar("ScalarType", bound=np.generic)


def distinct(values: NDArray[ScalarType]) -> NDArray[ScalarType]:
    """Return the distinct values in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values, axis=None)
    is_first = np.ones(ordered.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
