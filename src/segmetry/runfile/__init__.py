"""The run file: the overlaps, sizes and stored scores of a whole data set, in one SQLite database.

:class:`~segmetry.runfile.RunWriter` writes it item by item, :class:`~segmetry.runfile.RunContents`
reads it; ``docs/run-file.md`` documents the tables. No metric is known here: what follows from a run is in
:mod:`segmetry.run`.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.runfile.collected import CollectedKey as CollectedKey, read_column as read_column
    from segmetry.runfile.contents import PairLoader as PairLoader, RunContents as RunContents
    from segmetry.runfile.counted_blocks import CountedBlocks as CountedBlocks
    from segmetry.runfile.writer import ItemResult as ItemResult, LineResults as LineResults
    from segmetry.runfile.merge import merge_files as merge_files
    from segmetry.runfile.overlap_columns import ItemFacts as ItemFacts, RunSideColumns as RunSideColumns
    from segmetry.runfile.overlap_columns import RunTables as RunTables
    from segmetry.runfile.shard import Shard as Shard
    from segmetry.runfile.values import MOST_INTEGER as MOST_INTEGER, ScoreRow as ScoreRow, details_text as details_text
    from segmetry.runfile.values import number_of_text as number_of_text, number_text as number_text
    from segmetry.runfile.writer import RunWriter as RunWriter, changed_input as changed_input
else:
    __getattr__, __dir__ = names_on_demand(__name__)
