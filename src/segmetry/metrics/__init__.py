"""The metrics, one folder per family and one subject per file.

Importing a module declares its metrics; the registry imports them all when it is first asked for one.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.metrics.aggregation import Aggregation
    from segmetry.metrics.average import AVERAGES, BY_CLASS, BY_CLASS_OF_ITEMS, BY_ITEM, BY_ITEM_AND_CLASS
    from segmetry.metrics.average import BY_ITEM_OF_CLASSES, POOLED, Average
    from segmetry.metrics.windows.sliding_windows import LineBoundaries, LinePairs
    from segmetry.metrics.batches.partition_formula import DEFINED, PartitionMetric, ScoreColumn
    from segmetry.metrics.boundaries.boundary_edit import boundary_edits
    from segmetry.metrics.boundaries.point_matching import only_in
    from segmetry.metrics.clustering.variation_of_information import SPLIT_TYPES, splits_and_merges_of
    from segmetry.metrics.declare import METRICS, Example, Metric, as_metric_inputs, metric, metrics_of_family
    from segmetry.metrics.detection.detections import LEAST_CONFUSED, SIZES, DetectionSet, Evaluation
    from segmetry.metrics.detection.detections import as_criteria
    from segmetry.metrics.detection.precision_recall import PrecisionRecall, considered, counted_truths
    from segmetry.metrics.detection.precision_recall import detection_partners, outcomes, precision_recall
    from segmetry.metrics.detection.scanned_detections import ScannedSide, scanned_detections
    from segmetry.metrics.geometry.boundary_iou import boundary_sweep
    from segmetry.metrics.graph.splits_and_merges import match_graph
    from segmetry.metrics.metric_inputs import FROM_TABLE, MetricInputs
    from segmetry.metrics.metric_names import MetricName, canonical_names, check_classes, check_metric_options
    from segmetry.metrics.metric_names import find_metric, keys_and_families, known_key, of_classes, select_metrics
    from segmetry.metrics.metric_names import short_keys
    from segmetry.metrics.metric_signature import takes_options
    from segmetry.metrics.option_texts import option_help
    from segmetry.metrics.panoptic.panoptic_quality import pq
    from segmetry.metrics.panoptic.precision_recall_maps import Maps, maps
    from segmetry.metrics.panoptic.threshold_scores import SHAPE_WEIGHTS, curves
    from segmetry.metrics.average import ALL, average_of, checked_groups, checked_undefined, item_average
    from segmetry.metrics.aggregation import Fill, Lone, Reading, filled
    from segmetry.metrics.regions.largest_partners import partners
    from segmetry.metrics.score import Counts, Result, Score, value_or_none
    from segmetry.metrics.score_aggregation import ScoreAggregation, column_statistics, item_scores, score_statistics
    from segmetry.metrics.score_many import Scores, options_with_groups, score_pair_with
    from segmetry.metrics.shared_options import METRIC_DEFAULTS, ClassMatching, PairOptions, RescoringOptions, RuleName
    from segmetry.metrics.shared_options import Scoring, ScoringOptions, check_names
    from segmetry.metrics.skeletons.expected_run_length import RunLengths, expected_run_length
    from segmetry.metrics.statistics import Cells, Quotient, Statistics, Sums
    from segmetry.metrics.tally_quotient import SegmentCounts, count_quotient, segment_counts, segment_statistics
    from segmetry.metrics.tally_quotient import segment_sums, segments_by, tally_of
    from segmetry.metrics.time.diarization_error import speaker_steps
    from segmetry.metrics.video.video_objects import f_values, j_values, object_frames
    from segmetry.metrics.windows.sliding_windows import WindowSize, Windows, slide_windows
else:
    __getattr__, __dir__ = names_on_demand(__name__)
