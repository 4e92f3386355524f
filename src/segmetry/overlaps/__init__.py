"""Overlap tables: exact counts of the elements that true and predicted segments share."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.overlaps.count import item_of as item_of
    from segmetry.overlaps.block_counts import PairSum as PairSum, count_blocks as count_blocks
    from segmetry.overlaps.block_counts import count_part as count_part
    from segmetry.overlaps.blocks import BlockPlan as BlockPlan, plan_blocks as plan_blocks, plan_of as plan_of
    from segmetry.overlaps.build import table_from_pairs as table_from_pairs
    from segmetry.overlaps.class_table import ClassTable as ClassTable, OUTSIDE as OUTSIDE
    from segmetry.overlaps.class_table import merge_class_tables as merge_class_tables
    from segmetry.overlaps.confusion_matrix import TRUE_CLASS as TRUE_CLASS, largest_confusions as largest_confusions
    from segmetry.overlaps.confusion_matrix import matrix_table as matrix_table
    from segmetry.overlaps.count import count_overlaps as count_overlaps, count_together as count_together
    from segmetry.overlaps.count import overlap as overlap
    from segmetry.overlaps.cross_table import Blocks as Blocks, Contingency as Contingency, ItemOverlaps as ItemOverlaps
    from segmetry.overlaps.cross_table import ItemSegments as ItemSegments, MOST_ELEMENTS as MOST_ELEMENTS
    from segmetry.overlaps.cross_table import check_disjoint as check_disjoint, checked_background as checked_background
    from segmetry.overlaps.cross_table import contingency as contingency, contingency_of_items as contingency_of_items
    from segmetry.overlaps.item_tables import ItemTables as ItemTables, LabelCells as LabelCells
    from segmetry.overlaps.line_tables import FARTHEST as FARTHEST, LineTables as LineTables
    from segmetry.overlaps.merge_tables import merge as merge, sorted_names as sorted_names
    from segmetry.overlaps.polygon_overlaps import covered_by as covered_by
    from segmetry.overlaps.table import BackgroundCounts as BackgroundCounts, HOW_DISJOINT as HOW_DISJOINT, Ids as Ids
    from segmetry.overlaps.table import OverlapTable as OverlapTable, Side as Side
    from segmetry.overlaps.table import check_class_table as check_class_table
else:
    __getattr__, __dir__ = names_on_demand(__name__)
