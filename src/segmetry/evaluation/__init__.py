"""Evaluating a data set: pairing its items, counting and scoring them with an engine, writing the run."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.evaluation.engines.engine import Engine, declare_engine, run_tasks
    from segmetry.evaluation.evaluate_items import Progress, counted_again, evaluate
    from segmetry.evaluation.fingerprint import table_fingerprint
    from segmetry.evaluation.inputs import ItemTask, find_inputs
    from segmetry.evaluation.reopen import ChangedInputError, inputs_of, loaders_of, shape_table
    from segmetry.evaluation.schedule import ProgressState
else:
    __getattr__, __dir__ = names_on_demand(__name__)
