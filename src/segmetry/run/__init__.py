"""What follows from a run: every score of its items and of the data set, under any rule.

:class:`~segmetry.run.Run` reads the overlaps and stored scores from a run file (:mod:`segmetry.runfile`).
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.run.part_rows import ByItem
    from segmetry.run.collected_columns import collect_item, collect_lines, collected_key, collected_sources
    from segmetry.run.part_rows import COUNTS
    from segmetry.run.stored_scores import check_partitions
    from segmetry.run.run import Run, merge_runs
    from segmetry.run.run_data_set import aligning, alignment_options, data_set_facts, data_set_of, item_alignment
    from segmetry.run.run_data_set import segments_of
    from segmetry.run.score_rows import RowsOfColumns, score_row
    from segmetry.run.settings import Settings
    from segmetry.run.stored_scores import other_scores
else:
    __getattr__, __dir__ = names_on_demand(__name__)
