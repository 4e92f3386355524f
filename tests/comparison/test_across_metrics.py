"""Clusters, groups of items, families of corrections, ranks across metrics and rank tests, each written out."""

from __future__ import annotations

import json
import math
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import segmetry as sm
from segmetry.comparison import (
    Comparison,
    Gate,
    across_table,
    cautions,
    margins,
    methods_sentences,
    rank_test_table,
    systems_records,
    systems_table,
)
from segmetry.comparison.across_metrics import rank_interval
from segmetry.comparison.comparison_tables import differences_table
from segmetry.comparison.verdict import verdict_sentence
from segmetry.errors import OptionError
from segmetry.metrics import AVERAGES, METRICS
from segmetry.outputs import comparison_plots
from segmetry.results import p_value
from segmetry.statistics import interval_of, rank_test
from segmetry.statistics.difference import benjamini_hochberg, families
from segmetry.statistics.random_draws import resampled_weights
from tests.comparison.made import systems

N = 24
PATIENT = sm.ByItem("patient", {f"{at:03}": f"p{at // 3}" for at in range(N)})
SITE = sm.ByItem("site", {f"{at:03}": "north" if at % 4 else "south" for at in range(N)})


@pytest.fixture(scope="module")
def runs() -> dict[str, sm.Run]:
    return dict(zip(("c", "a", "b"), systems(N, (0.1, 0.2, 0.25), classes=False), strict=True))


@pytest.fixture(scope="module")
def comparison(runs: dict[str, sm.Run]) -> Comparison:
    return sm.compare(runs, cluster=PATIENT, by=[SITE], correct=["pairs", "metrics"], resamples=400, rng=3)


def test_clusters_are_drawn_and_exchanged_as_a_whole(runs: dict[str, sm.Run], comparison: Comparison) -> None:
    values = {name: np.array([row["pq"] for row in run.items()]) for name, run in runs.items()}
    cluster = np.arange(N) // 3
    weights = np.concatenate(list(resampled_weights(8, 400, 3)), axis=1)[cluster]
    gap = values["a"] - values["c"]
    row = comparison.difference("pq", "by_item", "c", "a")
    drawn = gap @ weights / weights.sum(axis=0)
    assert row.interval.percentile == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    sums = np.bincount(cluster, gap)
    signs = np.array([[1 - 2 * (n >> bit & 1) for bit in range(8)] for n in range(256)])
    assert (row.exact, row.n_permutations) == (True, 256)
    assert row.p == pytest.approx((np.abs(signs @ sums) >= abs(gap.sum()) - 1e-9).mean())
    left_out = np.array([gap[cluster != one].mean() for one in range(8)])
    assert row.interval.bca == pytest.approx(interval_of(gap.mean(), drawn, left_out).bca)
    assert row.paired is not None and row.paired.wilcoxon == pytest.approx(stats.wilcoxon(sums / 3).pvalue)
    assert comparison.units == "24 items of 8 patients"


def test_a_group_of_items_is_a_data_set_of_its_own(runs: dict[str, sm.Run], comparison: Comparison) -> None:
    rows = [row for row in comparison.differences if row.level == "site"]
    assert {row.name for row in rows} == {"north", "south"}
    for row in rows:
        for name, value in ((row.first, row.first_value), (row.second, row.second_value)):
            group = runs[name].data.only({item for item, site in SITE.labels.items() if site == row.name})
            assert value == pytest.approx(group.score(row.key, AVERAGES[row.average]).value, nan_ok=True)
    place = "pq", "by_item", "c", "a"
    (test,) = [one for one in comparison.heterogeneity if (one.key, one.average, one.first, one.second) == place]
    gaps = {row.name: row for row in rows if (row.key, row.average, row.first, row.second) == place}
    values = np.array([gaps[name].value for name in ("north", "south")])
    errors = np.array([gaps[name].interval.standard_error for name in ("north", "south")], dtype=float)
    z = (values[1] - values[0]) / math.hypot(*errors)
    assert (test.q, test.p) == (pytest.approx(z * z), pytest.approx(2 * stats.norm.sf(abs(z))))


def test_every_item_needs_a_cluster_before_anything_is_drawn(runs: dict[str, sm.Run]) -> None:
    with pytest.raises(OptionError, match="item '001' has no patient"):
        sm.compare(runs, cluster=sm.ByItem("patient", {"000": 1}))
    with pytest.raises(OptionError, match="expected correct of"):
        sm.compare(runs, correct=["classes"])


def test_families_are_corrected_together(comparison: Comparison) -> None:
    of_data = [row for row in comparison.differences if row.level == "data set"]
    usual = [row for row in of_data if row.average == comparison.averages(row.key)[0]]
    p = [row.p for row in usual]
    assert len(usual) == 3 * len({row.key for row in usual})
    defined = [one for one in p if one is not None]
    expected = iter(stats.false_discovery_control(defined))
    assert benjamini_hochberg(p) == [None if one is None else pytest.approx(next(expected)) for one in p]
    assert [row.p_bh for row in usual] == benjamini_hochberg(p)
    assert sorted(map(len, families(comparison.differences, ()))) == [1] * len(comparison.differences)


def test_the_verdict_and_the_table_state_p_after_the_chosen_correction(runs: dict[str, sm.Run]) -> None:
    two = dict(list(runs.items())[:2])
    found = {}
    for correction in ("holm", "bh"):
        compared = sm.compare(two, correction=correction, correct=["metrics"], resamples=200)
        rows = [row for row in compared.differences if row.level == "data set" and row.p_holm != row.p_bh]
        corrected = compared.p_of(rows[0])
        assert corrected == (rows[0].p_holm if correction == "holm" else rows[0].p_bh)
        found[correction] = p_value(corrected)
        assert f"p = {found[correction]}" in verdict_sentence(compared, rows[0].key, rows[0].average)
        table = differences_table(compared, *two)
        at = table.headings.index(compared.p_heading)
        assert found[correction] in [str(line[at]) for line in table.rows if len(line) > 1]
    assert found["holm"] != found["bh"]


def test_simultaneous_intervals_cover_the_largest_deviation(runs: dict[str, sm.Run]) -> None:
    found = sm.compare(runs, metrics="pq", resamples=500)
    weights = np.concatenate(list(resampled_weights(N, 500)), axis=1)
    values = {name: np.array([row["pq"] for row in run.items()]) for name, run in runs.items()}
    gaps = {(a, b): (values[b] - values[a]) @ weights / N for a, b in combinations(runs, 2)}
    spreads = [np.abs(one - (values[b] - values[a]).mean()) / one.std(ddof=1) for (a, b), one in gaps.items()]
    largest = np.max(spreads, axis=0)
    for (a, b), one in gaps.items():
        row, half = found.difference("pq", "by_item", a, b), np.quantile(largest, 0.95) * one.std(ddof=1)
        assert row.simultaneous == pytest.approx((row.value - half, row.value + half))


@pytest.mark.slow
def test_every_order_of_the_systems_gives_the_same_bits(runs: dict[str, sm.Run]) -> None:
    found = []
    for names in permutations(runs):
        comparison = sm.compare({name: runs[name] for name in names}, metrics="pq,rq", resamples=200)
        rows = {}
        for row in comparison.differences:
            if row.second < row.first:
                ends = row.interval.negated()
                turned = None if row.simultaneous is None else tuple(-end for end in row.simultaneous[::-1])
            else:
                ends, turned = row.interval, row.simultaneous
            place = *sorted((row.first, row.second)), row.key, row.average
            rows[place] = (ends, turned, row.p, row.p_holm, row.p_bh, row.detectable)
        found.append((rows, comparison.rank_tests, {name: comparison.values[name].to_dict() for name in sorted(runs)}))
    assert all(one == found[0] for one in found)


def test_ranks_across_metrics(comparison: Comparison) -> None:
    across = comparison.across()
    assert across.by_metric[0].cell.metric == comparison.headline and across.by_metric[0].tau == 1
    for row in across.by_metric:
        better = [-value if METRICS[row.cell.metric].better == "lower" else value for value in row.values]
        assert list(row.ranks) == [1 + sum(other > value for other in better) for value in better]
        assert all(low <= rank <= high for rank, (low, high) in zip(row.ranks, row.rank_intervals, strict=True))
    assert across.taus[0][0] == 1 and len(across.taus) == len(across.by_metric)
    assert len(across.rows()) == 3 * len(across.by_metric)
    assert across_table(across)[(f"{across.by_metric[0].cell.name} ↑", "tau")] is None, "text"
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_rank_tests_are_those_of_scipy(comparison: Comparison, runs: dict[str, sm.Run]) -> None:
    (test,) = [one for one in comparison.rank_tests if one.key == "pq"]
    values = [np.array([row["pq"] for row in runs[name].items()]).reshape(8, 3).mean(axis=1) for name in test.systems]
    assert test.p == pytest.approx(stats.friedmanchisquare(*values).pvalue)
    assert test.critical_difference == pytest.approx(2.343 * math.sqrt(3 * 4 / (6 * 8)), rel=1e-3), "q of Demsar"
    assert "Friedman" in rank_test_table(comparison, test).notes[0]
    assert rank_test("pq", "ab", np.ones((2, 5)), 0.95, higher=True) is None


def test_a_table_of_systems_for_a_paper(comparison: Comparison) -> None:
    latex = str(systems_table(comparison, spread="sd").to("latex"))
    assert r"\textbf{" in latex and r"$\pm$" in latex and r"\footnotesize Bold: best" in latex
    assert "**" in str(systems_table(comparison).to("markdown")) and "<b>" in str(systems_table(comparison).to("html"))
    records = systems_records(comparison)
    assert {row["system"] for row in records if row["key"] == "pq" and row["best"]} == {"c"}
    assert "24 items of 8 patients" in methods_sentences(comparison)
    assert cautions(comparison)[0].startswith("Only 8 patients")


def test_a_margin_is_kept_or_not(comparison: Comparison) -> None:
    row = comparison.difference("pq", None, "c", "b")
    assert row.interval.best is not None
    least, most = (-end for end in row.interval.best[::-1])
    assert -0.3 < least < 0 < most, "b may be worse than c, or not"
    for margin, decision in ((most + 0.3, "equivalent"), (most / 2, "inconclusive"), ((most - least) / 2, None)):
        (_, found) = margins(comparison, [Gate("pq", row.average, margin)])
        assert decision in (None, found["decision"])
        error = row.interval.standard_error
        assert found["p"] == pytest.approx(stats.norm.cdf((-row.value - margin) / error))


def test_plots_show_ranks_and_the_critical_difference(comparison: Comparison, tmp_path: Path) -> None:
    plots = comparison_plots(comparison)
    assert {"across", "critical_difference"} <= set(plots)
    assert "CD = " in plots["critical_difference"].svg and "same order" in plots["across"].svg


def test_the_example_of_rank_interval() -> None:
    assert rank_interval((0.01, 0.9, 0.06, 0.03), 0.95) == (2, 4)
