"""Region, graph and clustering scores: from a table, from pixels, and the expectation in AMI."""

from __future__ import annotations

import numpy as np

from bench.cases import Contest, Limit, call_of, case, optional, processor_time
from bench.shapes import cells, shifted
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.score_many import score_pair_with
from segmetry.overlaps.count import overlap
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

FIVE = "five milliseconds"
PROPS = "skimage.measure.regionprops perimeter"
AMI = "sklearn.metrics.adjusted_mutual_info_score"
SMALLER = "the same at 2²²"


def _pair() -> tuple[LabelArray, LabelArray]:
    true = cells((1024, 2048), 100, seed=1)
    return LabelArray(true, outside=None), LabelArray(shifted(true, 4), outside=None)


def _table() -> OverlapTable:
    return overlap(*_pair())


@case(
    "all region, graph and clustering scores of a 1024×2048 pair, 100 segments, from its table", Limit(FIVE, at_most=1)
)
def all_from_a_table() -> Contest:
    table = _table()
    families = ("regions", "graph", "clustering")
    keys = [
        key
        for key, metric in METRICS.items()
        if metric.family in families and metric.needs in FROM_TABLE and key != "ami"
    ]
    return Contest(lambda: score_pair_with(table, metrics=keys), {FIVE: processor_time(0.005)})


@case("shape index of a 1024×2048 pair, 100 segments, table and perimeters", Limit(PROPS, at_least=30))
def shape_index() -> Contest:
    true, pred = _pair()
    regionprops = optional("skimage.measure", "regionprops")
    metric = METRICS["shape_index"]

    def perimeters() -> list[float]:
        # Labels from 1, because the peer treats 0 as background.
        return [region.perimeter for side in (true, pred) for region in regionprops(side.labels + 1)]

    return Contest(lambda: metric(true, pred), {PROPS: None if regionprops is None else perimeters})


@case("AMI of 2 M elements, 100 segments a side, table included", Limit(AMI, at_least=10), quick=False)
def ami() -> Contest:
    true, pred = _pair()
    peer = optional("sklearn.metrics", "adjusted_mutual_info_score")
    metric = METRICS["ami"]
    return Contest(lambda: metric(true, pred), {AMI: call_of(peer, true.labels.ravel(), pred.labels.ravel())})


@case(
    "AMI of 2⁴⁰ elements from a table of 64 × 64 rows: within ten times the cost at 2²² elements",
    Limit(SMALLER, at_most=10),
)
def ami_of_a_volume() -> Contest:
    def made(n: int) -> OverlapTable:
        rng = np.random.default_rng(5)
        shares = rng.integers(1, 1000, (64, 64))
        rows = (shares * (n // int(shares.sum()))).tolist()
        return OverlapTable.from_rows([(t, h, rows[t][h]) for t in range(64) for h in range(64)])

    large, small = made(2**40), made(2**22)
    metric = METRICS["ami"]
    return Contest(lambda: metric(large), {SMALLER: lambda: metric(small)})
