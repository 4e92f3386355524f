"""The help of a command with many options, in sections: what is computed, printed, paired and read."""

from __future__ import annotations

from collections.abc import Sequence

import click

SECTIONS: dict[str, tuple[str, ...]] = {
    "Scores": (
        *("protocol", "metrics", "rule", "rules", "policy", "classes", "background", "resolve", "undefined"),
        *("average", "metric_option", "sizes"),
    ),
    "Output": (
        *("interval", "items", "worst", "sort", "by_class", "parts_by", "columns_file", "percent", "fail_under"),
        *("table", "csv_to", "parquet_to", "markdown_to", "latex_to", "json_to", "svg_to", "report_to", "maps"),
        *("images", "image_budget", "output", "weight", "slices"),
    ),
    "Run": ("out", "resume", "force", "shard", "engine", "jobs", "threads", "dask_scheduler"),
    "Pairing": ("missing", "strip", "pair", "true_pair", "pred_pair", "pairs"),
}
"""The sections of the command's own options, by the names of their parameters; others are in "Options"."""
READING = "Reading"
_READING = (
    "chosen",
    "true_format",
    "pred_format",
    "pred_coder",
    "max_elements",
    "isolate",
    "isolate_seconds",
    "isolate_memory",
)
OTHERS = "Options"


def write_sections(ctx: click.Context, formatter: click.HelpFormatter, readers: Sequence[click.Parameter]) -> None:
    """Write the options of a command; ``readers`` are those of the readers of files."""
    sections: dict[str, list[tuple[str, str]]] = {name: [] for name in (*SECTIONS, READING, OTHERS)}
    for parameter in ctx.command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            sections[_section(parameter, readers)].append(record)
    for name, records in sections.items():
        if records:
            with formatter.section(name):
                formatter.write_dl(records)


def _section(parameter: click.Parameter, readers: Sequence[click.Parameter]) -> str:
    if parameter in readers or parameter.name in _READING:
        return READING
    return next((name for name, names in SECTIONS.items() if parameter.name in names), OTHERS)
