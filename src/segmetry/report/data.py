"""What goes into the page: one JSON block for all runs, and one block of columns for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from segmetry.errors import InputError
from segmetry.report.columns import Columns
from segmetry.report.declarations import declarations
from segmetry.report.run_columns import add_columns
from segmetry.report.run_facts import run_facts
from segmetry.run.run import Run

Blocks = dict[str, str]
"""Packed bytes by the id of the element that holds them."""


def report_data(runs: Sequence[Run]) -> tuple[dict[str, Any], Blocks]:
    """The data block of the page and the other blocks it names."""
    if not runs:
        raise InputError("no run to report; expected at least one")
    blocks: Blocks = {}
    described = []
    for at, run in enumerate(runs):
        columns = Columns()
        facts = run_facts(run, columns)
        add_columns(run, columns)
        facts |= {"block": f"columns-{at}", "columns": columns.directory}
        blocks[facts["block"]] = columns.packed()
        described.append(facts)
    keys = {key for facts in described for key in facts["keys"]}
    return {"title": _title(runs), "runs": described, "metrics": declarations(keys)}, blocks


def _title(runs: Sequence[Run]) -> str:
    names = [run.path.name for run in runs if run.path is not None]
    return f"segmetry: {', '.join(names)}" if names else "segmetry report"
