"""Linear segmentations that become longer: panoptic scores of spans, windows and boundaries."""

from __future__ import annotations

import numpy as np

import segmetry as sm
from bench.growth.curves import Call, decades, grows


def _spans(size: int) -> tuple[sm.Spans, sm.Spans]:
    numbers = np.random.default_rng(3)
    true, pred = ((numbers.random(size) < 0.1).astype(np.int64) for _ in range(2))
    true[0] = pred[0] = 1
    return sm.Spans.from_bits(true), sm.Spans.from_bits(pred)


@grows("pq of spans of ten elements", "elements", decades(4, 6.5))
def spans(size: int) -> Call:
    pair = _spans(size)
    return lambda: sm.pq(*pair)


@grows("Pk of spans of ten elements", "elements", decades(4, 6.5))
def windows(size: int) -> Call:
    pair = _spans(size)
    return lambda: sm.pk(*pair)


@grows("boundary similarity of spans of ten elements", "elements", decades(4, 6.5))
def boundaries(size: int) -> Call:
    pair = _spans(size)
    return lambda: sm.boundary_similarity(*pair)
