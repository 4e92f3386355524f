"""The statistics of comparisons against scipy, statsmodels and scikit-posthocs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from segmetry.statistics import (
    Draws,
    cochran_q,
    interval_of,
    kendall_tau,
    median_interval,
    paired,
    rank_test,
)
from segmetry.statistics.difference import benjamini_hochberg, holm

pytestmark = pytest.mark.peers


@pytest.mark.parametrize(("method", "ours"), [("holm", holm), ("fdr_bh", benjamini_hochberg)])
def test_corrections_are_those_of_statsmodels(method: str, ours: object) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for seed in range(20):
        p = np.random.default_rng(seed).random(1 + seed) ** 3
        assert ours(p.tolist()) == pytest.approx(multitest.multipletests(p, method=method)[1])  # type: ignore[operator]


def test_q_is_that_of_statsmodels() -> None:
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    numbers = np.random.default_rng(3)
    for n in (2, 3, 8):
        values, errors = numbers.normal(size=n), 0.1 + numbers.random(n)
        expected = meta.combine_effects(values, errors**2)
        assert cochran_q(values, errors)[0] == pytest.approx(expected.q)


@pytest.mark.parametrize("ties", [False, True])
def test_nemenyi_and_friedman_are_those_of_scikit_posthocs(ties: bool) -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    values = np.random.default_rng(5).normal(size=(4, 30)) + np.arange(4)[:, None] * 0.4
    values = np.round(values) if ties else values
    test = rank_test("pq", "abcd", values, 0.95, higher=True)
    assert test is not None
    expected = np.asarray(posthocs.posthoc_nemenyi_friedman(values.T))
    assert test.nemenyi == pytest.approx([expected[i, j] for i, j in combinations(range(4), 2)], rel=1e-6)
    wilcoxon = np.asarray(posthocs.posthoc_wilcoxon(values.tolist(), p_adjust="holm"))
    if not ties:
        assert test.wilcoxon == pytest.approx([wilcoxon[i, j] for i, j in combinations(range(4), 2)], rel=1e-6)


@pytest.mark.parametrize("n", [6, 11, 40])
def test_the_interval_of_a_median_is_that_of_scipys_quantile_test(n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(n).normal(size=n)
    for level in (0.8, 0.9, 0.95):
        expected = stats.quantile_test(values, q=0, p=0.5).confidence_interval(level)
        found = median_interval(values, level).best
        assert found == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("ties", [False, True])
def test_wilcoxon_and_effect_sizes_are_those_of_scipy(ties: bool) -> None:
    stats = pytest.importorskip("scipy.stats")
    gaps = np.random.default_rng(8).normal(0.3, 1, 30)
    gaps = np.round(gaps) if ties else gaps
    found = paired(gaps)
    assert found.wilcoxon == pytest.approx(stats.wilcoxon(gaps[gaps != 0]).pvalue)
    assert found.cohens_d == pytest.approx(gaps.mean() / gaps.std(ddof=1))
    moved = gaps[gaps != 0]
    ranks = stats.rankdata(np.abs(moved))
    assert found.rank_biserial == pytest.approx((ranks[moved > 0].sum() - ranks[moved < 0].sum()) / ranks.sum())


def test_kendalls_tau_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    numbers = np.random.default_rng(4)
    for _ in range(20):
        first, second = numbers.integers(0, 4, (2, 7)).astype(float)
        if len(set(first)) > 1 < len(set(second)):
            assert kendall_tau(first, second) == pytest.approx(stats.kendalltau(first, second).statistic)


def test_bca_intervals_are_those_of_scipy_from_the_same_resamples() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(6).exponential(size=40)
    drawn = np.concatenate([values @ block / values.size for block in Draws(40, 20_000)])
    left_out = (values.sum() - values) / (values.size - 1)
    ours = interval_of(values.mean(), drawn, left_out).bca
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_permutation_p_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    import segmetry as sm

    numbers = np.random.default_rng(3)
    true = {f"{at}": np.sort(numbers.integers(0, 4, 30)) for at in range(10)}
    noisy = [
        {name: np.where(numbers.random(30) < share, 1, one) for name, one in true.items()} for share in (0.2, 0.35)
    ]
    runs = [sm.evaluate(true, pred, metrics="rand_index") for pred in noisy]
    first, second = ([row["rand_index"] for row in run.items()] for run in runs)
    expected = stats.permutation_test(
        (np.array(first), np.array(second)),
        lambda x, y, axis: (y - x).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    difference = sm.compare(*runs, names=["x", "y"]).difference("rand_index", "by_item")
    assert difference.exact and difference.p == pytest.approx(expected.pvalue)
