"""Memory grows with the boundaries, never with length times window nor with boundaries squared."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.segmentation.spans import Spans


def line(n: int, gap: int, shift: int) -> Spans:
    return Spans.from_boundaries(np.arange(gap + shift, n, gap), n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("pk", {"k": 25_000}),
        ("window_diff", {"k": 25_000, "padded": True}),
        ("winpr_f1", {"k": 25_000}),
        ("boundary_similarity", {}),
        ("boundary_similarity", {"n_t": 4}),
        ("boundary_f1", {"tolerance": 3}),
        ("generalized_hamming", {}),
        ("alignment_index", {}),
    ],
)
def test_ten_thousand_boundaries_need_no_square_of_them(key: str, options: dict[str, Any]) -> None:
    n, gap = 50_000, 5
    true, pred = line(n, gap, 0), line(n, gap, 2)
    metric = sm.list_metrics()[key]
    metric(line(50, 5, 0), line(50, 5, 2), **(options | {"k": 2} if "k" in options else options))
    assert true.boundaries.size > 9_000
    tracemalloc.start()
    try:
        metric(true, pred, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 600 * (true.boundaries.size + pred.boundaries.size), f"{peak} bytes"
