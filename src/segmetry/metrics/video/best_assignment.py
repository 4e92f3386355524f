"""The one-to-one assignment with the largest sum of scores; scipy is imported when it is needed."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from segmetry._base.exact import IndexArray


def best_assignment(scores: NDArray[Any]) -> tuple[IndexArray, IndexArray]:
    """Return the rows and the columns of the pairs, in the order of rows.

    >>> import numpy as np
    >>> [side.tolist() for side in best_assignment(np.array([[1.0, 3.0], [0.0, 3.0]]))]
    [[0, 1], [0, 1]]
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(scores, maximize=True)
    return rows, columns
