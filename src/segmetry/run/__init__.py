"""What follows from a run: every score of its items and of the data set, under any rule.

:class:`~segmetry.run.Run` reads the overlaps and stored scores from a run file (:mod:`segmetry.runfile`).
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.run.by_item import ByItem as ByItem
    from segmetry.run.collected_columns import StoredColumns as StoredColumns, collect_item as collect_item
    from segmetry.run.part_rows import COUNTS as COUNTS
    from segmetry.run.partition_scores import check_partitions as check_partitions
    from segmetry.run.run import Run as Run, merge_runs as merge_runs
    from segmetry.run.run_data_set import aligning as aligning, alignment_options as alignment_options
    from segmetry.run.run_data_set import data_set_facts as data_set_facts, data_set_of as data_set_of
    from segmetry.run.run_data_set import item_alignment as item_alignment, segments_of as segments_of
    from segmetry.run.score_rows import rows_of_column as rows_of_column, score_row as score_row
    from segmetry.run.settings import Settings as Settings
    from segmetry.run.stored_scores import other_scores as other_scores
else:
    __getattr__, __dir__ = names_on_demand(__name__)
