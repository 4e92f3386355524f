"""``segmetry compare RUN RUN…`` and ``segmetry compare RUN --rules NARROW,WIDE``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from segmetry.cli.console import Screen, as_json, new_folder, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import (
    choice_option,
    class_names_option,
    cluster_of,
    comparison_options,
    folder_option,
    gate,
    item_groups,
    json_target,
    names_option,
    opened_run,
    parts_of,
    run_names,
    text_target,
)
from segmetry.cli.options.reading_command import SectionedCommand
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.cli.options.table_files import (
    check_targets,
    exit_if_failed,
    is_quiet,
    quiet_option,
    table_content,
    write_content,
)
from segmetry.comparison import SPREADS, Gate, failed_differences, verdict_sentence
from segmetry.errors import OptionError
from segmetry.metrics import AVERAGES
from segmetry.results import Table
from segmetry.run import Run
from segmetry.statistics import RESAMPLES, SEED

if TYPE_CHECKING:
    from segmetry.comparison import Comparison, RuleSensitivity
    from segmetry.outputs import Picture
    from segmetry.results import ResultTable

TARGETS = ("json", "csv", "parquet", "markdown", "latex")
OF_RULES = ("sets", "pairs", "classes", "false_hits", "tests")
TABLES = ("differences", "systems", "across", "rank_tests", "margins", *OF_RULES)
EXAMPLES = """
\b
Examples:
  segmetry compare baseline.segm ours.segm
  segmetry compare a.segm b.segm c.segm --metrics pq,rq --json - | jq .ranks
  segmetry compare a.segm b.segm c.segm --metrics all --across --plots plots
  segmetry compare a.segm b.segm c.segm --latex table.tex --spread sd
  segmetry compare a.segm b.segm --columns scans.csv --cluster patient
  segmetry compare a.segm b.segm --columns scans.csv --by scanner
  segmetry compare base.segm new.segm --margin pq:0.01
  segmetry compare base.segm new.segm --gate pq:0.01 --gate rq.pooled:0.02
  segmetry compare a.segm b.segm --rules standard --plots plots
  segmetry compare run.segm --rules theta_plus,theta_and --plots plots
"""


@click.command(name="compare", cls=SectionedCommand, epilog=EXAMPLES)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…", type=click.Path(path_type=Path))
@names_option
@scoring_option("metrics", "all that the runs share")
@scoring_option("rule", "the runs' own", more="; every run is scored under it first")
@click.option(
    "--rules", metavar="RULES",
    help="Several runs: rank them under each rule. One run: compare two rules, the narrower first. "
    "Separated by commas; 'standard' stands for the usual ones.",
)  # fmt: skip
@click.option(
    "--average", type=click.Choice(AVERAGES), metavar="AVERAGE",
    help="The average of the data set that is compared under --rules, such as by_item or pooled. "
    "[default: that of the metric]",
)  # fmt: skip
@click.option("--parts", is_flag=True, help="Also compare per class.")
@click.option("--across", is_flag=True, help="Also print the ranks by every metric, and how they agree.")
@comparison_options
@class_names_option
@click.option(
    "--resamples", type=int, default=RESAMPLES, show_default=True, help="Number of resamples and permutations."
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level of intervals.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the random numbers.")
@choice_option(
    "--truth", ["files", "segments"], "files", "What the runs must share: the true files, or only the true segments."
)
@click.option(
    "--gate", "gates", multiple=True, metavar="KEY[.AVERAGE]:BOUND", shell_complete=gate,
    help="Exit with code 3 if a run is worse than the first by more than the bound, such as pq:0.01; may be repeated.",
)  # fmt: skip
@choice_option(
    "--gate-on", ["value", "interval"], "value",
    "What --gate tests: the difference itself, or the end of its interval on the side of worse.",
)  # fmt: skip
@click.option(
    "--table", type=click.Choice(TABLES), metavar="TABLE",
    help=f"Table to write ({', '.join(TABLES)}): one row per difference, per system (for a paper), ranks by metric, "
    "rank tests, --margin; of two rules on one run also what the wider rule adds: IoUs and kinds of the pairs, each "
    "additional pair, their classes, false hits, tests. [default: differences for --csv and --parquet, systems for "
    "--latex, for --markdown verdict and differences]",
)  # fmt: skip
@choice_option(
    "--spread", SPREADS, "interval", "What --table systems has beside the values; sd is that over the items."
)
@click.option("--methods", is_flag=True, help="Print two sentences for the methods section of a paper.")
@json_target
@text_target("csv", "the table as CSV")
@click.option("--parquet", "parquet_to", metavar="FILE", help="Write the table as Parquet (extra 'parquet').")
@text_target("markdown", "verdict and differences, or the table, as Markdown")
@text_target("latex", "the table as LaTeX (booktabs)")
@folder_option("--plots", "Folder for plots as SVG.")
@quiet_option
@click.pass_context
def command(ctx: click.Context, /, runs: tuple[Path, ...], **options: Any) -> None:
    """Compare systems from their run files: which is better, and is the difference significant?

    Items are paired by name and resampled together. One run with --rules shows what a wider rule adds.
    """
    check_targets({**options, "table": None}, runs)
    if options["plots"] is not None and options["plots"].is_file():
        raise OptionError(f"{options['plots']} is a file; expected the name of a folder for the plots")
    work = _compared if options["rules"] is None else _two_alignments if len(runs) == 1 else _under_rules
    for name in _UNSUPPORTED[work]:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = name.removesuffix("s" if name in ("gates", "margins") else "_to").replace("_", "-")
            flag = {"parts_by": "by", "columns_file": "columns"}.get(name, flag)
            raise OptionError(f"--{flag} is not supported {'with' if options['rules'] else 'without'} --rules here")
    gates, stated = ([Gate.parse(text, ":") for text in options[name]] for name in ("gates", "margins"))
    if options["table"] == "margins" and not stated:
        raise OptionError("--table margins writes what --margin states, but there is none")
    options["margins"] = stated
    with print_warnings():
        output = work([opened_run(path, options) for path in runs], options)
    failures: list[str] = []
    if output.comparison is not None:
        failures += failed_differences(output.comparison, gates, interval=options["gate_on"] == "interval")
    if options["json_to"]:
        write_text(options["json_to"], as_json(output.data, _SCHEMAS[work]))
    for name in ("csv", "parquet", "markdown", "latex"):
        if options[f"{name}_to"]:
            write_content(options[f"{name}_to"], _content(name, output, options, failures))
    paths = [] if options["plots"] is None else _write_plots(output.pictures, options["plots"])
    if not is_quiet(options):
        screen = Screen()
        if output.comparison is not None:
            screen.line(verdict_sentence(output.comparison), bold=True)
        screen.show(output.tables, below=output.comparison is not None)
        for path in paths:
            screen.line(str(path), wrap=False)
    exit_if_failed(ctx, failures)


def _content(form: str, output: _ComparisonOutput, options: Mapping[str, Any], failures: list[str]) -> str | bytes:
    """Return the chosen table in a form; as Markdown, by default, the verdict and all differences."""
    comparison, table = output.comparison, options["table"]
    if comparison is None or table in OF_RULES or (table is None and form in ("csv", "parquet")):
        return table_content(form, output.rows)
    if table is None and form == "markdown":
        from segmetry.comparison import comparison_markdown

        return comparison_markdown(comparison, failures)
    return table_content(form, _table_of(comparison, table or "systems", options, plain=form in ("csv", "parquet")))


def _table_of(comparison: Comparison, table: str, options: Mapping[str, Any], *, plain: bool) -> Table | ResultTable:
    """Return a table of a comparison, plain rows or as it is printed."""
    from segmetry.comparison import (
        across_table,
        comparison_table,
        margins,
        margins_table,
        rank_test_table,
        systems_records,
        systems_table,
    )

    if table == "systems":
        return (
            systems_records(comparison, parts=options["parts"])
            if plain
            else systems_table(comparison, parts=options["parts"], spread=options["spread"])
        )
    if table == "across":
        return comparison.across().rows() if plain else across_table(comparison.across())
    if table == "margins":
        found = margins(comparison, options["margins"])
        return found if plain else margins_table(comparison, found)
    if table == "rank_tests":
        tests = comparison.rank_tests
        if plain or len(tests) != 1:
            return Table("rank_tests", [row for test in tests for row in test.rows()])
        return rank_test_table(comparison, tests[0])
    return Table("differences", comparison.rows()) if plain else comparison_table(comparison)


@dataclass(frozen=True)
class _ComparisonOutput:
    """The output of a comparison: data, rows, tables for the terminal, pictures by name."""

    data: dict[str, Any]
    rows: Table
    tables: list[str | ResultTable]
    pictures: Mapping[str, Picture]
    comparison: Comparison | None = None


def _write_plots(pictures: Mapping[str, Picture], folder: Path) -> list[Path]:
    paths = [new_folder(folder) / f"{name}.svg" for name in pictures]
    for path, picture in zip(paths, pictures.values(), strict=True):
        write_text(str(path), picture.svg)
    return paths


def _compared(runs: Sequence[Run], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import (
        across_table,
        cases_table,
        cautions,
        compare,
        margins,
        margins_table,
        methods_sentences,
        rank_test_table,
    )
    from segmetry.outputs import comparison_plots

    same = {name: options[name] for name in ("metrics", "rule", "parts", "resamples", "level", "truth", "correction")}
    same["metrics"] = None if options["metrics"] == "all" else options["metrics"]
    cluster, by = item_groups(options)
    by = parts_of(runs[0], by)
    correct = [name.strip() for name in options["correct"].split(",")]
    comparison = compare(
        *runs, names=run_names(options), rng=options["seed"], cluster=cluster, by=by, correct=correct, **same
    )
    if len(comparison.rules) == 2:  # the same results under two rules
        return _with_additional_pairs(comparison, runs[0], comparison.rules, options)
    if options["table"] in OF_RULES:
        raise OptionError(f"--table {options['table']} is about two rules; give one run and --rules NARROW,WIDE")
    tables = [*_tables(comparison, parts=options["parts"], every=options["metrics"] is not None)]
    if options["across"]:
        tables.append(across_table(comparison.across()))
        tables += [rank_test_table(comparison, row) for row in comparison.rank_tests if row.key == comparison.headline]
    stated = margins(comparison, options["margins"])
    if stated:
        tables.append(margins_table(comparison, stated))
    if options["difference"]:
        tables.append(cases_table(comparison, options["difference"]))
    tables += cautions(comparison)
    if options["methods"]:
        tables.append(methods_sentences(comparison, runs[0].header))
    data = (
        comparison.to_dict()
        | _planned(comparison, options["difference"])
        | ({"margins": list(stated)} if stated else {})
    )
    return _ComparisonOutput(data, comparison.rows(), tables, comparison_plots(comparison), comparison)


def _planned(comparison: Comparison, difference: float | None) -> dict[str, Any]:
    from segmetry.comparison import cases_needed

    return {} if difference is None else {"items_needed": list(cases_needed(comparison, difference))}


def _under_rules(runs: Sequence[Run], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import RULES, rule_sensitivity
    from segmetry.outputs import rules_plot

    rules = RULES if options["rules"].strip() == "standard" else split_rules(options["rules"])
    key = options["metrics"] or "pq"
    if "," in key:
        raise OptionError(f"--metrics is {key}; with --rules expected one metric")
    same = {name: options[name] for name in ("average", "resamples", "level", "truth")} | {
        "cluster": cluster_of(options)
    }
    sensitivity = rule_sensitivity(*runs, rules=rules, key=key, names=run_names(options), rng=options["seed"], **same)
    return _ComparisonOutput(
        sensitivity.to_dict(), sensitivity.rows(), [*_rule_tables(sensitivity)], {"rules": rules_plot(sensitivity)}
    )


def _two_alignments(runs: Sequence[Run], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import compare

    standard = options["rules"].strip() == "standard"
    rules = ["theta_plus", "theta_and"] if standard else split_rules(options["rules"])
    if len(rules) != 2:
        raise OptionError(f"--rules names {len(rules)} rules; for one run expected two, the narrower first")
    same = {name: options[name] for name in ("metrics", "parts", "resamples", "level")} | {
        "cluster": cluster_of(options)
    }
    comparison = compare(runs[0], names=run_names(options), rules=rules, rng=options["seed"], **same)
    return _with_additional_pairs(comparison, runs[0], rules, options)


def _with_additional_pairs(
    comparison: Comparison, run: Run, rules: Sequence[str], options: Mapping[str, Any]
) -> _ComparisonOutput:
    """Return the output on two rules: the differences of scores, and the pairs that the wider rule adds."""
    from segmetry.comparison import two_alignments, two_rules_tables
    from segmetry.outputs import comparison_plots, two_rules_plots

    try:
        alignments = two_alignments(run, *rules)
    except OptionError:
        if options["rules"]:  # runs may be named in any order, --rules has the narrower first
            raise
        alignments = two_alignments(run, *reversed(rules))
    table = options["table"]
    rows = alignments.tables[table] if table in OF_RULES else comparison.rows()
    return _ComparisonOutput(
        {**alignments.to_dict(), "comparison": comparison.to_dict()},
        rows,
        [*_tables(comparison, parts=options["parts"], every=True), *two_rules_tables(alignments)],
        {**comparison_plots(comparison), **two_rules_plots(alignments)},
        comparison,
    )


def split_rules(text: str) -> list[str]:
    """Split rules at commas that are not inside brackets."""
    rules, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            rules.append("")
        else:
            rules[-1] += character
    return [rule.strip() for rule in rules if rule.strip()]


_OF_COMPARISON = (
    "across",
    "parts_by",
    "correct",
    "correction",
    "margins",
    "methods",
    "difference",
)
_SCHEMAS = {_compared: "comparison", _under_rules: "rule_sensitivity", _two_alignments: "two_rules"}
_UNSUPPORTED: Mapping[Callable[..., _ComparisonOutput], tuple[str, ...]] = {
    _compared: ("average",),
    _under_rules: ("markdown_to", "gates", "gate_on", "rule", "parts", "table", "spread", *_OF_COMPARISON),
    _two_alignments: ("rule", "average", "truth", *_OF_COMPARISON),
}
"""Options that would have no effect, by what is compared."""


def _tables(comparison: Comparison, *, parts: bool, every: bool) -> Iterator[str | ResultTable]:
    """Yield the tables of a comparison; of more than two systems only the headline, unless metrics were given."""
    from segmetry.comparison import (
        class_differences_table,
        differences_table,
        legend,
        lower_is_better,
        outcomes_table,
        pairs_table,
        ranking_table,
        undefined_in_comparison,
    )

    keys = list(dict.fromkeys(row.key for row in comparison.differences))
    headline = comparison.headline
    yield from legend(comparison.systems)
    if len(comparison.systems) == 2:
        yield differences_table(comparison, *comparison.systems)
        yield outcomes_table(comparison, *comparison.systems)
        if lower := lower_is_better(keys, lambda key: comparison.cell(key, comparison.averages(key)[0]).name):
            yield lower
    else:
        for stability in comparison.ranks:
            if every or stability.key == headline:
                yield ranking_table(comparison, stability)
                yield pairs_table(comparison, stability.key, stability.average)
        others = [key for key in keys if key != headline]
        if not every and others:
            yield f"Other metrics (--metrics, or all with --json and --csv): {', '.join(others)}"
    of_classes = {row.key for row in comparison.differences if row.level == "class"}
    if parts and not of_classes:
        yield "No metric of these runs has values by class."
    shown = (
        keys
        if every
        else [headline if headline in of_classes else next((key for key in keys if key in of_classes), headline)]
    )
    for first, second in combinations(comparison.systems, 2):
        for by in [*([None] if parts else []), *comparison.by]:
            for key in shown if every or by is None else [headline]:
                table = class_differences_table(comparison, first, second, key, by)
                if table.rows:
                    yield table
    count, exact = comparison.differences[0].n_permutations, comparison.differences[0].exact
    drawn = f"{comparison.cluster or 'item'}s"
    ways = f"all {count:,}" if exact else f"{count:,} random"
    yield (
        f"{comparison.resamples:,} resamples of the {drawn}, seed {comparison.seed}; BCa intervals. "
        f"p: paired permutation test, {ways} permutations of {drawn}."
        + " detect: smallest difference detected with 80 % power."
        * (len(comparison.systems) == 2)
    )
    yield from undefined_in_comparison(comparison, keys if every or len(comparison.systems) == 2 else [headline])


def _rule_tables(sensitivity: RuleSensitivity) -> Iterator[str | ResultTable]:
    from segmetry.comparison import legend, rules_table, undefined_under_rules

    yield from legend(sensitivity.systems)
    yield rules_table(sensitivity)
    changes = "changes with the rule" if sensitivity.ranking_changes else "is the same under every rule"
    yield (
        f"The ranking {changes}. In brackets: rank. tau: Kendall's tau with the first ranking. stable: "
        f"share of {sensitivity.resamples:,} resamples (seed {sensitivity.seed}) with the same ranking. "
        "changed: pairs in another order."
    )
    yield from undefined_under_rules(sensitivity)
