"""The counting kernels: native code where it was built, a numpy twin of each everywhere.

Set ``SEGMETRY_KERNELS=numpy`` before the first import to use the twins even where native code is installed.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.kernels.backend import in_use, native, why_not_native
    from segmetry.kernels.pairs import CategoryPairs, count_category_pairs
    from segmetry.kernels.coco_detections import HAS_AREA, HAS_BOX, HAS_COUNTS, HAS_MASK, HAS_POLYGONS, HAS_SCORE
    from segmetry.kernels.coco_detections import HAS_TEXT, CocoColumns, ScannedCoco, detection_overlaps, scan_coco
    from segmetry.kernels.components import NEIGHBOURS, label_components
    from segmetry.kernels.contour_bands import boundary_band
    from segmetry.kernels.counted_sides import Special, table_columns
    from segmetry.kernels.distances import SurfaceDistances, distances_between, nearest_distances, surface
    from segmetry.kernels.distances import surface_distances
    from segmetry.kernels.gpu.device_labels import DeviceLabels, device_of
    from segmetry.kernels.gpu.device_pairs import count_device_categories, count_device_pairs
    from segmetry.kernels.coco_detections import HIT, IGNORED, MISS, OutcomeColumns, PartnerColumns, match_greedily
    from segmetry.kernels.coco_detections import precision_at_recalls
    from segmetry.kernels.interval_pairs import line_overlaps, overlapping_pairs, united
    from segmetry.kernels.label_arrays import LabelNDArray, id_dtype
    from segmetry.kernels.line_scans import scan_integer_lists, scan_tags, scan_turns
    from segmetry.kernels.painting import paint
    from segmetry.kernels.pairs import PairsOfItems, LabelRunLengths, PairCounts, add_up, count_item_pairs, count_pairs
    from segmetry.kernels.pairs import add_up_items, count_run_length_pairs
    from segmetry.kernels.pairs import label_run_lengths, run_length_sizes
    from segmetry.kernels.png_decoding import LABELS, PngRuns, can_read_files, png_file_labels, png_labels
    from segmetry.kernels.png_decoding import count_png_pairs, png_run_lengths
    from segmetry.kernels.rule_pairs import LARGEST_FACTOR, Inequalities, InequalityRow, RulePairs, TableRows, accept
    from segmetry.kernels.rule_pairs import holds, select_pairs
    from segmetry.kernels.run_length_masks import RunLengthMasks, boxes_of_run_lengths, decode_coco_counts
    from segmetry.kernels.run_length_masks import decode_coco_masks, intersect_run_lengths, run_lengths_from_counts
    from segmetry.kernels.run_length_masks import run_lengths_from_dense, run_lengths_of_boxes, self_overlaps, sizes
    from segmetry.kernels.run_length_masks import union_run_lengths
    from segmetry.kernels.segment_measures import Boundaries, SegmentGeometry, count_near, label_boundaries
    from segmetry.kernels.segment_measures import label_changes, segment_geometry
    from segmetry.kernels.statistics.draws import Moments, Twister, at_ranks, count_draws, count_up_to, moments
    from segmetry.kernels.statistics.group_sums import group_order, group_sums, rounded_sum
    from segmetry.kernels.statistics.hypergeometric import SizePairs, expected_divergences
    from segmetry.kernels.label_arrays import number_labels
    from segmetry.kernels.track_matching import HALF_LEVEL, FrameCells, best_assignment, match_tracks
    from segmetry.kernels.window_counts import LineWindows, WindowSums, sum_line_windows, sum_windows
else:
    __getattr__, __dir__ = names_on_demand(__name__)
