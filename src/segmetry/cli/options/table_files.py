"""The tables of a run as files: the printed one, or a row per item, class, part, segment or summary value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from segmetry._base import write_atomically
from segmetry.cli.console import check_apart, check_outputs, write_text
from segmetry.cli.options.option_groups import json_target, option_group, text_target
from segmetry.errors import OptionError
from segmetry.results import Table

if TYPE_CHECKING:
    from segmetry.results import ResultTable
    from segmetry.run import Run

TABLES = ("scores", "items", "classes", "item_classes", "parts", "segments", "shapes", "summary", "confusion", "splits")
TARGETS = ("json", "csv", "parquet", "markdown", "latex")
TEXTS = ("json", "csv", "markdown", "latex")
"""The targets that may be standard output."""

table_options = option_group(
    click.option(
        "--table", type=click.Choice(TABLES), metavar="TABLE",
        help=f"Table to write ({', '.join(TABLES)}): the printed scores, one row per item, class, both, "
        "part (--by), segment, matched pair with its distances, volumes and centres (shapes; reads the inputs "
        "again), summary value, the confusion matrix, or splits: what each split or merging segment adds to VOI. "
        "[default: scores for --markdown and --latex, items for --csv and --parquet]",
    ),
    text_target("csv", "the table as CSV"),
    click.option("--parquet", "parquet_to", metavar="FILE", help="Write the table as Parquet (extra 'parquet')."),
    text_target("markdown", "the table as Markdown"),
    text_target("latex", "the table as LaTeX (booktabs)"),
    json_target,
)  # fmt: skip
"""The options that write tables and JSON."""


def check_targets(options: dict[str, Any], inputs: Iterable[Path], **others: str | Path | None) -> None:
    """Raise an error for targets that cannot be written or would replace an input, before anything is computed.

    ``others`` are further targets of the command, by the name of their option.
    """
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
    """Return one table under every rule; the second column is the rule. ``by`` is the breakdown of the table of parts.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq,n_matched", rule="theta_and")
    >>> output_table([run], "items")[0]
    {'item': 'a', 'rule': 'theta_and', 'n_elements': 3, 'unit': 'pixels', 'pq': 0.0, 'n_matched': 0.0}
    """
    tables = [_table_of_run(run, table, by) for run in runs]
    rows = []
    for run, each in zip(runs, tables, strict=True):
        for (first, value), *others in (row.items() for row in each):
            rows.append({first: value, "rule": run.settings.rule, **dict(others)})
    types = {name: kind for each in tables for name, kind in each.types.items()}
    return Table(table, rows, types, tables[0].absent)


def _table_of_run(run: Run, table: str, by: Any) -> Table:
    from segmetry.evaluation import shape_table

    tables: dict[str, Callable[[], Table]] = {
        "shapes": lambda: shape_table(run),
        "parts": lambda: run.parts(by, partial=True),
        "items": run.items,
        "segments": run.segments,
        "item_classes": run.item_classes,
        "splits": run.splits_and_merges,
        "classes": lambda: run.classes(partial=True),
        "summary": lambda: run.summary(partial=True).rows(),
    }
    return tables[table]()


def is_quiet(options: Mapping[str, Any]) -> bool:
    """Return whether standard output belongs to a file of the user's, so that nothing else is printed."""
    return any(options[f"{name}_to"] == "-" for name in TEXTS)


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
            content = _content(name, scores if table == "scores" else _rows(runs, table, parts), runs[0])
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


def _content(name: str, table: Table | ResultTable, run: Run) -> str | bytes:
    from segmetry.metrics import METRICS
    from segmetry.protocols import metric_cell
    from segmetry.results import ResultTable, as_csv, as_parquet

    if name in ("csv", "parquet"):
        rows = table.records() if isinstance(table, ResultTable) else table
        if name == "csv":
            return as_csv(rows)
        return as_parquet(rows, {"segmetry": run.facts.get("segmetry", ""), "settings": run.settings.as_json()})
    if not isinstance(table, ResultTable):
        table = ResultTable.of_table(table, {key: metric_cell(key) for key in table.columns if key in METRICS})
    return table.to("markdown" if name == "markdown" else "latex")
