"""``segmetry info RUN`` and ``segmetry info --self``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.alignments import RULES, as_rule
from segmetry.cli.console import as_json
from segmetry.cli.options.option_groups import class_names_option, cluster_option, item_groups, opened_run
from segmetry.cli.run_tables import show_intervals
from segmetry.comparison import cases_needed
from segmetry.errors import OptionError
from segmetry.installation import about
from segmetry.metrics import METRICS
from segmetry.outputs import bibtex_entry
from segmetry.run import ByItem, Run
from segmetry.statistics import Intervals

EXAMPLES = """
\b
Examples:
  segmetry info run.segm
  segmetry info run.segm --json | jq .done
  segmetry info run.segm --interval --cluster patient --columns scans.csv
  segmetry info pilot.segm --width 0.02
  segmetry info run.segm --bibtex > references.bib
  segmetry info --self
"""


@click.command(name="info", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_data", is_flag=True, help="Print as JSON, with the fingerprint of every input.")
@click.option("--interval", is_flag=True, help="Also print confidence intervals of every average.")
@cluster_option
@class_names_option
@click.option("--columns", "columns_file", metavar="FILE", help="CSV file with a column item and further columns.")
@click.option("--width", type=click.FloatRange(0, min_open=True), help="Items needed for intervals of this width.")
@click.option(
    "--bibtex", is_flag=True, help="Print the papers behind the metrics, rule and protocol of the run as BibTeX."
)
@click.option("--self", "itself", is_flag=True, help="Show segmetry itself: versions, kernels; for a bug report.")
def command(path: Path | None, *, as_data: bool, interval: bool, itself: bool, bibtex: bool, **options: Any) -> None:
    """Show what a run file contains (inputs, settings, how many items are done), or segmetry itself."""
    if itself:
        if path is not None or interval:
            raise OptionError("--self is about segmetry, not about a run file; leave out RUN and --interval")
        _show_installation(as_json_text=as_data)
        return
    if path is None:
        raise OptionError("info needs a run file, or --self for segmetry itself")
    cluster, _ = item_groups({**options, "parts_by": ()})
    with opened_run(path, options) as run:
        if bibtex:
            click.echo("\n\n".join(map(bibtex_entry, references_of(run))))
            return
        _show_run(run, cluster, options["width"], as_data=as_data, interval=interval)


def _show_run(run: Run, cluster: ByItem | None, width: float | None, *, as_data: bool, interval: bool) -> None:
    facts = _run_facts(run)
    interval = interval or width is not None or cluster is not None
    intervals = run.intervals(cluster=cluster) if interval else None
    if as_data:
        more = {} if intervals is None else _intervals_data(intervals, width)
        click.echo(as_json({**facts, "inputs": run.inputs, **more}, "run"), nl=False)
        return
    for name, value in facts.items():
        if value not in (None, "", [], {}):
            click.echo(f"{name.replace('_', ' ')}: {_fact_text(value)}")
    if "shard" in run.facts:
        click.echo("a part of a run: merge the parts with segmetry merge")
    elif not run.is_complete:
        click.echo("not finished: continue it with the same command and --resume")
    if intervals is not None:
        show_intervals(run, intervals, wanted=width)


def _show_installation(*, as_json_text: bool) -> None:
    facts = about()
    if as_json_text:
        click.echo(as_json(facts, "installation"), nl=False)
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' ')}: {value}")


def _run_facts(run: Run) -> dict[str, Any]:
    settings = run.settings
    return {
        "run": str(run.path),
        **{name: run.facts.get(name) for name in ("segmetry", "true", "pred")},
        "part": run.facts.get("shard"),
        "items": len(run.names),
        "done": run.n_done,
        **run.counts(),
        "protocol": settings.protocol,
        "modified": ", ".join(settings.modified),
        **{name: getattr(settings, name) for name in ("rule", "policy", "classes")},
        "metrics": None if settings.metrics is None else ",".join(settings.metrics),
        **{name: getattr(settings, name) for name in ("resolve", "undefined")},
        "reading": dict(settings.reading),
        "input_files": len(run.inputs),
        "content": run.content_digest(),
    }


def _intervals_data(intervals: Intervals, width: float | None) -> dict[str, Any]:
    planned = {} if width is None else {"items_needed": list(cases_needed(intervals, width))}
    return {"intervals": intervals.to_dict(), **planned}


def references_of(run: Run) -> list[str]:
    """Return the keys of the papers behind the metrics, the rule and the protocol of a run."""
    rule = as_rule(run.settings.rule)
    declared: list[Any] = [
        *(METRICS[key] for key in run.data.sources),
        *([RULES[rule.name]] if rule.name in RULES else []),
    ]
    declared += [] if run.protocol is None else [run.protocol]
    return list(dict.fromkeys(key for one in declared for key in one.citation))


def _fact_text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={setting}" for name, setting in value.items())
    return str(value)
