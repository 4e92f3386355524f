"""``segmetry info RUN`` and ``segmetry info --self``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json
from segmetry.cli.interval_output import show_intervals
from segmetry.errors import OptionError
from segmetry.installation import about
from segmetry.run import Run

EXAMPLES = """
\b
Examples:
  segmetry info run.segm
  segmetry info run.segm --json | jq .done
  segmetry info run.segm --interval
  segmetry info --self
"""


@click.command(name="info", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", required=False, type=click.Path(path_type=Path))
@click.option("--json", "as_data", is_flag=True, help="Print as JSON, with the fingerprint of every input.")
@click.option("--interval", is_flag=True, help="Also print confidence intervals of every average.")
@click.option("--self", "itself", is_flag=True, help="Show segmetry itself: versions, kernels; for a bug report.")
def command(path: Path | None, *, as_data: bool, interval: bool, itself: bool) -> None:
    """Show what a run file contains (inputs, settings, how many items are done), or segmetry itself."""
    if itself:
        if path is not None or interval:
            raise OptionError("--self is about segmetry, not about a run file; leave out RUN and --interval")
        _show_installation(as_json_text=as_data)
        return
    if path is None:
        raise OptionError("info needs a run file, or --self for segmetry itself")
    with Run.open(path) as run:
        facts = _facts(run)
        intervals = run.intervals() if interval else None
        if as_data:
            more = {} if intervals is None else {"intervals": intervals.as_dict()}
            click.echo(as_json({**facts, "inputs": run.inputs, **more}), nl=False)
            return
        for name, value in facts.items():
            if value not in (None, "", [], {}):
                click.echo(f"{name.replace('_', ' ')}: {_text(value)}")
        if "shard" in run.facts:
            click.echo("a part of a run: merge the parts with segmetry merge")
        elif not run.is_complete:
            click.echo("not finished: continue it with the same command and --resume")
        if intervals is not None:
            show_intervals(intervals)


def _show_installation(*, as_json_text: bool) -> None:
    facts = about()
    if as_json_text:
        click.echo(as_json(facts), nl=False)
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' ')}: {value}")


def _facts(run: Run) -> dict[str, Any]:
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


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={setting}" for name, setting in value.items())
    return str(value)
