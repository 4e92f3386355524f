"""``segmetry score TRUE PRED``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json, check_target, write_text
from segmetry.cli.data_warnings import note_same_files, print_warnings
from segmetry.cli.options.option_groups import (
    EMPTY,
    breakdown_options,
    check_parts,
    class_names_option,
    cluster_of,
    cluster_option,
    count_option,
    images_options,
    pairing_of,
    pairing_options,
    parts_asked,
    parts_of,
    read_class_names,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import InputPath, formats_of, read_options, reading_options, side_formats
from segmetry.cli.options.scoring_options import scoring_of, scoring_options
from segmetry.cli.options.table_files import (
    TARGETS,
    check_classes,
    check_output,
    check_sort,
    check_targets,
    exit_if_failed,
    is_quiet,
    number_style,
    output_options,
    quiet_option,
    table_options,
    write_tables,
    written_files,
)
from segmetry.cli.progress import progress, progress_words, report_progress
from segmetry.cli.score_output import (
    check_defined,
    further_scores,
    print_classes,
    print_files,
    print_items,
    print_parts,
    print_scores,
    scores_of,
)
from segmetry.comparison import UnderRule, document, failed_bounds, under_rules
from segmetry.errors import OptionError
from segmetry.evaluation import evaluate
from segmetry.receipts import seal
from segmetry.results import NumberStyle, ResultTable
from segmetry.run import ByItem, Run

ALSO_BY_DEFAULT = ("theta_and",)
"""Shown besides the default rule: the most general rule that is one-to-one."""

FIRST = (
    *("metrics", "protocol", "rule", "interval", "items", "by_class", "parts_by", "fail_under", "json_to"),
    *("report_to", "out"),
)
"""The options that ``--help`` shows."""
EXAMPLES = """
\b
Examples:
  segmetry score truth.npy prediction.npy
  segmetry score truth.png prediction.png --metrics pq,rq --rule theta_and
  segmetry score truth.json prediction.json --report report.html
  segmetry score truth/ preds/ --by tissue --columns slides.csv
  segmetry score truth.npz prediction.npz --out run.segm --csv items.csv
  segmetry score true.png pred.png --json - | jq .rules.theta_plus.scores.pq
  segmetry score true.json pred.json --first force --items
  segmetry score truth/ preds/ --by size:100,1000
  segmetry score chapters.json chapters.json --coder an1 --pred-coder an2
  segmetry score fields.gpkg found.geojson --layer fields --class-field crop
  segmetry score truth.npz prediction.npz --table segments --parquet s.parquet
  segmetry score truth.npz prediction.npz --out run.segm --resume
  segmetry score true.zarr pred.zarr --dask-scheduler tcp://10.0.0.1:8786
  segmetry score truth/ prediction/ --shard 3/16 -o part3.segm
  segmetry score truth.json prediction.json --verdicts verdicts.csv
  segmetry score --config nightly.toml --rule theta_and
"""


@click.command(name="score", cls=ReadingCommand, first=FIRST, per_side=True, epilog=EXAMPLES)
@click.argument("true", type=InputPath())
@click.argument("pred", type=InputPath())
@scoring_options
@output_options
@breakdown_options
@cluster_option
@table_options
@quiet_option
@class_names_option
@click.option(
    "--verdicts", metavar="FILE", help="Verdicts on single errors, exported by the report: also print the score with "
    "the truth put right where the label is wrong.",
)  # fmt: skip
@click.option("--report", "report_to", metavar="FILE", help="Write an interactive HTML report.")
@click.option("--title", metavar="TEXT", help="Title of --report. [default: the name of PRED]")
@click.option("--maps", metavar="all|none|N", help="Items with pictures in --report. [default: the worst 500]")
@images_options
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="RUN", help="Save the run in this file (*.segm).")
@click.option("--resume", is_flag=True, help="Continue the run in --out where it was interrupted.")
@click.option("--force", is_flag=True, help="Replace the run in --out if it exists.")
@click.option(
    "--engine", type=click.Choice(["serial", "threads", "processes", "dask"]),
    help="Execution backend; dask starts workers on this machine. [default: threads]",
)  # fmt: skip
@count_option("--jobs", "Number of items or blocks processed at once. [default: all cores]")
@click.option(
    "--dask-scheduler", metavar="ADDRESS", help="Use the dask cluster at this address, such as tcp://HOST:8786."
)
@click.option(
    "--shard", metavar="N/M",
    help="Evaluate part N of M: every M-th item, or a slab of each volume if there are fewer; see 'segmetry merge'.",
)  # fmt: skip
@click.option("--pred-coder", metavar="NAME", help="The annotator to read from PRED, if not the one of --coder.")
@pairing_options
@side_formats
@reading_options
@click.pass_context
def command(ctx: click.Context, /, true: Path, pred: Path, **options: Any) -> None:
    """Score a prediction against the truth: two files in, a table out.

    Items of both sides are paired by name. By default, segments are aligned by IoU > 0.5 (θ⁺), and
    also by majority overlap (θ&).
    """
    check_targets(options, [true, pred], report=options["report_to"], out=options["out"])
    _check_part(options)
    gates = check_output(options)
    parts = parts_asked(options, Path(true))
    check_parts(options, parts)
    engine = _engine(options["engine"], options["dask_scheduler"])
    _check_report(options)
    scoring = scoring_of(options)
    if options["rule"] is None:
        scoring["also"] = ALSO_BY_DEFAULT
    cluster = cluster_of(options)
    with print_warnings(), nullcontext() if options["quiet"] else progress() as report:
        run = evaluate(
            true,
            pred,
            protocol=options["protocol"],
            missing=options["missing"],
            class_names=read_class_names(options["class_names"]),
            by=[part for part in (*parts, cluster) if isinstance(part, ByItem) and part is not EMPTY],
            pairing=pairing_of(options),
            format=formats_of(options),
            read=read_options(options),
            pred_coder=options["pred_coder"],
            engine=engine,
            progress=report,
            **scoring,
            **{name: options[name] for name in ("threads", "jobs", "out", "resume", "shard", "force")},
        )
        run.cluster = cluster
        note_same_files(true, pred, run.settings.reading)
    if options["shard"]:
        click.echo(f"{run.path}: part {options['shard']}, {progress_words(run)}; next: segmetry merge")
        return
    if options["confusion"]:
        check_classes(run, "--confusion")
    by_rule = under_rules(run, [run.settings.rule, *run.settings.also])
    first, protocol = next(iter(by_rule.values())), run.protocol
    check_sort(options["sort"], [metric.key for metric in run.metrics])
    numbers = number_style(options, None if protocol is None else protocol.numbers)
    parts, failures = parts_of(run, parts), list(failed_bounds(first.run, gates, numbers))
    intervals = run.intervals() if options["interval"] else None
    scores = scores_of(by_rule, numbers, every=options["metrics"] is not None)
    write_tables([result.run for result in by_rule.values()], options, scores, parts)
    if options["json_to"]:
        data = document(by_rule)
        data["by_part"] = {by.name: list(run.parts(by)) for by in parts}
        if intervals is not None:
            data["rules"][intervals.rule]["intervals"] = intervals.to_dict()
        write_text(options["json_to"], as_json(data, "scores"))
    if options["report_to"]:
        pictures = {name: options[name] for name in ("maps", "images", "image_budget")}
        with report_progress() as on_stage:
            run.report(options["report_to"], progress=on_stage, by=parts, title=options["title"], **pictures)
    if options["out"]:
        seal(first.run)
    if not is_quiet(options):
        _show(by_rule, scores, options, numbers)
        print_parts(first, parts, numbers)
        if intervals is not None:
            from segmetry.cli.run_tables import show_intervals

            show_intervals(run, intervals, numbers)
        files = filter(None, [options["out"], *written_files(options), options["report_to"]])
        print_files(list(map(str, files)), first, options)
    exit_if_failed(ctx, failures)
    check_defined(first.run, options["metrics"])


def _show_verdicts(run: Run, path: str) -> None:
    from segmetry.diagnosis import Verdicts, judged

    verdicts = Verdicts.read(path)
    click.echo(verdicts.sentence(run, judged(run, verdicts)))


def _check_report(options: Mapping[str, Any]) -> None:
    """Raise an error for pictures without a report, or a report that cannot be written."""
    if options["report_to"]:
        check_target(options["report_to"])
        return
    if options["maps"] is not None:
        raise OptionError("--maps selects items with pictures in the report; it needs --report FILE")
    if options["images"] is not None or options["image_budget"] is not None:
        raise OptionError("--images and --image-budget are about photographs in the report; they need --report FILE")


def _check_part(options: Mapping[str, Any]) -> None:
    if options["force"] and options["out"] is None:
        raise OptionError("--force replaces the run in --out, but --out names none")
    if options["shard"] is None:
        return
    targets = [f"{name}_to" for name in TARGETS]
    printed = ("items", "worst", "by_class", "parts_by", "confusion", "interval", "fail_under")
    for name in (*printed, *targets, "report_to"):
        if options.get(name):
            flag = "--by" if name == "parts_by" else "--" + name.removesuffix("_to").replace("_", "-")
            raise OptionError(
                f"--shard evaluates a part of a run, and {flag} needs the whole run; merge the parts first"
            )


def _engine(name: str | None, scheduler: str | None) -> str:
    if scheduler is None:
        return name or "threads"
    if name not in (None, "dask"):
        raise OptionError(f"--dask-scheduler belongs to --engine dask, but --engine is {name}")
    if "://" not in scheduler:
        raise OptionError(f"--dask-scheduler is {scheduler!r}; expected an address such as tcp://10.0.0.1:8786")
    return scheduler


def _show(
    by_rule: Mapping[str, UnderRule], scores: ResultTable, options: Mapping[str, Any], numbers: NumberStyle | None
) -> None:
    first = next(iter(by_rule.values()))
    key = first.run.headline
    further = further_scores(by_rule, options["metrics"], numbers)
    print_scores(by_rule, [scores] if further is None else [scores, further], key=key, numbers=numbers)
    if options["by_class"]:
        print_classes(first, numbers)
    if options["confusion"]:
        from segmetry.cli.run_tables import print_confusion

        print_confusion(first.run)
    if options["items"] or options["worst"]:
        print_items(by_rule, key, options["sort"], options["worst"], numbers)
    if options["verdicts"]:
        _show_verdicts(first.run, options["verdicts"])
