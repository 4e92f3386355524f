"""Overlap tables: exact counts of the elements that true and predicted segments share."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.overlaps.blocks import PairSum, count_blocks, count_part
    from segmetry.overlaps.blocks import BlockPlan, plan_blocks, plan_of
    from segmetry.overlaps.build import table_from_pairs
    from segmetry.overlaps.class_table import OUTSIDE, ClassTable, merge_class_tables
    from segmetry.overlaps.class_table import TRUE_CLASS, largest_confusions, matrix_table
    from segmetry.overlaps.count import count_overlaps, count_together, item_of, overlap
    from segmetry.overlaps.cross_table import MOST_ELEMENTS, Blocks, Contingency, ItemOverlaps, ItemSegments
    from segmetry.overlaps.cross_table import check_disjoint, checked_background, contingency, contingency_of_items
    from segmetry.overlaps.item_tables import ItemTables, LabelCells
    from segmetry.overlaps.label_tables import tables_of_labels
    from segmetry.overlaps.line_tables import FARTHEST, count_lines
    from segmetry.overlaps.merge_tables import merge, sorted_names
    from segmetry.overlaps.count_overlapping import covered_by
    from segmetry.overlaps.table import HOW_DISJOINT, BackgroundCounts, Ids, OverlapTable, Side, check_class_table
else:
    __getattr__, __dir__ = names_on_demand(__name__)
