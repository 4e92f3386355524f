"""``segmetry info RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.writing import as_json
from segmetry.run.run import Run

EXAMPLES = """
\b
Examples:
  segmetry info run.segm
  segmetry info run.segm --json | jq .done
"""


@click.command(name="info", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--json", "json_wanted", is_flag=True, help="As JSON, with the fingerprint of every input.")
def command(path: Path, *, json_wanted: bool) -> None:
    """Say what a run file holds: inputs, settings, and how many items are done."""
    with Run.open(path) as run:
        facts = _facts(run)
        if json_wanted:
            click.echo(as_json({**facts, "inputs": run.inputs}), nl=False)
            return
        for name, value in facts.items():
            if value not in (None, "", [], {}):
                click.echo(f"{name.replace('_', ' ')}: {_words(value)}")
        if not run.is_complete:
            click.echo("not finished: continue it with the same command and --resume")


def _facts(run: Run) -> dict[str, Any]:
    settings = run.settings
    return {
        "run": str(run.path),
        "segmetry": run.facts.get("segmetry"),
        "true": run.facts.get("true"),
        "pred": run.facts.get("pred"),
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
