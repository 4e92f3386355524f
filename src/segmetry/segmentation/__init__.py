"""Segmentations: label arrays, spans on a line, masks, polygons, sets of anything."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.segmentation.annotations import Annotations
    from segmetry.segmentation.base import ClassMap, Segmentation, as_ids, classes_of, element_word, superseded_crowds
    from segmetry.segmentation.label_parts import components, label_sizes, overlap_in_labels, overlapping_regions
    from segmetry.segmentation.label_parts import united, with_n_removed, without_border, without_small
    from segmetry.segmentation.labels import LabelArray, RunLengthLabels, StoredFloats, ValueClasses
    from segmetry.segmentation.masks import DetectionFacts, Masks, stacked_masks
    from segmetry.segmentation.pair import SegmentationPair, as_segmentation
    from segmetry.segmentation.polygon_areas import Pieces, covered, earlier_pieces, pieces, shapely
    from segmetry.segmentation.polygons import Polygons, check_same_crs, in_common_steps
    from segmetry.segmentation.seconds import MOST_DECIMALS, common_tick, decimals
    from segmetry.segmentation.sets import Sets
    from segmetry.segmentation.skeleton_graphs import Rounding, Skeletons, node_labels
    from segmetry.segmentation.spacing import UNITS, Spacing, as_spacing, one_spacing, spacing_of_coordinates
    from segmetry.segmentation.spacing import unit_symbol
    from segmetry.segmentation.span_lines import SpanLines, check_same_lines
    from segmetry.segmentation.spans import Spans
    from segmetry.segmentation.tag_schemes import LETTERS, SCHEMES, Malformed, Scheme, Tag, TagPieces, detect_scheme
    from segmetry.segmentation.tag_schemes import place_in_lines, tag_pieces, tag_pieces_of
    from segmetry.segmentation.time_intervals import TimeIntervals
    from segmetry.segmentation.value_map import LabelMeaning, ValueMap, replace_values
else:
    __getattr__, __dir__ = names_on_demand(__name__)
