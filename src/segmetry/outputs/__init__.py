"""Showing results: tables, plots, images."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.outputs.error_files import EACH, paths_of_items, write_errors
    from segmetry.outputs.plots.budget_plot import budget_plot, confusion_plot, sensitivity_plot, sizes_plot
    from segmetry.outputs.plots.comparison_plots import COLOURS, comparison_plots, critical_difference_plot, ranks_plot
    from segmetry.outputs.plots.comparison_plots import rules_plot, two_rules_plots, violin_shapes
    from segmetry.outputs.plots.confusion_matrix_plot import confusion_matrix_plot
    from segmetry.outputs.plots.coverage_plot import coverage_plot, overlap_plot
    from segmetry.outputs.plots.curve_plot import curve_plot
    from segmetry.outputs.plots.map_images import write_maps
    from segmetry.outputs.plots.pair_picture import pair_picture
    from segmetry.outputs.plots.look_picture import look
    from segmetry.outputs.plots.picture import ENDINGS, GREY, INK, Line, Picture, Rectangle, Scale, Shape, Words, moved
    from segmetry.outputs.plots.picture import scale_of, y_axis
    from segmetry.outputs.plots.precision_recall_plot import item_points, precision_recall_plot
    from segmetry.outputs.plots.precision_recall_plot import precision_recall_plot_of_items
    from segmetry.outputs.plots.recall_pictures import class_size_picture, lowest_classes, recall_pictures
    from segmetry.outputs.plots.recall_pictures import recall_plot
    from segmetry.outputs.plots.threshold_plot import sweep_plot, threshold_plot
    from segmetry.outputs.headline_words import headline_line
    from segmetry.outputs.tables.explanations import bibtex_entry, explain, explain_protocol, protocol_data
    from segmetry.outputs.tables.plain_formula import plain_formula
    from segmetry.outputs.tables.explanations import explain_rule, rule_data, rules_listing
    from segmetry.outputs.tables.score_tables import averages_table, class_keys, class_name, classes_table, folded
    from segmetry.outputs.tables.score_tables import items_table, parts_table, results_table, worst_classes, worst_items
    from segmetry.outputs.tables.score_tables import worst_line
else:
    __getattr__, __dir__ = names_on_demand(__name__)
