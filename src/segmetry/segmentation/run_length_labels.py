"""Labels stored as run lengths; they expand to an array on request."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.kernels.label_run_lengths import LabelRunLengths


@frozen_dataclass(eq=False)
class RunLengthLabels:
    """The run lengths of a label array of a shape and dtype, in the order of its elements (C order).

    ``sizes`` are the labels that occur, in ascending order, and the number of elements of each, where they are known.

    >>> RunLengthLabels(LabelRunLengths(np.array([4, 6]), np.array([7, 2])), (2, 3), np.dtype(np.uint8)).whole.tolist()
    [[7, 7, 7], [7, 2, 2]]
    """

    run_lengths: LabelRunLengths
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @cached_property
    def whole(self) -> NDArray[Any]:
        """All elements."""
        lengths = np.diff(self.run_lengths.stops, prepend=0)
        return np.repeat(self.run_lengths.labels.astype(self.dtype), lengths).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Return all elements as an array."""
        return np.array(self.whole, dtype=dtype, copy=copy)
