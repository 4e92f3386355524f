"""The counting kernels: native code where it was built, a numpy twin of each everywhere.

Set ``SEGMETRY_KERNELS=numpy`` before the first import to use the twins even where native code is installed.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.kernels.backend import in_use as in_use, native as native, why_not_native as why_not_native
    from segmetry.kernels.category_pairs import CategoryPairs as CategoryPairs
    from segmetry.kernels.category_pairs import count_category_pairs as count_category_pairs
    from segmetry.kernels.components import NEIGHBOURS as NEIGHBOURS, label_components as label_components
    from segmetry.kernels.contour_bands import boundary_band as boundary_band
    from segmetry.kernels.counted_sides import Special as Special, table_columns as table_columns
    from segmetry.kernels.distances import SurfaceDistances as SurfaceDistances, distances_between as distances_between
    from segmetry.kernels.distances import surface as surface, surface_distances as surface_distances
    from segmetry.kernels.gpu.device_labels import DeviceLabels as DeviceLabels, device_of as device_of
    from segmetry.kernels.gpu.device_pairs import count_device_categories as count_device_categories
    from segmetry.kernels.gpu.device_pairs import count_device_pairs as count_device_pairs
    from segmetry.kernels.greedy_matches import HIT as HIT, IGNORED as IGNORED, MISS as MISS
    from segmetry.kernels.greedy_matches import OutcomeColumns as OutcomeColumns, PartnerColumns as PartnerColumns
    from segmetry.kernels.greedy_matches import match_greedily as match_greedily
    from segmetry.kernels.greedy_matches import precision_at_recalls as precision_at_recalls
    from segmetry.kernels.interval_pairs import line_overlaps as line_overlaps, overlapping_pairs as overlapping_pairs
    from segmetry.kernels.interval_pairs import united as united
    from segmetry.kernels.label_arrays import LabelNDArray as LabelNDArray, id_dtype as id_dtype
    from segmetry.kernels.label_runs import LabelRunLengths as LabelRunLengths
    from segmetry.kernels.label_runs import count_run_length_pairs as count_run_length_pairs
    from segmetry.kernels.label_runs import label_run_lengths as label_run_lengths, run_length_sizes as run_length_sizes
    from segmetry.kernels.painting import paint as paint
    from segmetry.kernels.pairs import PairCounts as PairCounts, add_up as add_up, count_pairs as count_pairs
    from segmetry.kernels.png_decoding import LABELS as LABELS, PngRuns as PngRuns, can_read_files as can_read_files
    from segmetry.kernels.png_decoding import png_file_labels as png_file_labels, png_labels as png_labels
    from segmetry.kernels.png_decoding import png_run_lengths as png_run_lengths
    from segmetry.kernels.rule_pairs import Inequalities as Inequalities, InequalityRow as InequalityRow
    from segmetry.kernels.rule_pairs import LARGEST_FACTOR as LARGEST_FACTOR, RulePairs as RulePairs
    from segmetry.kernels.rule_pairs import TableRows as TableRows, accept as accept, holds as holds
    from segmetry.kernels.rule_pairs import select_pairs as select_pairs
    from segmetry.kernels.run_length_masks import RunLengthMasks as RunLengthMasks
    from segmetry.kernels.run_length_masks import boxes_of_run_lengths as boxes_of_run_lengths
    from segmetry.kernels.run_length_masks import decode_coco_counts as decode_coco_counts
    from segmetry.kernels.run_length_masks import decode_coco_masks as decode_coco_masks
    from segmetry.kernels.run_length_masks import intersect_run_lengths as intersect_run_lengths
    from segmetry.kernels.run_length_masks import run_lengths_from_counts as run_lengths_from_counts
    from segmetry.kernels.run_length_masks import run_lengths_from_dense as run_lengths_from_dense
    from segmetry.kernels.run_length_masks import run_lengths_of_boxes as run_lengths_of_boxes
    from segmetry.kernels.run_length_masks import self_overlaps as self_overlaps, sizes as sizes
    from segmetry.kernels.run_length_masks import union_run_lengths as union_run_lengths
    from segmetry.kernels.segment_measures import Boundaries as Boundaries, SegmentGeometry as SegmentGeometry
    from segmetry.kernels.segment_measures import count_near as count_near, label_boundaries as label_boundaries
    from segmetry.kernels.segment_measures import label_changes as label_changes, segment_geometry as segment_geometry
    from segmetry.kernels.statistics.draws import Moments as Moments, Twister as Twister, at_ranks as at_ranks
    from segmetry.kernels.statistics.draws import count_draws as count_draws, count_up_to as count_up_to
    from segmetry.kernels.statistics.draws import moments as moments
    from segmetry.kernels.statistics.group_sums import group_order as group_order, group_sums as group_sums
    from segmetry.kernels.statistics.group_sums import rounded_sum as rounded_sum
    from segmetry.kernels.statistics.hypergeometric import SizePairs as SizePairs
    from segmetry.kernels.statistics.hypergeometric import expected_divergences as expected_divergences
    from segmetry.kernels.text_codes import number_labels as number_labels
    from segmetry.kernels.track_matching import FrameCells as FrameCells, HALF_LEVEL as HALF_LEVEL
    from segmetry.kernels.track_matching import best_assignment as best_assignment, match_tracks as match_tracks
    from segmetry.kernels.window_counts import LineWindows as LineWindows, WindowSums as WindowSums
    from segmetry.kernels.window_counts import sum_line_windows as sum_line_windows, sum_windows as sum_windows
else:
    __getattr__, __dir__ = names_on_demand(__name__)
