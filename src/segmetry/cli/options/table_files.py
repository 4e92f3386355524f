"""What ``segmetry score`` prints besides the table of scores, the bounds that make it fail, and tables as files.

A table is the printed one, or a row per item, class, part, segment or summary value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from segmetry._base import write_atomically
from segmetry.cli.console import check_apart, check_outputs, write_text
from segmetry.cli.options.option_groups import bound, count_option, json_target, option_group, sort_key, text_target
from segmetry.comparison import Gate
from segmetry.errors import OptionError
from segmetry.results import NumberStyle, Table

if TYPE_CHECKING:
    from segmetry.results import ResultTable
    from segmetry.run import Run


TABLES = ("scores", "items", "classes", "item_classes", "parts", "segments", "shapes", "summary", "confusion", "voi")
TARGETS = ("json", "csv", "parquet", "markdown", "latex")
TEXTS = ("json", "csv", "markdown", "latex")
"""The targets that may be standard output."""

table_options = option_group(
    click.option(
        "--table", type=click.Choice(TABLES), metavar="TABLE",
        help=f"Table to write ({', '.join(TABLES)}): the printed scores, one row per item, class, both, "
        "part (--by), segment with its errors, matched pair with its distances, volumes and centres (shapes; reads "
        "the inputs again), summary value, the confusion matrix, or voi: what each split or merge adds to VOI. "
        "[default: scores for --markdown and --latex, items for --csv and --parquet]",
    ),
    text_target("csv", "the table as CSV"),
    click.option("--parquet", "parquet_to", metavar="FILE", help="Write the table as Parquet (extra 'parquet')."),
    text_target("markdown", "the table as Markdown"),
    text_target("latex", "the table as LaTeX (booktabs)"),
    json_target,
)  # fmt: skip
"""The options that write tables and JSON."""


quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only errors, warnings and failed gates.")


def check_targets(options: dict[str, Any], inputs: Iterable[Path], **others: str | Path | None) -> None:
    """Raise an error for targets (``others`` by option) that cannot be written or would replace an input."""
    if options["table"] and not any(options[f"{name}_to"] for name in TARGETS if name != "json"):
        raise OptionError("--table selects what --csv, --parquet, --markdown and --latex write, but none is given")
    if options["parquet_to"] == "-":
        raise OptionError("--parquet - would write bytes to standard output; give it a file")
    targets = {f"--{name}": options[f"{name}_to"] for name in TARGETS}
    check_outputs(inputs, targets)
    check_apart(inputs, {**targets, **{f"--{name}": target for name, target in others.items()}})
    if options["parquet_to"]:
        from segmetry.results import check_parquet

        check_parquet()


def output_table(runs: Sequence[Run], table: str, by: Any = None) -> Table:
    """Return one table under every rule, the second column; ``by`` is the breakdown of the table of parts."""
    tables = [_table_of_run(run, table, by) for run in runs]
    rows = []
    for run, each in zip(runs, tables, strict=True):
        for (first, value), *others in (row.items() for row in each):
            rows.append({first: value, "rule": run.settings.rule, **dict(others)})
    types = {name: kind for each in tables for name, kind in each.types.items()}
    return Table(table, rows, types, tables[0].absent)


def _table_of_run(run: Run, table: str, by: Any) -> Table:
    from segmetry.diagnosis import segments_with_errors
    from segmetry.evaluation import shape_table

    tables: dict[str, Callable[[], Table]] = {
        "shapes": lambda: shape_table(run),
        "parts": lambda: run.parts(by, partial=True),
        "items": run.items,
        "segments": lambda: segments_with_errors(run),
        "item_classes": run.item_classes,
        "voi": run.splits_and_merges,
        "classes": lambda: run.classes(partial=True),
        "summary": lambda: run.summary(partial=True).rows(),
    }
    return tables[table]()


def is_quiet(options: Mapping[str, Any]) -> bool:
    """Return whether nothing is printed: on demand, or as standard output belongs to a file of the user's."""
    return bool(options.get("quiet")) or any(options[f"{name}_to"] == "-" for name in TEXTS)


def written_files(options: Mapping[str, Any]) -> list[str]:
    """Return the files that tables and JSON are written to."""
    return [options[f"{name}_to"] for name in TARGETS if options[f"{name}_to"] not in (None, "-")]


def write_tables(
    runs: Sequence[Run], options: Mapping[str, Any], scores: ResultTable, parts: Sequence[Any] = ()
) -> None:
    """Write the chosen table to the files the user names; ``scores`` is the printed one, ``parts`` are breakdowns."""
    for name, default in (("csv", "items"), ("parquet", "items"), ("markdown", "scores"), ("latex", "scores")):
        target = options[f"{name}_to"]
        if target:
            table = options["table"] or default
            rows = scores if table == "scores" else _rows(runs, table, parts)
            write_content(target, table_content(name, rows, runs[0]))


def write_content(target: str, content: str | bytes) -> None:
    """Write text or bytes to a file; text perhaps to standard output."""
    if isinstance(content, bytes):
        write_atomically(Path(target), content)
    else:
        write_text(target, content)


def _rows(runs: Sequence[Run], table: str, parts: Sequence[Any]) -> Table:
    if table == "confusion":
        check_classes(runs[0], "--table confusion")
        return runs[0].confusion_matrix()
    rows = output_table(runs, table, parts[0] if parts else None)
    if not rows and table == "classes":
        raise OptionError("--table classes: the segments carry no classes; choose another table")
    return rows


def check_classes(run: Run, flag: str) -> None:
    """Raise an error for a table of classes where segments carry none."""
    if run.summary(partial=True).by != "class":
        raise OptionError(
            f"{flag}: the segments carry no classes; if labels are classes, evaluate with --labels classes"
        )


def table_content(form: str, table: Table | ResultTable, run: Run | None = None) -> str | bytes:
    """Return a table as CSV, Parquet, Markdown or LaTeX."""
    from segmetry.metrics import METRICS
    from segmetry.protocols import metric_cell
    from segmetry.results import ResultTable, as_csv, as_parquet

    if isinstance(table, ResultTable) and run is not None and run.protocol is not None:
        table = replace(table, source=run.provenance()["words"])
    if form in ("csv", "parquet"):
        rows = table.records() if isinstance(table, ResultTable) else table
        if form == "csv":
            return as_csv(rows)
        facts = {} if run is None else {"segmetry": run.facts.get("segmetry", ""), "settings": run.settings.as_json()}
        return as_parquet(rows, facts)
    if not isinstance(table, ResultTable):
        table = ResultTable.of_table(table, {key: metric_cell(key) for key in table.columns if key in METRICS})
    return table.to("markdown" if form == "markdown" else "latex")


EXIT_GATE = 3
"""The exit code where a bound is not kept."""

output_options = option_group(
    click.option("--interval", is_flag=True, help="Confidence intervals over the items, under the first rule."),
    click.option("--items", is_flag=True, help="Also print one row per item."),
    count_option("--worst", "Also print the N worst items.", metavar="N"),
    click.option(
        "--sort", metavar="KEY", shell_complete=sort_key,
        help="Sort items by a metric, the worst first, or by name (item).",
    ),
    click.option("--by-class", is_flag=True, help="Also print one row per class."),
    click.option(
        "--confusion", is_flag=True,
        help="Also print which classes are confused with which: the confusion matrix, or its largest cells.",
    ),
    click.option("--percent", is_flag=True, help="Print scores in [0, 1] as percentages."),
    click.option(
        "--fail-under", multiple=True, metavar="KEY[.AVERAGE]=BOUND", shell_complete=bound,
        help="Exit with code 3 if a score of the data set is worse than the bound, such as pq=0.45 or "
        "pq.pooled=0.4; may be repeated.",
    ),
)  # fmt: skip
"""The options of what is printed."""


def check_output(options: Mapping[str, Any]) -> list[Gate]:
    """Return the bounds; raise an error for options that would have no effect."""
    if options["sort"] and not (options["items"] or options["worst"]):
        raise OptionError("--sort sorts the table of items; it needs --items or --worst N")
    if options["items"] and options["worst"]:
        raise OptionError("--items prints all items and --worst N some of them; give one of them")
    return [Gate.parse(text, "=") for text in options["fail_under"]]


def check_sort(key: str | None, known: Iterable[str]) -> None:
    """Raise an error for a metric that a run does not have."""
    keys = list(known)
    if key is not None and key not in ("item", *keys):
        raise OptionError(f"--sort is {key!r}, not a metric of this run; expected item or one of {', '.join(keys)}")


def number_style(options: Mapping[str, Any], numbers: NumberStyle | None = None) -> NumberStyle | None:
    """Return how numbers are written: as a protocol says, or as percentages."""
    if not options["percent"]:
        return numbers
    style = numbers or NumberStyle()
    return style if style.percent else NumberStyle(max(style.decimals - 2, 0), percent=True)


def exit_if_failed(ctx: click.Context, failures: Iterable[str]) -> None:
    """Print one line for every bound that is not kept, and exit with code 3 if there is one."""
    lines = list(failures)
    for line in lines:
        click.echo(f"segmetry: failed: {line}", err=True)
    if lines:
        ctx.exit(EXIT_GATE)
