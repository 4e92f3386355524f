"""Segmentations: label arrays, spans on a line, masks, polygons, sets of anything."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.segmentation.annotations import Annotations as Annotations
    from segmetry.segmentation.base import ClassMap as ClassMap, Segmentation as Segmentation, as_ids as as_ids
    from segmetry.segmentation.base import classes_of as classes_of, element_word as element_word
    from segmetry.segmentation.base import superseded_crowds as superseded_crowds
    from segmetry.segmentation.label_parts import components as components, label_sizes as label_sizes
    from segmetry.segmentation.label_parts import overlap_in_labels as overlap_in_labels
    from segmetry.segmentation.label_parts import overlapping_regions as overlapping_regions, united as united
    from segmetry.segmentation.label_parts import without_border as without_border, without_small as without_small
    from segmetry.segmentation.labels import LabelArray as LabelArray, RunLengthLabels as RunLengthLabels
    from segmetry.segmentation.labels import StoredFloats as StoredFloats, ValueClasses as ValueClasses
    from segmetry.segmentation.masks import DetectionFacts as DetectionFacts, Masks as Masks
    from segmetry.segmentation.masks import stacked_masks as stacked_masks
    from segmetry.segmentation.pair import SegmentationPair as SegmentationPair, as_segmentation as as_segmentation
    from segmetry.segmentation.polygon_areas import Pieces as Pieces, covered as covered
    from segmetry.segmentation.polygon_areas import earlier_pieces as earlier_pieces, pieces as pieces
    from segmetry.segmentation.polygon_areas import shapely as shapely
    from segmetry.segmentation.polygons import Polygons as Polygons, check_same_crs as check_same_crs
    from segmetry.segmentation.seconds import MOST_DECIMALS as MOST_DECIMALS, common_tick as common_tick
    from segmetry.segmentation.seconds import decimals as decimals
    from segmetry.segmentation.sets import Sets as Sets
    from segmetry.segmentation.skeleton_graphs import Rounding as Rounding, Skeletons as Skeletons
    from segmetry.segmentation.skeleton_graphs import node_labels as node_labels
    from segmetry.segmentation.spacing import Spacing as Spacing, UNITS as UNITS, as_spacing as as_spacing
    from segmetry.segmentation.spacing import one_spacing as one_spacing
    from segmetry.segmentation.spacing import spacing_of_coordinates as spacing_of_coordinates
    from segmetry.segmentation.spacing import unit_symbol as unit_symbol
    from segmetry.segmentation.span_lines import SpanLines as SpanLines, check_same_lines as check_same_lines
    from segmetry.segmentation.spans import Spans as Spans
    from segmetry.segmentation.tag_schemes import LETTERS as LETTERS, Malformed as Malformed, SCHEMES as SCHEMES
    from segmetry.segmentation.tag_schemes import Scheme as Scheme, detect_scheme as detect_scheme
    from segmetry.segmentation.tag_schemes import tag_pieces as tag_pieces
    from segmetry.segmentation.time_intervals import TimeIntervals as TimeIntervals
    from segmetry.segmentation.value_map import ValueMap as ValueMap, replace_values as replace_values
else:
    __getattr__, __dir__ = names_on_demand(__name__)
