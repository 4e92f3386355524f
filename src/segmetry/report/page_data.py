"""Collect the data of the page: one JSON block for all runs, and one block of columns for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from segmetry._base import OnStage, silent
from segmetry.alignments import Breakdown
from segmetry.diagnosis import RunError
from segmetry.errors import InputError, OptionError
from segmetry.report.analysis_data import BEING_COMPUTED, analysis_facts
from segmetry.report.column_blocks import ColumnBlock
from segmetry.report.comparison_data import comparison_facts
from segmetry.report.error_changes import error_fates
from segmetry.report.head import about, checked_inputs, filter_facts, title_of
from segmetry.report.item_pictures import Pixels, pixels_of
from segmetry.report.metric_data import declarations
from segmetry.report.overview_data import overview_facts
from segmetry.report.page_records import Analysis, DescribedRun, PageData
from segmetry.report.photographs import photograph_facts
from segmetry.report.run_data import provenance, run_facts
from segmetry.report.sections import ABOUT_SEGMENTS, is_about_detections, is_semantic
from segmetry.report.segment_columns import MOST_ROWS, add_columns, add_segment_kinds, page_rows
from segmetry.report.sensitivity_data import sensitivity_by_run
from segmetry.report.two_rules_data import two_rules_facts
from segmetry.run import ByItem, Run

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
) -> tuple[PageData, PackedBlocks]:
    """Return the data block of the page and the other blocks it names.

    ``maps`` selects items with pictures, ``true`` and ``pred`` are inputs that were moved (of several runs, ``pred`` is
    a list); see ``pixels_of``. ``images`` is the folder of the photographs that are shown under the masks, and
    ``image_budget`` how many megabytes they may take up; see ``photographs_of``. ``sensitivity`` is a boundary
    sensitivity or its file; see :func:`~segmetry.report.sensitivity_data.sensitivity_by_run`. ``served`` is how many
    overlap rows a page may have whose pictures are drawn on demand (:mod:`segmetry.report.served_report`); it contains
    none, and neither intervals nor the error analysis, which :func:`later_data` returns. ``progress`` is called at the
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
    described: list[DescribedRun] = []
    listed: list[Sequence[RunError]] = []
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
        progress("columns of segments")
        add_columns(run, rows, columns)
        kinds = add_segment_kinds(run, columns)
        analysis = BEING_COMPUTED if served else analysis_facts(run, rules, checked, progress, listed=listed)
        data: DescribedRun = {
            **facts,
            **filter_facts(facts["items"], by),
            "subsets": {
                part.name: [(row[part.name], row["items"], row[run.headline]) for row in run.parts(part, partial=True)]
                for part in by
                if isinstance(part, ByItem)
            },
            "run": provenance(run, analysis["run"]),
            "sensitivity": sensitivities.get(at),
            "segment_kinds": kinds,
            "overview": overview_facts(run, columns, analysis["headline"]),
            "intervals": analysis["intervals"],
            "budget": analysis["budget"],
            "errors": analysis["errors"],
            "two_rules": None if served else two_rules_facts(run),
            "block": f"columns-{at}",
            "columns": columns.directory,
            "maps": pixels.headers,
            "maps_block": f"maps-{at}",
            "maps_problem": pixels.problem,
        }
        described.append(data)
        blocks[data["block"]] = columns.packed()
        blocks |= {f"maps-{at}-{index}": text for index, text in pixels.texts.items()}
    if served:
        images = "none"
    progress("photographs")
    headers = [one["maps"] for one in described]
    photographs, photos = photograph_facts(runs, headers, images=images, image_budget=image_budget, true=true)
    blocks |= photos
    progress("comparison")
    comparison = comparison_facts(runs, names)
    stated = names if comparison is None else comparison["systems"]
    called = stated or [run.path.name if run.path is not None else "run" for run in runs]
    keys = {*EXPLAINED, *(key for one in described for key in one["keys"])}
    about_segments = not is_semantic(runs) and not is_about_detections(runs)
    return {
        "title": title_of(runs, stated),
        "about": about(runs),
        "runs": [
            {**one, **shown, "name": name} for one, shown, name in zip(described, photographs, called, strict=True)
        ],
        "metrics": declarations(keys),
        "absent": [] if about_segments else sorted(ABOUT_SEGMENTS),
        "comparison": comparison,
        "fates": error_fates(runs, listed, true, pred) if len(listed) == len(runs) else [],
    }, blocks


def later_data(
    runs: Sequence[Run], *, true: Any = None, pred: Sequence[Any] | None = None, progress: OnStage = silent
) -> list[Analysis]:
    """Return what a served page asks for once it is shown: the analysis of every run, of any size."""
    analyses = []
    for run, own in zip(runs, [None] * len(runs) if pred is None else pred, strict=True):
        progress("fingerprints")
        checked = checked_inputs(run, true, own)
        analyses.append(analysis_facts(run, shown_rules(run), checked, progress, len(run.tables_together)))
    return analyses


def shown_rules(run: Run) -> list[str]:
    """Return the rules that every page shows, and that of the run."""
    return list(dict.fromkeys(("theta_plus", "theta_and", run.settings.rule)))
