"""``segmetry compare RUN RUN…`` and ``segmetry compare RUN --rules NARROW,WIDE``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from segmetry.cli.console import check_outputs, new_folder, write_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.help_sections import SectionedCommand
from segmetry.cli.options.option_groups import (
    choice_option,
    folder_option,
    json_target,
    names_option,
    run_names,
    text_target,
)
from segmetry.cli.options.output_options import exit_if_failed
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.cli.options.shell_completion import gate
from segmetry.cli.screen import Screen
from segmetry.comparison import Gate, failed_differences, verdict_sentence
from segmetry.errors import OptionError
from segmetry.metrics import AVERAGES
from segmetry.statistics import RESAMPLES, SEED

if TYPE_CHECKING:
    from segmetry.comparison import Comparison, RuleSensitivity
    from segmetry.outputs import Picture
    from segmetry.results import ResultTable

TEXTS = ("json", "csv", "markdown")
EXAMPLES = """
\b
Examples:
  segmetry compare baseline.segm ours.segm
  segmetry compare a.segm b.segm c.segm --metrics pq,rq --json - | jq .ranks
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
@json_target
@text_target("csv", "one row per difference as CSV")
@text_target("markdown", "verdict and differences as Markdown, such as a comment on a pull request")
@folder_option("--plots", "Folder for plots as SVG.")
@click.pass_context
def command(ctx: click.Context, /, runs: tuple[Path, ...], **options: Any) -> None:
    """Compare systems from their run files: which is better, and is the difference significant?

    Items are paired by name and resampled together. One run with --rules shows what a wider rule adds.
    """
    check_outputs(runs, {f"--{name}": options[f"{name}_to"] for name in TEXTS})
    if options["plots"] is not None and options["plots"].is_file():
        raise OptionError(f"{options['plots']} is a file; expected the name of a folder for the plots")
    work = _compared if options["rules"] is None else _two_alignments if len(runs) == 1 else _under_rules
    for name in _UNSUPPORTED[work]:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = name.removesuffix("s" if name == "gates" else "_to").replace("_", "-")
            raise OptionError(f"--{flag} is not supported {'with' if options['rules'] else 'without'} --rules here")
    gates = [Gate.parse(text, ":") for text in options["gates"]]
    with print_warnings():
        output = work(runs, options)
    failures: list[str] = []
    if output.comparison is not None:
        failures += failed_differences(output.comparison, gates, interval=options["gate_on"] == "interval")
    write_outputs(options, lambda: output.data, lambda: output.rows)
    if options["markdown_to"] and output.comparison is not None:
        from segmetry.comparison import comparison_markdown

        write_text(options["markdown_to"], comparison_markdown(output.comparison, failures))
    paths = [] if options["plots"] is None else _write_plots(output.pictures, options["plots"])
    if "-" not in (options[f"{name}_to"] for name in TEXTS):
        screen = Screen()
        if output.comparison is not None:
            screen.line(verdict_sentence(output.comparison), bold=True)
        screen.show(output.tables, below=output.comparison is not None)
        for path in paths:
            screen.line(str(path), wrap=False)
    exit_if_failed(ctx, failures)


@dataclass(frozen=True)
class _ComparisonOutput:
    """The output of a comparison: data, rows, tables for the terminal, pictures by name."""

    data: dict[str, Any]
    rows: list[dict[str, Any]]
    tables: list[str | ResultTable]
    pictures: Mapping[str, Picture]
    comparison: Comparison | None = None


def _write_plots(pictures: Mapping[str, Picture], folder: Path) -> list[Path]:
    paths = [new_folder(folder) / f"{name}.svg" for name in pictures]
    for path, picture in zip(paths, pictures.values(), strict=True):
        write_text(str(path), picture.svg)
    return paths


def _compared(runs: tuple[Path, ...], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import compare
    from segmetry.outputs import comparison_plots

    same = {name: options[name] for name in ("metrics", "rule", "parts", "resamples", "level", "truth")}
    comparison = compare(*runs, names=run_names(options), rng=options["seed"], **same)
    tables = [*_tables(comparison, parts=options["parts"], every=options["metrics"] is not None)]
    return _ComparisonOutput(comparison.as_dict(), comparison.rows(), tables, comparison_plots(comparison), comparison)


def _under_rules(runs: tuple[Path, ...], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import RULES, rule_sensitivity
    from segmetry.outputs import rules_plot

    rules = RULES if options["rules"].strip() == "standard" else split_rules(options["rules"])
    key = options["metrics"] or "pq"
    if "," in key:
        raise OptionError(f"--metrics is {key}; with --rules expected one metric")
    same = {name: options[name] for name in ("average", "resamples", "level", "truth")}
    sensitivity = rule_sensitivity(*runs, rules=rules, key=key, names=run_names(options), rng=options["seed"], **same)
    return _ComparisonOutput(
        sensitivity.as_dict(), sensitivity.rows(), [*_rule_tables(sensitivity)], {"rules": rules_plot(sensitivity)}
    )


def _two_alignments(runs: tuple[Path, ...], options: Mapping[str, Any]) -> _ComparisonOutput:
    from segmetry.comparison import two_alignments, two_rules_tables
    from segmetry.outputs import two_rules_plots

    standard = options["rules"].strip() == "standard"
    rules = ["theta_plus", "theta_and"] if standard else split_rules(options["rules"])
    if len(rules) != 2:
        raise OptionError(f"--rules names {len(rules)} rules; for one run expected two, the narrower first")
    alignments = two_alignments(runs[0], *rules)
    return _ComparisonOutput(
        alignments.as_dict(), alignments.rows(), [*two_rules_tables(alignments)], two_rules_plots(alignments)
    )


def split_rules(text: str) -> list[str]:
    """Split rules at commas that are not inside brackets.

    >>> split_rules("theta_and, maximum_weight(weight=iou,above=0)")
    ['theta_and', 'maximum_weight(weight=iou,above=0)']
    """
    rules, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            rules.append("")
        else:
            rules[-1] += character
    return [rule.strip() for rule in rules if rule.strip()]


_OF_SYSTEMS = ("markdown_to", "gates", "gate_on", "rule", "parts")
_UNSUPPORTED: Mapping[Callable[..., _ComparisonOutput], tuple[str, ...]] = {
    _compared: ("average",),
    _under_rules: _OF_SYSTEMS,
    _two_alignments: (*_OF_SYSTEMS, "metrics", "names", "average", "resamples", "level", "seed", "truth"),
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
        if lower := lower_is_better(keys):
            yield lower
    else:
        for stability in comparison.ranks:
            if every or stability.key == headline:
                yield ranking_table(comparison, stability)
                yield pairs_table(comparison, stability.key, stability.average)
        others = [key for key in keys if key != headline]
        if not every and others:
            yield f"Other metrics (--metrics, or all with --json and --csv): {', '.join(others)}"
    if parts:
        for first, second in combinations(comparison.systems, 2):
            yield class_differences_table(comparison, first, second, headline)
    count, exact = comparison.differences[0].n_permutations, comparison.differences[0].exact
    ways = f"all {count:,}" if exact else f"{count:,} random"
    yield (
        f"{comparison.resamples:,} resamples of the items, seed {comparison.seed}; BCa intervals. "
        f"p: paired permutation test, {ways} permutations of items. "
        "detect: smallest difference detected with 80 % power."
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
