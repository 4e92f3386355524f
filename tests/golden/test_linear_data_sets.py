"""Means over real data: 34 page streams with a model's prediction, and three sets of texts by several annotators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import segmetry as sm
from tests.metrics.linear_pairs import assert_value

Streams = list[tuple[sm.Spans, sm.Spans]]


@pytest.fixture(scope="module")
def streams(shared_data: Path) -> Streams:
    folder = shared_data / "page_streams"
    true, pred = (json.loads((folder / f"{side}.json").read_text(encoding="utf-8")) for side in ("true", "pred"))
    assert list(true) == list(pred)
    return [tuple(sm.Spans.from_bits(side[name], first="force") for side in (true, pred)) for name in true]  # type: ignore[misc]


def test_the_page_streams_are_the_published_ones(streams: Streams) -> None:
    assert len(streams) == 34
    lengths, sizes = [true.n for true, _ in streams], [sm.window_size(true) for true, _ in streams]
    assert (min(lengths), max(lengths), sum(lengths)) == (7, 5187, 25_676)
    assert (min(sizes), max(sizes)) == (1, 66)
    assert sum(true.masses.size for true, _ in streams) == 6347


@pytest.mark.parametrize(
    ("key", "options", "mean"),
    [
        ("pk", {}, "0.147244"),
        ("window_diff", {}, "0.166536"),
        ("pk", {"padded": True}, "0.138142"),
        ("window_diff", {"padded": True}, "0.158532"),
        ("winpr_precision", {}, "0.828458"),
        ("winpr_recall", {}, "0.916259"),
        ("winpr_f1", {}, "0.831636"),
        ("boundary_similarity", {}, "0.774105"),
        ("segmentation_similarity", {}, "0.929875"),
    ],
)
def test_means_over_the_page_streams(streams: Streams, key: str, options: dict[str, bool], mean: str) -> None:
    scores = {str(at): sm.list_metrics()[key](*pair, **options) for at, pair in enumerate(streams)}
    assert_value(sm.SeveralScores(key, scores).mean, mean)


ANNOTATED = {
    "KAZANTSEVA2012_G5": "0.355301 0.425150 0.230936 0.829878 0.239958 0.242110 0.002778 0.256458",
    "KAZANTSEVA2012_G2": "0.288226 0.325716 0.447457 0.898052 0.408317 0.410684 0.003936 0.420177",
    "stargazer": "0.325815 0.411028 0.533686 0.795238 0.464450 0.465320 0.001429 0.530055",
}


@pytest.mark.parametrize("name", ANNOTATED)
def test_agreement_of_several_annotators(shared_data: Path, name: str) -> None:
    """Pairwise Pk and WindowDiff use segeval's window size, as the published numbers do."""
    folder = shared_data / "annotators"
    if name == "stargazer":
        masses = json.loads((folder / "hearst1997.json").read_text(encoding="utf-8"))["items"]
    else:
        masses = json.loads((folder / "moonstone.json").read_text(encoding="utf-8"))[name]
    items = sm.Annotations.from_masses(masses)
    agreement = sm.agreement(items)
    scores = [
        sm.pairwise(items, "pk", k="segeval").mean,
        sm.pairwise(items, "window_diff", k="segeval").mean,
        sm.pairwise(items, "boundary_similarity").mean,
        sm.pairwise(items, "segmentation_similarity").mean,
        *(agreement.pi, agreement.kappa, agreement.bias, agreement.observed),
    ]
    for score, printed in zip(scores, ANNOTATED[name].split(), strict=True):
        assert_value(score, printed)
