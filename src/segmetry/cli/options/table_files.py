"""The tables of a run: a row per item, class, segment or summary value, as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from segmetry._base.atomic_write import write_atomically
from segmetry._base.result_table import Table
from segmetry.cli.console import check_apart, check_target, write_text
from segmetry.cli.options.command_type import Command
from segmetry.errors import OptionError

if TYPE_CHECKING:
    from segmetry.run.run import Run

TABLES = ("items", "classes", "segments", "summary")

_OPTIONS = (
    click.option(
        "--table",
        type=click.Choice(TABLES),
        help="Rows of --csv and --parquet: one per item, class, segment or summary value. [default: items]",
    ),
    click.option("--csv", "csv_to", metavar="FILE", help="Write the table as CSV; - is standard output."),
    click.option("--parquet", "parquet_to", metavar="FILE", help="Write the table as Parquet (extra 'parquet')."),
    click.option("--json", "json_to", metavar="FILE", help="Write everything as JSON; - is standard output."),
)


def table_options(command: Command) -> Command:
    """Give a command the options that write tables and JSON."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_targets(options: dict[str, Any], inputs: Iterable[Path], **others: str | Path | None) -> None:
    """Refuse targets that cannot be written or would replace an input, before anything is computed.

    ``others`` are further targets of the command, by the name of their option.
    """
    if options["table"] and not (options["csv_to"] or options["parquet_to"]):
        raise OptionError("--table selects the rows of --csv and --parquet, but neither is given")
    if options["json_to"] == "-" and options["csv_to"] == "-":
        raise OptionError("--json - and --csv - both want standard output; give one of them a file")
    if options["parquet_to"] == "-":
        raise OptionError("--parquet - would write bytes to standard output; give it a file")
    for name in ("json_to", "csv_to", "parquet_to"):
        if options[name]:
            check_target(options[name])
    targets = {f"--{name.removesuffix('_to')}": options[name] for name in ("json_to", "csv_to", "parquet_to")}
    check_apart(inputs, {**targets, **{f"--{name}": target for name, target in others.items()}})
    if options["parquet_to"]:
        from segmetry.outputs.tables.parquet_file import check_parquet

        check_parquet()


def output_table(runs: Sequence[Run], table: str) -> Table:
    """Return one table under every rule; the second column is the rule.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq,n_matched", rule="theta_and")
    >>> output_table([run], "items")[0]
    {'item': 'a', 'rule': 'theta_and', 'n_elements': 3, 'unit': 'pixels', 'pq': 0.0, 'n_matched': 0.0}
    """
    tables = [_table(run, table) for run in runs]
    rows = [_with_rule(row, run.settings.rule) for run, rows in zip(runs, tables, strict=True) for row in rows]
    types = {name: kind for each in tables for name, kind in each.types.items()}
    return Table(table, rows, types, tables[0].absent)


def _table(run: Run, table: str) -> Table:
    if table == "items":
        return run.items()
    if table == "segments":
        return run.segments()
    return run.classes(partial=True) if table == "classes" else run.summary(partial=True).rows()


def _with_rule(row: dict[str, Any], rule: str) -> dict[str, Any]:
    (first, value), *others = row.items()
    return {first: value, "rule": rule, **dict(others)}


def write_tables(runs: Sequence[Run], options: dict[str, Any]) -> None:
    """Write the chosen table to the files the user names."""
    if not (options["csv_to"] or options["parquet_to"]):
        return
    table = options["table"] or "items"
    rows = output_table(runs, table)
    if not rows and table == "classes":
        raise OptionError("--table classes: the segments carry no classes; choose another table")
    if options["csv_to"]:
        from segmetry.outputs.tables.csv_text import as_csv

        write_text(options["csv_to"], as_csv(rows))
    if options["parquet_to"]:
        from segmetry.outputs.tables.parquet_file import as_parquet

        facts = {"segmetry": runs[0].facts.get("segmetry", ""), "settings": runs[0].settings.as_json()}
        write_atomically(Path(options["parquet_to"]), as_parquet(rows, facts))
