"""The metrics, one folder per family and one subject per file.

Importing a module declares its metrics; the registry imports them all when it is first asked for one.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.metrics.aggregation import Aggregation as Aggregation, Fill as Fill, Linear as Linear
    from segmetry.metrics.aggregation import NO_FILL as NO_FILL, filled as filled
    from segmetry.metrics.average import AVERAGES as AVERAGES, Average as Average, BY_CLASS as BY_CLASS
    from segmetry.metrics.average import BY_CLASS_OF_ITEMS as BY_CLASS_OF_ITEMS, BY_ITEM as BY_ITEM
    from segmetry.metrics.average import BY_ITEM_AND_CLASS as BY_ITEM_AND_CLASS
    from segmetry.metrics.average import BY_ITEM_OF_CLASSES as BY_ITEM_OF_CLASSES, POOLED as POOLED
    from segmetry.metrics.batches.line_boundaries import LineBoundaries as LineBoundaries, LinePairs as LinePairs
    from segmetry.metrics.batches.partition_formula import PartitionMetric as PartitionMetric
    from segmetry.metrics.batches.score_column import DEFINED as DEFINED, ScoreColumn as ScoreColumn
    from segmetry.metrics.boundaries.boundary_edit import boundary_edits as boundary_edits
    from segmetry.metrics.boundaries.point_matching import only_in as only_in
    from segmetry.metrics.clustering.information_contributions import SPLIT_TYPES as SPLIT_TYPES
    from segmetry.metrics.clustering.information_contributions import splits_and_merges_of as splits_and_merges_of
    from segmetry.metrics.declare import Example as Example, METRICS as METRICS, Metric as Metric
    from segmetry.metrics.declare import as_metric_inputs as as_metric_inputs, metric as metric
    from segmetry.metrics.declare import metrics_of_family as metrics_of_family
    from segmetry.metrics.detection.detections import Criterion as Criterion, DetectionSet as DetectionSet
    from segmetry.metrics.detection.detections import Evaluation as Evaluation, LEAST_CONFUSED as LEAST_CONFUSED
    from segmetry.metrics.detection.detections import SIZES as SIZES, as_criteria as as_criteria
    from segmetry.metrics.detection.precision_recall import PrecisionRecall as PrecisionRecall, considered as considered
    from segmetry.metrics.detection.precision_recall import counted_truths as counted_truths
    from segmetry.metrics.detection.precision_recall import detection_partners as detection_partners
    from segmetry.metrics.detection.precision_recall import outcomes as outcomes, precision_recall as precision_recall
    from segmetry.metrics.graph.splits_and_merges import match_graph as match_graph
    from segmetry.metrics.metric_inputs import FROM_TABLE as FROM_TABLE, MetricInputs as MetricInputs
    from segmetry.metrics.metric_names import MetricName as MetricName, canonical_names as canonical_names
    from segmetry.metrics.metric_names import find_metric as find_metric
    from segmetry.metrics.metric_selection import check_metric_options as check_metric_options
    from segmetry.metrics.metric_selection import keys_and_families as keys_and_families
    from segmetry.metrics.metric_selection import select_metrics as select_metrics, short_keys as short_keys
    from segmetry.metrics.metric_signature import takes_options as takes_options
    from segmetry.metrics.option_texts import option_help as option_help
    from segmetry.metrics.panoptic.panoptic_quality import pq as pq
    from segmetry.metrics.panoptic.precision_recall_maps import Maps as Maps
    from segmetry.metrics.panoptic.precision_recall_maps import maps as maps
    from segmetry.metrics.per_class import ALL as ALL, average_of as average_of, checked_groups as checked_groups
    from segmetry.metrics.per_class import checked_undefined as checked_undefined, item_average as item_average
    from segmetry.metrics.regions.largest_partner import partners as partners
    from segmetry.metrics.score import Counts as Counts, Result as Result, Score as Score
    from segmetry.metrics.score import value_or_none as value_or_none
    from segmetry.metrics.score_aggregation import ScoreAggregation as ScoreAggregation
    from segmetry.metrics.score_aggregation import column_statistics as column_statistics, item_scores as item_scores
    from segmetry.metrics.score_aggregation import score_statistics as score_statistics
    from segmetry.metrics.score_many import Scores as Scores, options_with_groups as options_with_groups
    from segmetry.metrics.score_many import score_pair_with as score_pair_with
    from segmetry.metrics.shared_options import ClassMatching as ClassMatching, PairOptions as PairOptions
    from segmetry.metrics.shared_options import RescoringOptions as RescoringOptions, RuleName as RuleName
    from segmetry.metrics.shared_options import Scoring as Scoring, ScoringOptions as ScoringOptions
    from segmetry.metrics.shared_options import check_names as check_names
    from segmetry.metrics.skeletons.expected_run_length import RunLengths as RunLengths
    from segmetry.metrics.skeletons.expected_run_length import expected_run_length as expected_run_length
    from segmetry.metrics.statistics import Cells as Cells, Quotient as Quotient, Statistics as Statistics, Sums as Sums
    from segmetry.metrics.tally_quotient import SegmentCounts as SegmentCounts, count_quotient as count_quotient
    from segmetry.metrics.tally_quotient import segment_counts as segment_counts
    from segmetry.metrics.tally_quotient import segment_statistics as segment_statistics, segment_sums as segment_sums
    from segmetry.metrics.tally_quotient import segments_by as segments_by, tally_of as tally_of
    from segmetry.metrics.windows.sliding_windows import WindowSize as WindowSize, Windows as Windows
    from segmetry.metrics.windows.sliding_windows import slide_windows as slide_windows
else:
    __getattr__, __dir__ = names_on_demand(__name__)
