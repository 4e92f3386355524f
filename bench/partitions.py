"""Metrics of two partitions of all items of a run at once, from its overlap tables.

Against scikit-learn, which is given the labels of one item after the other, and against our own scores of one table
after the other.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Contest, Limit, case, optional
from bench.shapes import cells, shifted
from segmetry.metrics.declare import METRICS
from segmetry.run.settings import Settings
from segmetry.run.stored_scores import partition_scores

LEARN, ALONE = "scikit-learn", "one table after the other"
IN_LEARN = {
    "adjusted_rand_index": "adjusted_rand_score",
    "fowlkes_mallows": "fowlkes_mallows_score",
    "homogeneity": "homogeneity_score",
    "completeness": "completeness_score",
    "v_measure": "v_measure_score",
    "nmi": "normalized_mutual_info_score",
}
SHAPE = (16, 16)


@cache
def _data(n_items: int) -> tuple[dict[str, Any], dict[str, Any], sm.Run]:
    true = {f"item {at}": cells(SHAPE, 5, seed=at) + 1 for at in range(n_items)}
    pred = {name: shifted(labels, 1) for name, labels in true.items()}
    return true, pred, sm.evaluate(true, pred, metrics="pq", engine="serial")


def _contest(n_items: int, keys: list[str], in_learn: dict[str, str]) -> Contest:
    true, pred, run = _data(n_items)
    tables, metrics = run.tables_together, [METRICS[key] for key in keys]
    counted = [table for _, table in run.tables()]
    settings = Settings.of()
    learn = {key: optional("sklearn.metrics", name) for key, name in in_learn.items()}

    def ours() -> dict[str, Any]:
        return partition_scores(metrics, settings, tables, {})

    def alone() -> list[sm.Scores]:
        return [sm.score(table, metrics=keys) for table in counted]

    def learned() -> dict[str, list[float]]:
        pairs = [(true[name].ravel(), pred[name].ravel()) for name in true]
        return {key: [call(*pair) for pair in pairs] for key, call in learn.items()}

    columns = ours()
    for key in keys:
        if [scores[key].value for scores in alone()[:20]] != columns[key].columns["value"][:20].tolist():
            raise AssertionError(f"{key} differs between one item and many")
    if not in_learn:
        return Contest(ours, {ALONE: alone})
    if None in learn.values():
        return Contest(ours, {LEARN: None})
    for key, values in learned().items():
        if not np.allclose(values, columns[key].values, atol=1e-9, equal_nan=True):
            raise AssertionError(f"{key} differs from scikit-learn")
    return Contest(ours, {LEARN: learned})


def _keys() -> list[str]:
    """The clustering metrics that are computed together, without AMI, which costs more than the others together."""
    metrics = [metric for metric in METRICS.values() if metric.of_partitions and metric.family == "clustering"]
    return [metric.key for metric in metrics if metric.key != "ami"]


@case("23 clustering metrics of 2,000 items of 16×16, from the overlap tables of a run", Limit(ALONE, at_least=100))
def clustering() -> Contest:
    return _contest(2000, _keys(), {})


@case("6 clustering metrics of 300 items of 16×16, from the overlap tables of a run", Limit(LEARN, at_least=100))
def six_metrics() -> Contest:
    return _contest(300, list(IN_LEARN), IN_LEARN)


@case("AMI of 300 items of 16×16, from the overlap tables of a run", Limit(LEARN, at_least=50))
def ami() -> Contest:
    return _contest(300, ["ami"], {"ami": "adjusted_mutual_info_score"})
