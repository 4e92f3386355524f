"""Showing results: tables, plots, images."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.outputs.plots.budget_plot import budget_plot as budget_plot, confusion_plot as confusion_plot
    from segmetry.outputs.plots.budget_plot import sizes_plot as sizes_plot
    from segmetry.outputs.plots.comparison_plots import comparison_plots as comparison_plots, rules_plot as rules_plot
    from segmetry.outputs.plots.confusion_matrix_plot import confusion_matrix_plot as confusion_matrix_plot
    from segmetry.outputs.plots.iou_plots import two_rules_plots as two_rules_plots
    from segmetry.outputs.plots.map_images import write_maps as write_maps
    from segmetry.outputs.plots.picture import Picture as Picture
    from segmetry.outputs.plots.recall_pictures import class_size_picture as class_size_picture
    from segmetry.outputs.plots.recall_pictures import lowest_classes as lowest_classes
    from segmetry.outputs.plots.recall_pictures import recall_pictures as recall_pictures
    from segmetry.outputs.plots.sensitivity_plot import sensitivity_plot as sensitivity_plot
    from segmetry.outputs.plots.threshold_plot import threshold_plot as threshold_plot
    from segmetry.outputs.tables.metric_explanation import bibtex_entry as bibtex_entry, explain as explain
    from segmetry.outputs.tables.plain_formula import plain_formula as plain_formula
    from segmetry.outputs.tables.protocol_explanation import explain_protocol as explain_protocol
    from segmetry.outputs.tables.protocol_explanation import protocol_data as protocol_data
    from segmetry.outputs.tables.protocol_explanation import protocols_listing as protocols_listing
    from segmetry.outputs.tables.rule_listing import explain_rule as explain_rule, rule_data as rule_data
    from segmetry.outputs.tables.rule_listing import rules_listing as rules_listing
    from segmetry.outputs.tables.score_tables import averages_table as averages_table, class_keys as class_keys
    from segmetry.outputs.tables.score_tables import class_name as class_name, classes_table as classes_table
    from segmetry.outputs.tables.score_tables import folded as folded, items_table as items_table
    from segmetry.outputs.tables.score_tables import parts_table as parts_table, results_table as results_table
    from segmetry.outputs.tables.score_tables import worst_classes as worst_classes, worst_items as worst_items
    from segmetry.outputs.tables.score_tables import worst_line as worst_line
else:
    __getattr__, __dir__ = names_on_demand(__name__)
