"""Every metric keeps what its declaration promises; no metric is forgotten; and the contracts themselves can fail."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry._base.bibliography import reference
from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.aggregation import AggregatedMetric, Aggregation
from segmetry.metrics.declare import FAMILIES, LAST, METRICS, Example, Metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.mean_iou import class_counts
from segmetry.metrics.statistics import Quotient, Statistics
from segmetry.metrics.tally_quotient import CountQuotient, SegmentCounts, count_quotient
from segmetry.outputs.tables.explanations import explain
from segmetry.testing import contracts
from segmetry.testing.strategies import pairs_for
from tests.profiles import examples

ALL = sorted(METRICS)
PQ = METRICS["pq"]


@pytest.mark.parametrize("key", ALL)
def test_declaration_is_complete(key: str) -> None:
    contracts.check_declaration(METRICS[key])


@pytest.mark.parametrize("key", ALL)
def test_examples_give_their_values(key: str) -> None:
    contracts.check_examples(METRICS[key])


@pytest.mark.parametrize("key", ALL)
@examples(1 / 2)
@given(data=st.data())
def test_contract_holds_on_generated_pairs(key: str, data: st.DataObject) -> None:
    found = METRICS[key]
    true, pred = data.draw(pairs_for(found.kinds, found.dimensions, found.least_length))
    contracts.check_pair(found, true, pred)


NEVER_DEFINED: dict[str, str] = {
    **dict.fromkeys(
        (
            "mean_iou",
            "pixel_accuracy",
            "mean_accuracy",
            "frequency_weighted_iou",
            "category_iou",
            "iiou",
            "category_iiou",
        ),
        "undefined without classes, and the generated segments carry none",
    ),
    **{
        f"{value}_{size}": "the generated masks are smaller than 32² elements"
        for value in ("ap", "ar")
        for size in ("medium", "large")
    },
    "pq_dagger": "undefined unless stuff= names classes, and the generated segments carry none",
}


@pytest.mark.parametrize("key", [key for key in ALL if key not in NEVER_DEFINED])
def test_is_defined_on_a_tenth_of_the_generated_pairs(key: str) -> None:
    contracts.check_defined(METRICS[key], examples=40)


@pytest.mark.parametrize("key", [key for key in ALL if METRICS[key].statistics is not None])
def test_the_value_of_any_data_set_follows_from_its_items(key: str) -> None:
    contracts.check_statistics(METRICS[key])


def test_a_formula_that_forgets_how_often_an_item_counts_is_noticed() -> None:
    def forgetful(statistics: Statistics, times: IntArray) -> tuple[Quotient, tuple[Hashable, ...]]:
        names = statistics.labels["class"]
        return Quotient(np.full((len(names), times.shape[1]), statistics.total("shared")), 100), names

    broken = Aggregation(class_counts, forgetful, is_ranked=True)
    compute = AggregatedMetric("mean_iou", broken, __name__)
    with pytest.raises(AssertionError, match="mean_iou"):
        contracts.check_statistics(replace(METRICS["mean_iou"], compute=compute, statistics=broken))


@pytest.mark.parametrize("key", NEVER_DEFINED)
def test_exceptions_are_needed(key: str) -> None:
    with pytest.raises(AssertionError, match="is defined on"):
        contracts.check_defined(METRICS[key])


def test_a_metric_that_is_never_defined_is_caught() -> None:
    with pytest.raises(AssertionError, match="pq is defined on 0 of"):
        contracts.check_defined(replace(PQ, compute=lambda tally: Score.undefined("pq", "always")))


COUNT_QUOTIENTS = [key for key in ALL if METRICS[key].quotient is not None]


@pytest.mark.parametrize("key", COUNT_QUOTIENTS)
def test_a_count_quotient_has_one_score_from_a_tally_and_from_statistics(key: str) -> None:
    contracts.check_count_quotient(METRICS[key])


def test_panoptic_quality_is_a_count_quotient() -> None:
    assert {"pq", "sq", "rq", "f1", "n_matched", "sum_iou"} <= set(COUNT_QUOTIENTS)


def _depends_on_the_form(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.n_pairs, counts.n_true if np.ndim(counts.n_true) else counts.n_pred)


def _share_of_pairs(tally: sm.Tally) -> FloatArray:
    return np.full(tally.n_pairs, 1 / max(1, tally.n_pairs))


TWO_SCORES = {
    "the formula differs for arrays": count_quotient()(_depends_on_the_form),
    "the value of a pair depends on other pairs": count_quotient(pairs=_share_of_pairs)(
        lambda counts: Quotient(counts.total, 1)
    ),
}


@pytest.mark.parametrize("wrong", TWO_SCORES.values(), ids=TWO_SCORES.keys())
def test_a_count_quotient_with_two_scores_is_caught(wrong: CountQuotient) -> None:
    with pytest.raises(AssertionError, match="pq"):
        contracts.check_count_quotient(replace(PQ, compute=wrong))


def test_a_metric_without_a_count_quotient_is_not_checked_for_it() -> None:
    with pytest.raises(AssertionError, match="rand_index is not a count quotient"):
        contracts.check_count_quotient(METRICS["rand_index"])


def test_a_citation_in_plain_text_or_as_an_object_is_shown_as_it_is() -> None:
    paper = replace(reference("rand1971objective"), key="mine2020paper")
    metric = replace(PQ, citation=("Somebody 2020, in print", paper))
    contracts.check_declaration(metric)
    page = " ".join(explain(metric).split())
    assert "Somebody 2020, in print" in page and f"[mine2020paper] {paper.full()}" in page


FIRST = {
    "panoptic": ["pq", "sq", "rq", "precision", "recall", "f1", "weighted_precision"],
    "alignments": ["additional_pairs", "false_hits"],
    "curves": ["precision_at", "recall_at", "f1_at"],
    "instances": ["segment_accuracy", "segment_f1", "segment_precision", "segment_recall"],
    "detection": ["average_precision", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar_1", "ar_10"],
    "semantic": ["mean_iou"],
    "regions": ["hoover_index", "hoover_classes", "area_fit_index", "shape_index", "rand_index"],
    "graph": ["n_splits", "n_merges", "objects_and_parts_precision"],
    "clustering": ["pair_counts", "adjusted_rand_index", "adapted_rand_error", "pair_precision"],
    "geometry": ["boundary_iou", "boundary_pq", "hausdorff"],
    "lesions": ["lesion_dice", "lesion_hausdorff95", "lesion_f1"],
    "windows": ["pk", "window_diff", "pr_error"],
    "boundaries": ["boundary_precision", "boundary_recall", "boundary_f1"],
    "time": ["der", "jer", "event_based_f1", "event_based_error_rate", "segment_based_f1", "segment_based_error_rate"],
    "labelled": ["frame_accuracy", "edit_score", "segmental_f1", "entity_precision", "entity_recall", "entity_f1"],
    "agreement": ["agreement_observed", "agreement_pi"],
    "video": ["vpq", "stq"],
}


def test_families_and_their_first_metrics_are_shown_in_this_order() -> None:
    metrics = sm.list_metrics()
    assert list(dict.fromkeys(metric.family for metric in metrics.values())) == list(FIRST) == list(FAMILIES)
    for family, first in FIRST.items():
        assert [key for key, metric in metrics.items() if metric.family == family][: len(first)] == first


def test_every_metric_has_a_place_of_its_own_in_its_family() -> None:
    places = [(metric.family, metric.order) for metric in METRICS.values()]
    assert len(set(places)) == len(places)
    assert LAST not in {order for _, order in places}


def test_keys_and_values_of_the_registry_come_in_the_order_of_display() -> None:
    assert dict(zip(METRICS, METRICS.values(), strict=True)) == dict(METRICS.items())
    assert list(METRICS) == list(sm.list_metrics())


@pytest.mark.parametrize("key", ALL)
def test_is_a_function_of_the_package(key: str) -> None:
    assert getattr(sm, key) is METRICS[key].function


WRONG = {
    "bounds": replace(PQ, bounds=(0, 0.2)),
    "perfect": replace(PQ, value_if_equal=0.5),
    "symmetry": replace(METRICS["precision"], symmetric=True, swaps_with=None),
    "relabelling": replace(
        PQ,
        needs="alignment",
        compute=lambda a: Score.number("pq", (int(a.table.true.ids[0]) % 7) / 7 if len(a.table.true) else 0),
    ),
    "silent NaN": replace(PQ, compute=lambda a: Score.number("pq", math.nan)),
    "another key": replace(PQ, compute=lambda a: Score.number("sq", 1)),
}


@pytest.mark.parametrize("lie", sorted(WRONG))
def test_a_false_declaration_is_caught(lie: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        _try_many(WRONG[lie])


def _try_many(found: Metric) -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    for _ in range(50):
        true, pred = rng.integers(0, 4, (2, 3, 4))
        contracts.check_pair(found, sm.LabelArray(true), sm.LabelArray(pred))


AGREEMENT = METRICS["agreement_observed"]
WRONG_ABOUT_CODERS = {
    "order": replace(AGREEMENT, compute=lambda a: Score.of("agreement_observed", _boundaries_of_the_first(a), 13)),
    "names": replace(AGREEMENT, compute=lambda a: Score.of("agreement_observed", len(a.annotators[0]), 13)),
    "perfect": replace(AGREEMENT, value_if_equal=0.5),
    "bounds": replace(AGREEMENT, bounds=(0.6, 1)),
}


def _boundaries_of_the_first(items: sm.Annotations) -> int:
    return int(items.items["text" if "text" in items.items else "other text"][items.annotators[0]].boundaries.size)


@pytest.mark.parametrize("lie", sorted(WRONG_ABOUT_CODERS))
def test_a_false_declaration_about_annotations_is_caught(lie: str) -> None:
    items = sm.Annotations.from_masses({"text": {"Ann": [4, 4, 5], "Bob": [5, 1, 2, 5]}})
    contracts.check_annotations(AGREEMENT, items)
    with pytest.raises(AssertionError, match="agreement_observed"):
        contracts.check_annotations(WRONG_ABOUT_CODERS[lie], items)


@pytest.mark.parametrize(
    "facts",
    [
        {"key": "PanopticQuality"},
        {"citation": ("nobody1900nothing",)},
        {"summary": ""},
        {"bounds": (1, 0)},
        {"value_if_equal": 0.5},
        {"examples": ()},
        {"formula": r"\frac{1}{2"},
        {"swaps_with": "recall"},
    ],
)
def test_an_incomplete_declaration_is_caught(facts: dict[str, Any]) -> None:
    with pytest.raises((AssertionError, KeyError)):
        contracts.check_declaration(replace(PQ, **facts))


def test_a_wrong_example_is_caught() -> None:
    wrong = replace(PQ, examples=(Example([[1, 1]], [[1, 1]], 0.5),))
    with pytest.raises(AssertionError, match="instead of"):
        contracts.check_examples(wrong)
