"""Evaluating a data set: pairing its items, counting and scoring them with an engine, writing the run."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.evaluation.engines.engine import Engine as Engine, declare_engine as declare_engine
    from segmetry.evaluation.engines.engine import run_tasks as run_tasks
    from segmetry.evaluation.evaluate_items import Progress as Progress, evaluate as evaluate
    from segmetry.evaluation.fingerprint import table_fingerprint as table_fingerprint
    from segmetry.evaluation.inputs import ItemTask as ItemTask, find_inputs as find_inputs
    from segmetry.evaluation.pair_shapes import shape_table as shape_table
    from segmetry.evaluation.reopen import ChangedInputError as ChangedInputError, loaders_of as loaders_of
    from segmetry.evaluation.schedule import ProgressState as ProgressState
else:
    __getattr__, __dir__ = names_on_demand(__name__)
