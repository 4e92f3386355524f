"""``segmetry info RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json
from segmetry.cli.interval_output import show_intervals
from segmetry.run.run import Run

EXAMPLES = """
\b
Examples:
  segmetry info run.segm
  segmetry info run.segm --json | jq .done
  segmetry info run.segm --interval
"""


@click.command(name="info", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--json", "json_wanted", is_flag=True, help="As JSON, with the fingerprint of every input.")
@click.option("--interval", is_flag=True, help="Confidence intervals of every mean and pooled value, too.")
def command(path: Path, *, json_wanted: bool, interval: bool) -> None:
    """Say what a run file holds: inputs, settings, and how many items are done."""
    with Run.open(path) as run:
        facts = _facts(run)
        found = run.intervals() if interval else None
        if json_wanted:
            more = {} if found is None else {"intervals": found.as_dict()}
            click.echo(as_json({**facts, "inputs": run.inputs, **more}), nl=False)
            return
        for name, value in facts.items():
            if value not in (None, "", [], {}):
                click.echo(f"{name.replace('_', ' ')}: {_words(value)}")
        if "shard" in run.facts:
            click.echo("a part of a run: put the parts together with segmetry merge")
        elif not run.is_complete:
            click.echo("not finished: continue it with the same command and --resume")
        if found is not None:
            show_intervals(found)


def _facts(run: Run) -> dict[str, Any]:
    settings = run.settings
    return {
        "run": str(run.path),
        "segmetry": run.facts.get("segmetry"),
        "true": run.facts.get("true"),
        "pred": run.facts.get("pred"),
        "part": run.facts.get("shard"),
        "items": len(run.names),
        "done": run.n_done,
        **run.counts(),
        "rule": settings.rule,
        "policy": settings.policy,
        "classes": settings.classes,
        "metrics": None if settings.metrics is None else ",".join(settings.metrics),
        "resolve": settings.resolve,
        "undefined": settings.undefined,
        "reading": dict(settings.reading),
        "input_files": len(run.inputs),
        "content": run.content_digest(),
    }


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={found}" for name, found in value.items())
    return str(value)
