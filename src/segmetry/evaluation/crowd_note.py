"""A note about images with several crowd regions of one class, of which the COCO reference honours only the last."""

from __future__ import annotations

import warnings

import numpy as np

from segmetry.alignments.policy import ALL_CROWDS, COCO
from segmetry.errors import DataWarning
from segmetry.run.run import Run

KEY = "pq"


def note_crowds(run: Run) -> None:
    """Warn if the policy ignores crowd regions because a later one of their class is listed, with both values of PQ."""
    if run.settings.policy != COCO.name:
        return
    sides = run.tables_together.true
    if not sides.superseded.any():
        return
    n_items, n_regions = np.unique(sides.item[sides.superseded]).size, int(np.count_nonzero(sides.superseded))
    values = ""
    if KEY in {metric.key for metric in run.metrics} and run.n_done == len(run.names):
        here, all_crowds = (score.summary()[KEY] for score in (run, run.rescore(policy=ALL_CROWDS.name)))
        if here.over_data_set is not None and all_crowds.over_data_set is not None:
            values = f": PQ is {here.over_data_set.value:.5f}, with all of them {all_crowds.over_data_set.value:.5f}"
    warnings.warn(
        f"{n_items} {'item has' if n_items == 1 else 'items have'} several crowd regions of one class; as in the COCO "
        f"reference only the last one listed counts, and {n_regions} {'does' if n_regions == 1 else 'do'} not{values} "
        f"(policy {ALL_CROWDS.name})",
        DataWarning,
        stacklevel=3,
    )
