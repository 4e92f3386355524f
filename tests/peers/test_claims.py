"""Claims of docs/peers.toml about mir_eval that no other test shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm

pytestmark = pytest.mark.peers

Labels = NDArray[np.int64]
CASES = 200


def pairs(seed: int) -> Iterator[tuple[Labels, Labels]]:
    rng = np.random.default_rng(seed)
    for _ in range(CASES):
        n, most = int(rng.integers(3, 25)), int(rng.integers(2, 6))
        yield rng.integers(1, most + 1, n), rng.integers(1, most + 1, n)


def intervals(labels: Labels) -> tuple[NDArray[np.float64], list[str]]:
    """The stretches of equal labels as intervals of seconds."""
    cuts = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), labels.size]
    ends = [(float(start), float(stop)) for start, stop in pairwise(cuts)]
    return np.array(ends), [str(labels[start]) for start in cuts[:-1]]


def mir_eval(name: str, true: Labels, pred: Labels) -> Any:
    segment = pytest.importorskip("mir_eval.segment")
    return getattr(segment, name)(*intervals(true), *intervals(pred), frame_size=1.0)


def test_mir_eval_rand() -> None:
    for true, pred in pairs(1):
        assert mir_eval("rand_index", true, pred) == pytest.approx(sm.rand_index(true, pred).value, abs=1e-12)
    single = np.array([1])
    assert not sm.rand_index(single, single).is_defined
    with pytest.warns(RuntimeWarning):
        assert math.isnan(mir_eval("rand_index", single, single))


def test_mir_eval_averages_of_the_entropies() -> None:
    compared = 0
    for true, pred in pairs(2):
        nmi, ami = sm.nmi(true, pred, average="geometric"), sm.ami(true, pred, average="max")
        if nmi.is_defined and ami.is_defined:
            compared += 1
            _, peer_ami, peer_nmi = mir_eval("mutual_information", true, pred)
            assert (peer_nmi, peer_ami) == pytest.approx((nmi.value, ami.value), abs=1e-9)
    assert compared > CASES / 2


def test_mir_eval_v_measure() -> None:
    for true, pred in pairs(3):
        ours = sm.v_measure(true, pred)
        if ours.is_defined:
            assert mir_eval("vmeasure", true, pred)[2] == pytest.approx(ours.value, abs=1e-9)
    one = np.array([1, 1, 1])
    assert mir_eval("vmeasure", one, one)[2] == 0
    assert not sm.v_measure(one, one).is_defined
