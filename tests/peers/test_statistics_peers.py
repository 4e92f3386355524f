"""The statistics of comparisons against scipy, statsmodels and scikit-posthocs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from segmetry.statistics import cochran_q, rank_test
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
