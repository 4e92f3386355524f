"""Write the reference pages of the command line and of the Python names from the code itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import isfunction
from operator import attrgetter
from pathlib import Path

import click

from segmetry.cli.options.reading_command import HELP_ALL

ROOMS: Mapping[str, tuple[str, Sequence[str]]] = {
    "Segmentations": (
        "What is compared. Arrays, lists and files become one of these.",
        (
            "LabelArray",
            "Spans",
            "SpanLines",
            "TimeIntervals",
            "Masks",
            "DetectionFacts",
            "Polygons",
            "Sets",
            "Skeletons",
            "read_skeletons",
            "Annotations",
            "Segmentation",
        ),
    ),
    "Overlaps and alignments": (
        "Count once, then choose which true and predicted segments belong together.",
        (
            "overlap",
            "overlap_batch",
            "score_batch",
            "BatchScores",
            "confusion_matrix",
            "OverlapTable",
            "align",
            "Alignment",
            "MatchRule",
            "Policy",
            "fairness",
            "improves",
            "error_kinds",
            "segment_rows",
            "shape_table",
            "break_down",
            "ByClass",
            "ByGroup",
            "BySize",
            "ByItem",
            "ByColumn",
            "reweight",
            "Tally",
        ),
    ),
    "Rules": (
        'Which pairs are matched: an object of `sm.rules`, or its text (`"theta_and"`, `"iou(above=3/4)"`).',
        tuple(
            f"rules.{name}"
            for name in (
                "theta_plus",
                "theta_and",
                "iou",
                "dice",
                "tversky",
                "mutual_coverage",
                "coverage",
                "largest_overlap",
                "maximum_weight",
                "greedy",
            )
        ),
    ),
    "Scores": (
        "Every metric of the [reference](metrics/index.md) is a function of this module as well, under its key.",
        (
            "score",
            "Scores",
            "ProtocolScores",
            "Score",
            "Counts",
            "to_json",
            "list_metrics",
            "curves",
            "Curves",
            "hierarchy",
            "Hierarchy",
            "maps",
            "Maps",
            "boundary_sweep",
            "matched_shapes",
            "MatchedShapes",
            "window_size",
            "window_confusion",
            "boundary_edits",
            "expected_run_length",
            "RunLengths",
            "agreement",
            "agreement_matrix",
            "AgreementMatrix",
            "against_all",
            "pairwise",
            "SeveralScores",
        ),
    ),
    "Data sets": (
        "Many items, one answer, kept in a file.",
        (
            "read",
            "ReadItems",
            "evaluate",
            "Run",
            "Table",
            "Summary",
            "two_rules",
            "TwoAlignments",
            "merge_runs",
            "reconcile",
            "seal",
            "verify",
            "leaderboard",
        ),
    ),
    "Which system is better": (
        "Intervals and tests, from run files alone; the [guide](compare.md) says what they mean.",
        ("compare", "Comparison", "rule_sensitivity", "two_alignments", "Intervals", "Interval"),
    ),
    "Diagnosis": (
        "Which errors cost most, and how scores change when boundaries move by one pixel ([guide](diagnose.md)).",
        (
            "diagnose",
            "class_confusions",
            "ClassConfusions",
            "Diagnosis",
            "detection_errors",
            "recall_curves",
            "sensitivity",
            "Sensitivity",
        ),
    ),
    "Pictures": (
        "SVG or PNG, no plotting package needed.",
        (
            "look",
            "draw_bars",
            "curve_plot",
            "map_picture",
            "write_maps",
            "overlap_plot",
            "coverage_plot",
            "sweep_plot",
            "precision_recall_plot",
            "precision_recall_plot_of_items",
            "threshold_plot",
            "confusion_matrix_plot",
            "Picture",
        ),
    ),
    "Figures of runs": (
        "For papers: at a width in centimetres, as SVG, PDF or PNG, with the data frame behind each (`picture.data`).",
        (
            "plots.box",
            "plots.f1",
            "plots.recall",
            "plots.confusion",
            "plots.sizes",
            "plots.budget",
            "plots.overlay",
            "plots.differences",
            "plots.ranks",
            "plots.critical_difference",
            "plots.figure",
        ),
    ),
    "About": ("", ("about", "SegmetryError")),
}
"""Every public name by topic."""


def api_page() -> str:
    """Return the public names of segmetry by topic; each shows its own docstring."""
    lines = ["# Python reference", "", "```python", "import segmetry as sm", "```", ""]
    for room, (words, names) in ROOMS.items():
        lines += [f"## {room}", "", words, ""]
        for name in names:
            kind = "autoclass" if name[0].isupper() else "autofunction" if _is_function(name) else "autodata"
            lines += [
                "```{eval-rst}",
                f".. {kind}:: segmetry.{name}",
                *([] if kind != "autoclass" else ["   :members:"]),
                "```",
                "",
            ]
    return "\n".join(lines)


def _is_function(name: str) -> bool:
    import segmetry

    return isfunction(attrgetter(name)(segmetry))


def cli_page(main: click.Group) -> str:
    """Return every command with its help, as the terminal prints it."""
    lines = [
        "# Command line",
        "",
        "What `--help` prints, command by command; of `score`, what `--help-all` prints.",
        "",
    ]
    for path, command in commands(main, ("segmetry",)):
        # click keeps a command's help option, so the names must be those of the program itself
        names = main.context_settings["help_option_names"]
        context = click.Context(command, info_name=" ".join(path), terminal_width=96, help_option_names=names)
        context.meta[HELP_ALL] = True
        anchor = "-".join(path)
        lines += [f"(cli-{anchor})=", f"## {' '.join(path)}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(lines)


def commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and all its subcommands."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path[-1])
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None and not subcommand.hidden:
                yield from commands(subcommand, (*path, name))


def write_reference(folder: Path) -> None:
    """Write both pages."""
    from segmetry.cli.main import cli

    (folder / "cli.md").write_text(cli_page(cli), encoding="utf-8")
    (folder / "api.md").write_text(api_page(), encoding="utf-8")
