"""Collect the data of the page: one JSON block for all runs, and one block of columns for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from segmetry._base.on_stage import OnStage, silent
from segmetry.alignments.breakdown import Breakdown
from segmetry.errors import InputError, OptionError
from segmetry.report.analysis.analysis_data import BEING_COMPUTED, add_analysis, analysis_facts
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.comparison_data import comparison_facts
from segmetry.report.frame.about_runs import about, title_of
from segmetry.report.frame.checked_inputs import checked_inputs
from segmetry.report.frame.item_groups import filter_facts
from segmetry.report.item_pictures import Pixels, pixels_of
from segmetry.report.metric_data import declarations
from segmetry.report.overlap_rows import MOST_ROWS, page_rows
from segmetry.report.overview.overview_data import overview_facts
from segmetry.report.pictures.photograph_data import photograph_facts
from segmetry.report.run_data import run_facts
from segmetry.report.segment_columns import add_columns
from segmetry.report.segment_kinds import add_segment_kinds
from segmetry.report.sensitivity_data import sensitivity_by_run
from segmetry.run.by_item import ByItem
from segmetry.run.run import Run

EXPLAINED = ("pq", "sq", "rq", "npq")
"""The metrics that the page computes and explains in every report."""

PackedBlocks = dict[str, str]
"""Packed bytes by the id of their element."""


def report_data(
    runs: Sequence[Run],
    *,
    maps: str | int | None = None,
    true: Any = None,
    pred: Any = None,
    images: str | Path | None = None,
    image_budget: float | None = None,
    sensitivity: Any = None,
    served: int | None = None,
    progress: OnStage = silent,
    names: Sequence[str] | None = None,
    by: Sequence[Breakdown | ByItem] = (),
) -> tuple[dict[str, Any], PackedBlocks]:
    """Return the data block of the page and the other blocks it names.

    ``maps`` selects items with pictures, ``true`` and ``pred`` are inputs that were moved (of several runs, ``pred`` is
    a list); see ``pixels_of``. ``images`` is the folder of the photographs that are shown under the masks, and
    ``image_budget`` how many megabytes they may take up; see ``photographs_of``. ``sensitivity`` is a boundary
    sensitivity or its file; see :func:`~segmetry.report.sensitivity_data.sensitivity_by_run`. ``served`` is how many
    overlap rows a page may have whose pictures are drawn on demand (:mod:`segmetry.report.served`); it contains none,
    and neither intervals nor the error analysis, which :func:`later_data` returns. ``progress`` is called at the
    beginning of every stage. ``names`` are those of the runs; ``by`` are columns about items and bins of sizes, which
    the page filters by.
    """
    if not runs:
        raise InputError("no run to report; expected at least one")
    preds = list(pred) if isinstance(pred, list | tuple) else [pred] * len(runs)
    if len(preds) != len(runs):
        raise OptionError(f"pred names {len(preds)} inputs for {len(runs)} runs; expected one for each (--pred)")
    if names is not None and len(names) != len(runs):
        raise OptionError(f"there are {len(names)} names for {len(runs)} runs; expected one for each")
    sensitivities = sensitivity_by_run(runs, sensitivity)
    blocks: PackedBlocks = {}
    described, headers = [], []
    for at, run in enumerate(runs):
        columns = ColumnBlock()
        rules = shown_rules(run)
        progress("pictures" if served is None else "overlaps")
        checked = checked_inputs(run, true, preds[at], are_read=not served and maps not in ("none", 0))
        is_checked = checked["state"] == "unchanged"
        sides: dict[str, Any] = {"true": true, "pred": preds[at]}
        pixels = Pixels() if served else pixels_of(run, maps, is_checked=is_checked, progress=progress, **sides)
        rows = page_rows(run, rules, pixels.headers, served or MOST_ROWS)
        progress("scores")
        facts = run_facts(run, rules, rows)
        facts["sensitivity"] = sensitivities.get(at)
        facts |= filter_facts(facts["items"], by)
        progress("columns of segments")
        add_columns(run, rows, columns)
        facts["segment_kinds"] = add_segment_kinds(run, columns)
        facts["overview"] = overview_facts(run, columns)
        add_analysis(facts, BEING_COMPUTED if served else analysis_facts(run, rules, checked, progress))
        facts |= {"block": f"columns-{at}", "columns": columns.directory}
        blocks[facts["block"]] = columns.packed()
        facts |= {"maps": pixels.headers, "maps_block": f"maps-{at}", "maps_problem": pixels.problem}
        blocks |= {f"maps-{at}-{index}": text for index, text in pixels.texts.items()}
        described.append(facts)
        headers.append(pixels.headers)
    if served:
        images = "none"
    progress("photographs")
    photographs, photos = photograph_facts(runs, headers, images=images, image_budget=image_budget, true=true)
    blocks |= photos
    for facts, shown in zip(described, photographs, strict=True):
        facts |= shown
    progress("comparison")
    comparison = comparison_facts(runs, names)
    shown_names = names if comparison is None else comparison["systems"]
    for facts, name in zip(described, shown_names or [], strict=False):
        facts["name"] = name
    keys = {*EXPLAINED, *(key for facts in described for key in facts["keys"])}
    data = {
        "title": title_of(runs, names),
        "about": about(runs),
        "runs": described,
        "metrics": declarations(keys),
        "comparison": comparison,
    }
    return data, blocks


def later_data(
    runs: Sequence[Run], *, true: Any = None, pred: Sequence[Any] | None = None, progress: OnStage = silent
) -> list[dict[str, Any]]:
    """Return what a served page asks for once it is shown: the analysis of every run, of any size.

    >>> import segmetry as sm
    >>> later = later_data([sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")])
    >>> later[0]["budget"]["problem"], sorted(later[0])
    (None, ['budget', 'headline', 'intervals', 'run'])
    """
    analyses = []
    for run, own in zip(runs, [None] * len(runs) if pred is None else pred, strict=True):
        progress("fingerprints")
        checked = checked_inputs(run, true, own)
        analyses.append(analysis_facts(run, shown_rules(run), checked, progress, len(run.tables_together)))
    return analyses


def shown_rules(run: Run) -> list[str]:
    """Return the rules that every page shows, and that of the run."""
    return list(dict.fromkeys(("theta_plus", "theta_and", run.settings.rule)))
