"""Small examples of internal functions in metrics/."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

import segmetry as sm
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import UnknownNameError
from segmetry.geometry.matched_shapes import matched_shapes
from segmetry.metrics.average import as_average, average_of, checked_undefined
from segmetry.metrics.batches.partition_formula import (
    FormulaValue,
    PartitionMetric,
    ScoreColumn,
    number_or_column,
    quotient_or_nan,
)
from segmetry.metrics.boundaries.matched_boundaries import matched_boundaries
from segmetry.metrics.boundaries.point_matching import cheapest_pairs, greedy_pairs, most_pairs, only_in
from segmetry.metrics.clustering.bcubed import weighted_sum
from segmetry.metrics.clustering.element_pairs import count_pairs_of_elements
from segmetry.metrics.clustering.mutual_information import expected_mutual_information
from segmetry.metrics.clustering.variation_of_information import splits_and_merges_of
from segmetry.metrics.declare import METRICS, as_class_map, family_order, family_title, unknown_option
from segmetry.metrics.detection.detections import Evaluation, _ranks_in_groups, as_criteria, as_range, boxes_of
from segmetry.metrics.detection.precision_recall import _least_hits
from segmetry.metrics.geometry.betti_error import betti_numbers, checked_neighbours, euler_characteristic
from segmetry.metrics.geometry.boundary_iou import trimap
from segmetry.metrics.geometry.class_boundaries import benchmark_radius
from segmetry.metrics.geometry.class_distances import harmonic_mean
from segmetry.metrics.geometry.surface_distances import missing_distance
from segmetry.metrics.graph.deteval import harmonic
from segmetry.metrics.graph.splits_and_merges import match_graph
from segmetry.metrics.graph.zonemap import shared_with_union, zone_groups
from segmetry.metrics.instances.aggregated_jaccard import majority_matches
from segmetry.metrics.instances.segment_scores import admitted, as_thresholds, assign, match_most, place_of, rounded
from segmetry.metrics.labelled.entity_scores import entity_counts, on_one_long_line, semeval_outcomes, span_pairs
from segmetry.metrics.labelled.segmental_f1 import checked_thresholds, levenshtein
from segmetry.metrics.metric_docstring import example_lines, metric_docstring, segmentation_source
from segmetry.metrics.metric_function import function_of
from segmetry.metrics.metric_names import (
    _folded,
    canonical_names,
    find_metric,
    keys_and_families,
    of_classes,
    select_metrics,
    short_keys,
)
from segmetry.metrics.metric_signature import _stated_default, metric_signature, option_entries
from segmetry.metrics.option_texts import option_help
from segmetry.metrics.panoptic.alignment_facts import _unused_id
from segmetry.metrics.regions.hoover import Instance, hoover_instances, resolved
from segmetry.metrics.regions.largest_partners import partners
from segmetry.metrics.regions.shape_index import segment_shapes
from segmetry.metrics.score import Score, WrittenType, value_or_none
from segmetry.metrics.score_aggregation import ScoreAggregation, item_scores, score_statistics
from segmetry.metrics.score_many import score_pair_with
from segmetry.metrics.semantic.category_iou import category_of_class
from segmetry.metrics.semantic.mean_iou import class_counts
from segmetry.metrics.shared_options import ScoringOptions
from segmetry.metrics.tally_quotient import segment_statistics
from segmetry.metrics.time.diarization_error import _B, best_map, speaker_steps, speaker_times
from segmetry.metrics.time.event_scores import match_events
from segmetry.metrics.time.hierarchy_measures import levels_of, window_frames
from segmetry.metrics.time.hit_rates import _SEVERAL, BoundaryTimes, annotators, found_points
from segmetry.metrics.time.label_pairs import LabelledLine, finer_ticks, label_contingency, seconds, sections_in_seconds
from segmetry.metrics.video.higher_order_tracking import count_frames
from segmetry.metrics.video.video_objects import statistics_of_frames
from segmetry.metrics.video.video_panoptic_quality import as_lengths, frame_tables
from segmetry.metrics.windows.sliding_windows import LineBoundaries, rounded_quotient, slide_windows
from segmetry.metrics.windows.window_metrics import window_sizes
from segmetry.overlaps.cross_table import Blocks, contingency
from segmetry.overlaps.item_tables import ItemTables
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals


def test_the_example_of_as_average() -> None:
    assert as_average("by_class").words == "mean over classes"


def test_the_example_of_checked_undefined() -> None:
    assert (checked_undefined(0), checked_undefined(float("nan"))) == (0.0, None)


def test_the_example_of_average_of() -> None:
    assert average_of(sm.align(sm.overlap([1, 1, 2], [1, 1, 2])), None) == "segments"


def test_the_example_of_scorecolumn_of_quotients() -> None:
    halves = ScoreColumn.of_quotients(np.array([3, 0]), np.array([2, 0]), "item {} is empty".format, unit=2)
    first, second = halves.scores("b")
    assert repr((first.numerator, second.reason)) == "(Fraction(3, 2), 'item 1 is empty')"


def test_the_example_of_scorecolumn_scores() -> None:
    column = ScoreColumn(np.array([0.5, math.nan]), np.array([-1, 0], dtype=np.int8), ("no element",))
    assert repr(column.scores("vi")) == "[Score(vi: 0.5), Score(vi: undefined, no element)]"


def test_the_example_of_partitionmetric() -> None:
    @PartitionMetric
    def blocks_per_element(partitions):
        return FormulaValue(partitions.true.number, partitions.n, "no element counts")

    assert (
        repr(blocks_per_element(contingency(sm.overlap([1, 1, 2, 2], [1, 1, 1, 1]))))
        == "Score(blocks_per_element: 0.5)"
    )


def test_the_example_of_quotient_or_nan() -> None:
    assert (
        repr((quotient_or_nan(1.0, 0.0), quotient_or_nan(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()))
        == "(nan, [0.5, nan])"
    )


def test_the_example_of_number_or_column() -> None:
    assert repr((number_or_column(np.maximum(0.0, -1.0)), number_or_column(np.zeros(1)))) == "(0.0, array([0.]))"


def test_the_example_of_matched_boundaries() -> None:
    assert matched_boundaries(Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5]), 1) == 2


def test_the_example_of_most_pairs() -> None:
    assert most_pairs(np.array([0, 2]), np.array([2, 4]), 2) == 2


def test_the_example_of_greedy_pairs() -> None:
    assert greedy_pairs(np.array([4, 5]), np.array([1, 3]), 3).tolist() == [[4, 3]]


def test_the_example_of_cheapest_pairs() -> None:
    assert cheapest_pairs(np.array([4, 5]), np.array([1, 3]), 3, 4, 4, 1).tolist() == [[4, 1], [5, 3]]


def test_the_example_of_only_in() -> None:
    only_first, only_second, shared = only_in(np.array([1, 2]), np.array([2, 5]))
    assert (only_first.tolist(), only_second.tolist(), shared) == ([1], [5], 1)


def test_the_example_of_weighted_sum() -> None:
    cells = contingency(sm.overlap([1, 1, 2, 2], [1, 1, 1, 2]))
    assert weighted_sum(cells, cells.shared, cells.true_size) == 2.0


def test_the_example_of_count_pairs_of_elements() -> None:
    assert (
        repr(count_pairs_of_elements(contingency(sm.overlap([[1, 1, 2]], [[1, 1, 1]]))))
        == "PairCount(n11=1, n10=0, n01=2, n00=0)"
    )


def test_the_example_of_expected_mutual_information() -> None:
    halves = Blocks(np.array([2]), np.array([2]))
    assert round(expected_mutual_information(halves, halves, 4), 12) == 0.231049060187


def test_the_example_of_splits_and_merges_of() -> None:
    rows = list(splits_and_merges_of(sm.overlap([[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 4, 4]])))
    found = [(row["error"], row["id"], row["n_elements"], row["parts"], round(row["bits"], 4)) for row in rows]
    assert found == [("split", 1, 4, "3: 2, 4: 2", 0.6667), ("merge", 4, 4, "1: 2, 2: 2", 0.6667)]


def test_the_example_of_family_order() -> None:
    assert sorted(["mine", "video", "panoptic"], key=family_order) == ["panoptic", "video", "mine"]


def test_the_example_of_family_title() -> None:
    assert (family_title("graph"), family_title("mine")) == ("Splits and merges", "Mine")


def test_the_example_of_unknown_option() -> None:
    assert (
        repr(unknown_option("score", "metric", ["rule", "metrics"]))
        == "OptionError(\"score has no option 'metric'; did you mean metrics?\")"
    )


def test_the_example_of_as_class_map() -> None:
    assert as_class_map([[1, 0, 2]]).classes[2] == 2


def test_the_example_of_evaluation_of() -> None:
    assert repr(Evaluation.of(thresholds="0.5", size="small").size) == "AreaRange(low=0.0, high=1024.0)"


def test_the_example_of_as_criteria() -> None:
    assert [criterion.name for criterion in as_criteria(None, ["0.5", 0.75])] == [
        "iou(at_least=1/2)",
        "iou(at_least=3/4)",
    ]


def test_the_example_of_as_range() -> None:
    assert (
        repr((as_range("medium"), as_range([100, 400])))
        == "(AreaRange(low=1024.0, high=9216.0), AreaRange(low=100.0, high=400.0))"
    )


def test_the_example_of_boxes_of() -> None:
    masks = Masks.from_dense(np.array([[[False, True, True], [False, True, False]]]))
    assert boxes_of(masks).tolist() == [[1.0, 0.0, 2.0, 2.0]]


def test_the_example_of_ranks_in_groups() -> None:
    assert _ranks_in_groups(np.array([5, 5, 1, 5, 1])).tolist() == [0, 1, 0, 2, 1]


def test_the_example_of_least_hits() -> None:
    assert _least_hits(np.array([20]), np.array([0.0, 0.35, 1.0])).ravel().tolist() == [0, 7, 20]


def test_the_example_of_betti_numbers() -> None:
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    assert (betti_numbers(ring, 4), betti_numbers(~ring, 4), betti_numbers(np.eye(3, dtype=bool), 8)) == (
        (1, 1),
        (1, 0),
        (1, 0),
    )


def test_the_example_of_euler_characteristic() -> None:
    assert [euler_characteristic(np.eye(2, dtype=bool), closed=closed) for closed in (True, False)] == [1, 2]


def test_the_example_of_checked_neighbours() -> None:
    assert (checked_neighbours(None, 2), checked_neighbours(6, 3)) == (8, 6)


def test_the_example_of_trimap() -> None:
    assert trimap(np.array([[1, 1, 1, 2, 2]], dtype=np.int32), 1, (1.0, 1.0)).astype(int).tolist() == [[0, 0, 1, 1, 0]]


def test_the_example_of_benchmark_radius() -> None:
    assert (benchmark_radius((321, 481)), benchmark_radius((600, 800)), benchmark_radius((30, 30))) == (1, 2, 0)


def test_the_example_of_harmonic_mean() -> None:
    one, two = np.array([[1]]), np.array([[2]])
    assert harmonic_mean((one, two), (one, one), "no boundary").values.tolist() == [[0.6666666666666666]]


def test_the_example_of_missing_distance() -> None:
    assert missing_distance(matched_shapes([[1, 1, 0], [0, 0, 0]], [[1, 1, 0], [0, 0, 0]]), "diagonal") == math.hypot(
        2, 3
    )


def test_the_example_of_harmonic() -> None:
    assert harmonic("f", (1, 2), (1, 1)).value == 0.6666666666666666


def test_the_example_of_match_graph() -> None:
    assert match_graph(CountedOverlaps.of(sm.overlap([[1, 1, 1, 1, 2]], [[3, 3, 4, 4, 0]]))).details == {
        "matched": 0,
        "missed": 1,
        "false_alarms": 0,
        "splits": 1,
        "merges": 0,
    }


def test_the_example_of_shared_with_union() -> None:
    pair = sm.Sets([{1, 2, 3}]), sm.Sets([{1, 2}, {2, 5}])
    overlaps = CountedOverlaps.of(sm.overlap(*pair), inputs=SegmentationPair.of(*pair))
    assert shared_with_union(overlaps, "true", 0, [0, 1], 3) == 2


def test_the_example_of_zone_groups() -> None:
    groups = zone_groups(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2]], [[7, 7, 8, 8]])))
    assert (groups.true.tolist(), groups.pred.tolist()) == ([0, 1], [0, 1])


def test_the_example_of_majority_matches() -> None:
    assert majority_matches(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2, 2]], [[7, 7, 8, 8, 0]]))).tolist() == [0]


def test_the_example_of_admitted() -> None:
    assert admitted(np.array([1, 2]), np.array([2, 3]), 0.5, strict=True).tolist() == [False, True]


def test_the_example_of_rounded() -> None:
    assert rounded(np.array([1]), np.array([3]), "float32").dtype.name == "float32"


def test_the_example_of_match_most() -> None:
    two = np.array([0, 0]), np.array([0, 1]), np.array([1, 1]), np.array([1, 1]), np.array([0, 0])
    assert match_most(Candidates(*two), np.array([True, True]), np.array([0.5, 0.5]), 1, 2).tolist() == [0]


def test_the_example_of_assign() -> None:
    assert assign(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0.9, 0.5, 0.5]), 2, 2).tolist() == [1, 2]


def test_the_example_of_as_thresholds() -> None:
    assert (as_thresholds(0.5), as_thresholds(["1/2", 0.75])) == ((0.5,), ("1/2", 0.75))


def test_the_example_of_place_of() -> None:
    assert place_of("1/2", ("0.1", 0.5)) == 1


def test_the_example_of_on_one_long_line() -> None:
    lines = [SpanLines.from_frame_labels([["a"], [name, name]]) for name in "bc"]
    true, pred, names = on_one_long_line(*lines)
    assert (true.starts.tolist(), pred.codes.tolist(), names) == ([0, 1], [0, 2], ("a", "b", "c"))


def test_the_example_of_span_pairs() -> None:
    side = SpanLines.from_frame_labels(["aab"]), SpanLines.from_frame_labels(["abb"])
    pairs = span_pairs(*on_one_long_line(*side)[:2])
    assert list(
        zip(pairs.at_true.tolist(), pairs.at_pred.tolist(), pairs.shared.tolist(), pairs.union.tolist(), strict=True)
    ) == [(0, 0, 1, 2), (0, 1, 1, 3), (1, 1, 1, 2)]


def test_the_example_of_entity_counts() -> None:
    lines = [SpanLines.from_tags([["B-PER", tag, "B-LOC"]]) for tag in ("I-PER", "O")]
    counts = entity_counts(*lines).facts(0)
    assert (counts["class"], counts["correct"].tolist()) == (["LOC", "PER"], [1, 0])


def test_the_example_of_semeval_outcomes() -> None:
    lines = [SpanLines.from_tags([["B-PER", tag, "O", "B-LOC"]]) for tag in ("I-PER", "O")]
    assert semeval_outcomes(*lines)["all"][0].tolist() == [
        [1, 1, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [2, 0, 0, 0, 0],
    ]


def test_the_example_of_checked_thresholds() -> None:
    assert (
        repr((checked_thresholds(0.25), checked_thresholds(["0.1", 0.5])))
        == "((Fraction(1, 4),), (Fraction(1, 10), Fraction(1, 2)))"
    )


def test_the_example_of_levenshtein() -> None:
    assert levenshtein(np.array([1, 2, 3]), np.array([2, 3, 4])) == 2


def test_the_example_of_example_lines() -> None:
    assert list(example_lines("pq", METRICS["pq"].examples))[1:3] == [
        ">>> true = sm.Spans.from_masses([5, 3, 5])",
        ">>> pred = sm.Spans.from_masses([4, 4, 5])",
    ]


def test_the_example_of_segmentation_source() -> None:
    assert (segmentation_source(Spans.from_spans([(0, 2)], n=3)), segmentation_source(Spans.from_masses([2, 1]))) == (
        "sm.Spans.from_spans([(0, 2)], n=3)",
        "sm.Spans.from_masses([2, 1])",
    )
    assert (
        segmentation_source(LabelArray([[1, 2]], spacing=(1, 0.5), void=2))
        == "sm.LabelArray([[1, 2]], void=[2], spacing=(1.0, 0.5))"
    )


def test_the_example_of_metric_docstring() -> None:
    assert metric_docstring(METRICS["pk"]).splitlines()[2:5] == ["Parameters", "----------", "true : segmentation"]


def test_the_example_of_function_of() -> None:
    function = function_of(METRICS["winpr_f1"])
    assert (function.__module__, function.__name__, function.metric is METRICS["winpr_f1"]) == (
        "segmetry",
        "winpr_f1",
        True,
    )
    assert function_of(METRICS["winpr_f1"], "winpr_f1_of_three", {"k": 3}).__name__ == "winpr_f1_of_three"


def test_the_example_of_find_metric() -> None:
    assert (find_metric("HD95").metric.key, find_metric("f1@75").metric.key, dict(find_metric("f1@75").options)) == (
        "hausdorff95",
        "f1_at",
        {"t": "3/4"},
    )
    assert [find_metric(name).metric.key for name in ("panopticquality", "meanIoU", "Window Diff")] == [
        "pq",
        "mean_iou",
        "window_diff",
    ]
    with pytest.raises(
        UnknownNameError, match=re.escape("there is no metric 'MOTA': a metric of tracks, not of segments; TrackEval")
    ):
        find_metric("MOTA")


def test_the_example_of_canonical_names() -> None:
    assert canonical_names("PQ, f1@75", {"hd95": {"points": "all"}}) == (
        ["pq", "f1_at"],
        {"hausdorff95": {"points": "all"}, "f1_at": {"t": "3/4"}},
    )


def test_the_example_of_of_classes() -> None:
    assert of_classes("dice, hd95", {"hd95": {"percentile": "pooled"}}) == (
        ["dice", "class_hausdorff95"],
        {"class_hausdorff95": {"percentile": "pooled"}},
    )


def test_the_example_of_folded() -> None:
    assert _folded(" Window-Diff") == "window_diff"


def test_the_example_of_short_keys() -> None:
    assert (short_keys(["pk", "pq", "sq", "nmi"], "spans"), short_keys(["pk", "pq", "sq", "nmi"], "labels")) == (
        ["pk", "pq"],
        ["pq", "sq"],
    )


def test_the_example_of_select_metrics() -> None:
    assert [metric.key for metric in select_metrics("sq,pq", "labels")] == ["pq", "sq"]


def test_the_example_of_keys_and_families() -> None:
    assert keys_and_families("pq,regions") == ({"pq"}, {"regions"})


def test_the_example_of_metric_signature() -> None:
    assert (
        repr(metric_signature(METRICS["winpr_f1"]))
        == "<Signature (true: SegmentationLike, pred: SegmentationLike, *, k: WindowSize = None) -> Score>"
    )


def test_the_example_of_option_entries() -> None:
    assert option_entries(ScoringOptions)["undefined"].splitlines()[0] == "undefined : float, optional"


def test_the_example_of_stated_default() -> None:
    assert (
        _stated_default("missing : {'error', 'as-empty'}, default 'error'"),
        _stated_default("read : mapping, optional"),
    ) == ("error", None)


def test_the_example_of_option_help() -> None:
    assert (option_help("vpq", "k"), option_help("pk", "nothing")) == (
        "The numbers of consecutive frames in a window.",
        None,
    )


def test_the_example_of_unused_id() -> None:
    assert (_unused_id(np.array([3, 7])), _unused_id(np.array([1, 2**63 - 1]))) == (8, 2)


def test_the_example_of_hoover_instances() -> None:
    table = sm.overlap([[1, 1, 1, 1]], [[5, 5, 6, 6]])
    assert [(i.kind, i.at_true, i.at_pred) for i in hoover_instances(CountedOverlaps.of(table))] == [
        ("over_segmentation", (0,), (0, 1))
    ]


def test_the_example_of_resolved() -> None:
    detected = Instance("correct", (0,), (0,), shared=8, true_size=10, pred_size=8)
    split = Instance("over_segmentation", (0,), (0, 1), shared=10, true_size=10, pred_size=10)
    assert resolved([detected, split])[0][0].kind == "over_segmentation"


def test_the_example_of_partners() -> None:
    pairing = partners(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2, 3]], [[7, 8, 8, 8, 0]])))
    assert (pairing.at_pred.tolist(), pairing.details) == ([1, 1, -1], {"ties": 0, "untouched": 1})


def test_the_example_of_segment_shapes() -> None:
    square = sm.LabelArray([[1, 1, 2], [1, 1, 2]])
    assert segment_shapes(square, sm.overlap(square, square).true).round(3).tolist() == [1.0, 1.061]


def test_the_example_of_writtentype_evaluated() -> None:
    assert (
        repr(WrittenType("Policy | None", "segmetry.metrics.shared_options").evaluated())
        == "segmetry.alignments.policy.Policy | None"
    )


def test_the_example_of_value_or_none() -> None:
    assert (value_or_none(Score.of("recall", 1, 2)), value_or_none(Score.of("recall", 0, 0))) == (0.5, None)


def test_the_example_of_score_statistics() -> None:
    made = score_statistics([Score.of("recall", 1, 2), None, Score.of("recall", 0, 0)])
    assert repr(ScoreAggregation(item_scores).reading("recall", made, {}).score()) == "Score(recall: 0.5)"


def test_the_example_of_score_pair_with() -> None:
    scores = score_pair_with([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "n_matched"])
    assert (scores["n_matched"].value, scores["pq"].value, scores.rule) == (1.0, 0.3333333333333333, "theta_plus")


def test_the_example_of_category_of_class() -> None:
    assert category_of_class({"flat": ["road"], "vehicle": ["car", "bus"]}) == {
        "road": "flat",
        "car": "vehicle",
        "bus": "vehicle",
    }


def test_the_example_of_class_counts() -> None:
    both = ([[[1, 1]], [[1, 0]]], [[[1, 0]], [[1, 0]]])
    true, pred = (sm.Masks.from_dense(np.array(masks, bool), classes=["WT", "TC"]) for masks in both)
    counts = class_counts(ItemTables.of(sm.overlap(true, pred)))
    assert ({name: column.tolist() for name, column in counts.columns.items()}, counts.labels["class"]) == (
        {"class": [0, 1], "shared": [1, 1], "true": [1, 2], "pred": [1, 1]},
        ("TC", "WT"),
    )


def test_the_example_of_segment_statistics() -> None:
    alignment = sm.align(sm.overlap([[1, 1, 2, 3]], [[1, 1, 2, 4]]))
    made = segment_statistics(alignment, (np.array([0, 1, 1]), np.array([0, 1, 1])), 2)
    assert (made.columns["matched"].tolist(), made.columns["missed"].tolist()) == ([1, 2], [0, 0])


def test_the_example_of_speaker_times() -> None:
    true, pred = (Spans.from_masses(masses, classes=["a", "b"]) for masses in ([4, 6], [5, 5]))
    times = speaker_times(true, pred)
    assert (times.true_time, times.together.tolist()) == (10, [[4, 0], [1, 5]])


def test_the_example_of_speaker_steps() -> None:
    steps = speaker_steps(*_B)
    assert (steps.missed.tolist(), steps.confused.tolist(), steps.false.tolist()) == (
        [0, 1, 1, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
    )


def test_the_example_of_best_map() -> None:
    assert [at.tolist() for at in best_map(np.array([[4, 0], [1, 5]]))] == [[0, 1], [0, 1]]


def test_the_example_of_match_events() -> None:
    true, pred = (Spans.from_seconds([(0, end)], classes=["dog"]) for end in (2.5, 2.9))
    assert match_events(true, pred, collar="0.2", offset_share="0.5", ends="both", matching="optimal").matched.size == 1


def test_the_example_of_levels_of() -> None:
    assert [level.masses.tolist() for level in levels_of(TimeIntervals([0, 0, 3], [5, 3, 5], tracks=[0, 1, 1]))] == [
        [5],
        [3, 2],
    ]


def test_the_example_of_window_frames() -> None:
    assert window_frames(15, 0.1) == 149


def test_the_example_of_boundarytimes_of() -> None:
    sides = Spans.from_seconds([(0, 2.5), (2.5, 4)]), Spans.from_seconds([(0, 3), (3, 6)])
    times = BoundaryTimes.of(*sides, trim=False)
    assert [times.true.tolist(), times.pred.tolist()] == [[0, 250000, 400000], [0, 300000, 400000]]


def test_the_example_of_annotators() -> None:
    assert [spans.boundaries.tolist() for spans in annotators(_SEVERAL[0])] == [[10], [40], []]


def test_the_example_of_found_points() -> None:
    assert found_points([0, 10, 20, 23], [0, 3, 8, 20], 5, "nearest") == 3


def test_the_example_of_labelledline_of() -> None:
    assert LabelledLine.of(Spans.from_masses([2, 3], classes=["b", "a"])).names == ("a", "b")


def test_the_example_of_seconds() -> None:
    assert repr(seconds(0.25, "collar")) == "Fraction(1, 4)"


def test_the_example_of_sections_in_seconds() -> None:
    assert sections_in_seconds(Spans.from_seconds([(1, 2)], classes=["A"]), 3.0) == [
        (0.0, 1.0, "__t_min"),
        (1.0, 2.0, "a"),
        (2.0, 3.0, "__t_max"),
    ]


def test_the_example_of_finer_ticks() -> None:
    assert finer_ticks(Fraction(1, 10), Fraction(1, 4)) == (2, (5,))


def test_the_example_of_label_contingency() -> None:
    true, pred = (Spans.from_masses([2, 3, 2], classes=list(names)) for names in ("aba", "abb"))
    table = label_contingency(true, pred)
    assert (table.true.size.tolist(), table.shared.tolist()) == ([4, 3], [2, 2, 3])


def test_the_example_of_count_frames() -> None:
    frame, pairs = count_frames(LabelArray([[[1, 1]], [[0, 1]]]), LabelArray([[[2, 3]], [[0, 0]]]))
    assert (frame.tolist(), pairs.true_labels.tolist(), pairs.pred_labels.tolist()) == (
        [0, 0, 1, 1],
        [1, 1, 0, 1],
        [2, 3, 0, 0],
    )


def test_the_example_of_statistics_of_frames() -> None:
    assert statistics_of_frames(np.array([1, 1, 1, 0.5, 0.5])).tolist() == [0.8, 0.6, 0.5]


def test_the_example_of_frame_tables() -> None:
    assert [
        len(table) for table in frame_tables(LabelArray([[[1, 1]], [[0, 1]]]), LabelArray([[[1, 2]], [[0, 0]]]))
    ] == [2, 0]


def test_the_example_of_as_lengths() -> None:
    assert (as_lengths((1, 3)), as_lengths(2)) == ((1, 3), (2,))


def test_the_example_of_windows_sums() -> None:
    true, pred = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
    assert slide_windows(true, pred, 2).sums.unequal == 2


def test_the_example_of_slide_windows() -> None:
    assert len(slide_windows(Spans.from_masses([6, 6]), Spans.from_masses([12]), 3, padded=True)) == 13


def test_the_example_of_rounded_quotient() -> None:
    assert [rounded_quotient(top, 2) for top in (1, 2, 3, 5)] == [0, 1, 2, 2]


def test_the_example_of_lineboundaries_of() -> None:
    both = LineBoundaries.of([Spans.from_masses([2, 1]), Spans([1], [2], 4)])
    assert (both.positions.tolist(), both.offsets.tolist()) == ([2, 1, 2], [0, 1, 3])


def test_the_example_of_window_sizes() -> None:
    assert window_sizes(LineBoundaries.of([Spans.from_masses([5, 3, 5]), Spans.from_masses([7])]), None).tolist() == [
        2,
        4,
    ]
