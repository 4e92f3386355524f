"""Linear segmentations: window and boundary metrics against nltk, segeval, mir_eval and scikit-learn.

Peers whose time grows with the square of the length, or with length times window, get shorter sequences; the
summary of a case gives the length. Inputs are converted beforehand: spans for segmetry, strings of gaps for nltk,
segment lengths for segeval.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional

NLTK = "nltk pk + windowdiff"
NLTK_PK = "nltk pk"
NLTK_HAMMING = "nltk ghd"
SEGEVAL = "segeval pk + window_diff"
SEGEVAL_B = "segeval boundary_similarity"
SEGEVAL_AGREEMENT = "segeval fleiss_kappa_linear"
MIR_EVAL = "mir_eval.segment.detection"
SKLEARN = "sklearn precision_recall_fscore_support"

Bits = NDArray[np.int64]


def _bits(n: int, mean: int, seed: int) -> Bits:
    """Return bits of random first elements of segments, ``mean`` elements apart on average."""
    bits = (np.random.default_rng(seed).random(n) < 1 / mean).astype(np.int64)
    bits[0] = 1
    return bits


def _near(bits: Bits, seed: int) -> Bits:
    """Return a prediction: half of the boundaries kept, the others moved by up to two elements."""
    rng = np.random.default_rng(seed)
    starts = np.flatnonzero(bits)
    moved = np.clip(starts + rng.integers(-2, 3, starts.size) * (rng.random(starts.size) < 0.5), 0, bits.size - 1)
    near = np.zeros_like(bits)
    near[moved] = 1
    near[0] = 1
    return near


def _pair(n: int, mean: int) -> tuple[Bits, Bits]:
    true = _bits(n, mean, 1)
    return true, _near(true, 2)


def _string(bits: Bits) -> str:
    return (bits[1:].astype(np.uint8) + ord("0")).tobytes().decode()


def _masses(bits: Bits) -> tuple[int, ...]:
    return tuple(sm.Spans.from_bits(bits).masses.tolist())


def _both_windows(true: sm.Spans, pred: sm.Spans, k: int) -> None:
    sm.pk(true, pred, k=k)
    sm.window_diff(true, pred, k=k)


def _nltk(true: Bits, pred: Bits, k: int) -> Call | None:
    pk, windowdiff = (optional("nltk.metrics.segmentation", name) for name in ("pk", "windowdiff"))
    if pk is None:
        return None
    strings = _string(true), _string(pred)
    return lambda: (pk(*strings, k=k), windowdiff(*strings, k))


def _segeval(true: Bits, pred: Bits, k: int) -> Call | None:
    pk, window_diff = (optional("segeval", name) for name in ("pk", "window_diff"))
    if pk is None:
        return None
    masses = _masses(pred), _masses(true)
    return lambda: (pk(*masses, window_size=k), window_diff(*masses, window_size=k))


def _spans(bits: tuple[Bits, Bits]) -> tuple[sm.Spans, sm.Spans]:
    true, pred = (sm.Spans.from_bits(side) for side in bits)
    return true, pred


@case("Pk and WindowDiff of 10⁷ elements, segments of 20", Limit(NLTK, at_least=30), quick=False)
def windows() -> Contest:
    bits = _pair(10**7, 20)
    spans = _spans(bits)
    return Contest(lambda: _both_windows(*spans, 10), {NLTK: _nltk(*bits, 10)})


@case("the same, our side read from bits each time", Limit(NLTK, at_least=30), quick=False)
def windows_from_bits() -> Contest:
    bits = _pair(10**7, 20)
    return Contest(lambda: _both_windows(*_spans(bits), 10), {NLTK: _nltk(*bits, 10)})


@case("Pk and WindowDiff of 10⁷ elements, every second one a boundary", Limit(NLTK, at_least=30), quick=False)
def windows_dense() -> Contest:
    bits = _pair(10**7, 2)
    spans = _spans(bits)
    return Contest(lambda: _both_windows(*spans, 10), {NLTK: _nltk(*bits, 10)})


@case("Pk and WindowDiff of 10⁵ elements", Limit(NLTK, at_least=20), Limit(SEGEVAL, at_least=100))
def windows_short() -> Contest:
    bits = _pair(10**5, 20)
    spans = _spans(bits)
    return Contest(lambda: _both_windows(*spans, 10), {NLTK: _nltk(*bits, 10), SEGEVAL: _segeval(*bits, 10)})


def _from_lists(true: list[int], pred: list[int], k: int) -> None:
    _both_windows(sm.Spans.from_masses(true), sm.Spans.from_masses(pred), k)


@case("Pk and WindowDiff of 40 sentences, our side read from lists of lengths each time", Limit(NLTK, at_most=1.5))
def windows_of_a_text() -> Contest:
    bits = _pair(40, 6)
    masses = [list(_masses(side)) for side in bits]
    return Contest(lambda: _from_lists(masses[0], masses[1], 3), {NLTK: _nltk(*bits, 3)})


@case("Pk, WindowDiff and B of 1,000 texts of 40 sentences; nltk has the first two", Limit(NLTK, at_least=1))
def windows_of_a_corpus() -> Contest:
    bits = [(_bits(40, 6, seed), _near(_bits(40, 6, seed), seed + 1)) for seed in range(1000)]
    lines = [[sm.Spans.from_bits(pair[side]) for pair in bits] for side in (0, 1)]
    calls = [_nltk(*pair, 3) for pair in bits]
    peer = None if None in calls else lambda: [call() for call in calls if call is not None]
    options = {"pk": {"k": 3}, "window_diff": {"k": 3}}
    keys = ("pk", "window_diff", "boundary_similarity")
    return Contest(lambda: sm.score_batch(lines[0], lines[1], keys, options=options), {NLTK: peer})


@case("Pk of 40 sentences, our side read from lists of lengths each time", Limit(NLTK_PK, at_most=1.5))
def pk_of_a_text() -> Contest:
    bits = _pair(40, 6)
    masses, strings = [list(_masses(side)) for side in bits], [_string(side) for side in bits]
    theirs = optional("nltk.metrics.segmentation", "pk")
    peer = None if theirs is None else lambda: theirs(*strings, k=3)
    return Contest(
        lambda: sm.pk(sm.Spans.from_masses(masses[0]), sm.Spans.from_masses(masses[1]), k=3), {NLTK_PK: peer}
    )


@case(
    "evaluate 1,000 texts of 40 sentences with Pk, WindowDiff and B; nltk has the first two", Limit(NLTK, at_most=2.4)
)
def evaluation_of_a_corpus() -> Contest:
    bits = [(_bits(40, 6, seed), _near(_bits(40, 6, seed), seed + 1)) for seed in range(1000)]
    true, pred = ({str(at): sm.Spans.from_bits(pair[side]) for at, pair in enumerate(bits)} for side in (0, 1))
    calls = [_nltk(*pair, 3) for pair in bits]
    peer = None if None in calls else lambda: [call() for call in calls if call is not None]
    options = {"pk": {"k": 3}, "window_diff": {"k": 3}}
    keys = ("pk", "window_diff", "boundary_similarity")
    return Contest(lambda: sm.evaluate(true, pred, metrics=keys, options=options, engine="serial"), {NLTK: peer})


@case("WinPR of 10⁷ elements; no peer has it, so beside nltk's two", Limit(NLTK, at_least=30), quick=False)
def winpr() -> Contest:
    bits = _pair(10**7, 20)
    spans = _spans(bits)
    return Contest(lambda: sm.winpr_f1(*spans, k=10), {NLTK: _nltk(*bits, 10)})


def _boundary_similarity(n: int, n_t: int) -> Contest:
    bits = _pair(n, 20)
    spans, masses = _spans(bits), (_masses(bits[0]), _masses(bits[1]))
    theirs = optional("segeval", "boundary_similarity")
    peer = None if theirs is None else lambda: theirs(*masses, n_t=n_t)
    return Contest(lambda: sm.boundary_similarity(*spans, n_t=n_t), {SEGEVAL_B: peer})


@case("B of 10⁵ elements, neighbours transposed", Limit(SEGEVAL_B, at_least=100))
def boundary_similarity() -> Contest:
    return _boundary_similarity(10**5, 2)


@case("B of 10⁵ elements, transpositions up to 4, ours optimal and segeval's greedy", Limit(SEGEVAL_B, at_least=10))
def boundary_similarity_far() -> Contest:
    return _boundary_similarity(10**5, 5)


@case("B of 10⁷ elements against segeval's of 10⁵", Limit(SEGEVAL_B, at_most=1), quick=False)
def boundary_similarity_long() -> Contest:
    spans = _spans(_pair(10**7, 20))
    return Contest(lambda: sm.boundary_similarity(*spans), _boundary_similarity(10**5, 2).peers)


@case("generalized Hamming distance of 9,000 elements, the most nltk takes", Limit(NLTK_HAMMING, at_least=20))
def hamming() -> Contest:
    bits = _pair(9000, 10)
    spans, strings = _spans(bits), (_string(bits[0]), _string(bits[1]))
    theirs = optional("nltk.metrics.segmentation", "ghd")
    peer = None if theirs is None else lambda: theirs(*strings)
    return Contest(lambda: sm.generalized_hamming(*spans), {NLTK_HAMMING: peer})


@case("boundary F1 of 20,000 elements, tolerance 2", Limit(MIR_EVAL, at_least=5))
def tolerance() -> Contest:
    spans = _spans(_pair(20_000, 20))
    intervals = [np.stack((side.starts, side.stops), axis=1).astype(float) for side in spans]
    theirs = optional("mir_eval.segment", "detection")
    peer = None if theirs is None else lambda: theirs(*intervals, window=2, trim=True)
    return Contest(lambda: sm.boundary_f1(*spans, tolerance=2), {MIR_EVAL: peer})


@case("boundary F1 of 10⁶ elements, exact", Limit(SKLEARN, at_least=5))
def exact_boundaries() -> Contest:
    bits = _pair(10**6, 20)
    spans = _spans(bits)
    theirs = optional("sklearn.metrics", "precision_recall_fscore_support")
    peer = None if theirs is None else lambda: theirs(bits[0][1:], bits[1][1:], average="binary")
    return Contest(lambda: sm.boundary_f1(*spans), {SKLEARN: peer})


@case("κ of 6 coders on 4 texts of 500 elements", Limit(SEGEVAL_AGREEMENT, at_least=5))
def agreement() -> Contest:
    coded = {str(item): {str(at): _near(_bits(500, 10, item), at) for at in range(6)} for item in range(4)}
    ours = sm.Annotations(
        {item: {at: sm.Spans.from_bits(bits) for at, bits in row.items()} for item, row in coded.items()}
    )
    masses: dict[str, Any] = {item: {at: _masses(bits) for at, bits in row.items()} for item, row in coded.items()}
    theirs = optional("segeval", "fleiss_kappa_linear")
    peer = None if theirs is None else lambda: theirs(masses)
    return Contest(lambda: sm.agreement_kappa(ours), {SEGEVAL_AGREEMENT: peer})
