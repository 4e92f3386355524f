"""The run file: the overlaps, sizes and stored scores of a whole data set, in one SQLite database.

:class:`~segmetry.runfile.RunWriter` writes it item by item, :class:`~segmetry.runfile.RunContents`
reads it; ``docs/run-file.md`` documents the tables. No metric is known here: what follows from a run is in
:mod:`segmetry.run`.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.runfile.collected import CollectedItems, CollectedKey, CollectedTogether, CountedBlocks
    from segmetry.runfile.contents import RECEIPT, PairLoader, RunContents, write_receipt
    from segmetry.runfile.memory import RunInMemory
    from segmetry.runfile.merge import merge_files
    from segmetry.runfile.overlap_columns import FactColumns, PostponedTables, RunSideColumns, RunTables
    from segmetry.runfile.merge import Shard
    from segmetry.runfile.values import MOST_INTEGER, ScoreRow, details_text, json_of_text, number_of_text, number_text
    from segmetry.runfile.values import stored_classes
    from segmetry.runfile.writer import GroupResults, ItemResult, RunWriter, changed_input
else:
    __getattr__, __dir__ = names_on_demand(__name__)
