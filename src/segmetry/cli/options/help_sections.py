"""The help of a command with many options, in sections: what is computed, tested, printed, paired and read."""

from __future__ import annotations

import click

SECTIONS: dict[str, tuple[str, ...]] = {
    "Scores": (
        *("protocol", "metrics", "rule", "rules", "policy", "classes", "background", "resolve", "undefined"),
        *("average", "metric_option", "sizes", "parts", "n_t", "match", "offset", "rounding", "merge_threshold"),
    ),
    "Statistics": ("resamples", "level", "seed", "truth"),
    "Gates": ("gates", "gate_on"),
    "Output": (
        *("names", "title", "interval", "items", "worst", "sort", "by_class", "confusion", "parts_by", "columns_file"),
        *("percent", "fail_under", "table", "csv_to", "parquet_to", "markdown_to", "latex_to", "json_to", "svg_to"),
        *("plots", "scalars", "top", "report_to", "output", "patterns", "target_format", "drop", "weight", "slices"),
        "axis",
    ),
    "Pictures": ("maps", "images", "image_budget", "true", "pred", "sensitivity"),
    "Run": ("partial", "out", "resume", "force", "shard", "engine", "jobs", "threads", "dask_scheduler"),
    "Pairing": ("missing", "strip", "pair", "true_pair", "pred_pair", "pairs"),
    "Reading": (
        *("chosen", "true_format", "pred_format", "pred_coder", "max_elements"),
        *("isolate", "isolate_seconds", "isolate_memory"),
    ),
}
"""The sections by the names of their parameters; the options of readers are in "Reading", all others in "Options"."""
READER = "reader_"
"""How the parameters of readers begin."""
OTHERS = "Options"


class SectionedCommand(click.Command):
    """A command whose help lists the options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections; arguments are in the line of usage."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in (*SECTIONS, OTHERS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[section_of(str(parameter.name))].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def section_of(name: str) -> str:
    """Return the section of a parameter.

    >>> section_of("metrics"), section_of("reader_void"), section_of("help")
    ('Scores', 'Reading', 'Options')
    """
    if name.startswith(READER):
        return "Reading"
    return next((section for section, names in SECTIONS.items() if name in names), OTHERS)
