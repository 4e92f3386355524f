"""A command that has the options of all readers, and precedence over a reader that uses one of its names.

The options are declared with the readers, in some fifty modules. They are imported where one of them, or help, is
requested: most calls name two files and options of the command itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from segmetry._base import installed_plugins

if TYPE_CHECKING:
    from segmetry.readers import Option


HELP_ALL = "--help-all"
SECTIONS: dict[str, tuple[str, ...]] = {
    "Scores": (
        *("protocol", "metrics", "rule", "rules", "policy", "classes", "background", "resolve", "undefined"),
        *("average", "metric_option", "sizes", "parts", "n_t", "match", "offset", "rounding", "merge_threshold"),
    ),
    "Statistics": (
        *("across", "cluster", "correct", "correction", "margins", "power", "width", "difference"),
        *("resamples", "level", "seed", "truth"),
    ),
    "Gates": ("gates", "gate_on"),
    "Output": (
        *(
            "names",
            "title",
            "interval",
            "items",
            "worst",
            "sort",
            "by_class",
            "confusion",
            "parts_by",
            "columns_file",
            "class_names",
        ),
        *(
            "percent",
            "fail_under",
            "table",
            "spread",
            "csv_to",
            "parquet_to",
            "markdown_to",
            "latex_to",
            "json_to",
            "svg_to",
        ),
        *("plots", "scalars", "top", "report_to", "output", "patterns", "target_format", "drop", "weight", "slices"),
        *("axis", "methods"),
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


EXAMPLES_SHOWN = 6
"""Examples in a help that shows the first options only."""


class SectionedCommand(click.Command):
    """A command whose help lists options under headings: those of ``first``; all with ``--help-all``."""

    def __init__(self, *arguments: Any, first: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.first = first
        if first:
            text = "Show all options, and all examples."
            self.params.append(
                click.Option(
                    [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=_print_all, help=text
                )
            )

    def shows_all(self, ctx: click.Context) -> bool:
        """Return whether help is about all options."""
        return not self.first or HELP_ALL in ctx.meta

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections, or the first of them; arguments are in the line of usage."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in (*SECTIONS, OTHERS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            name = str(parameter.name)
            if record is not None and (self.shows_all(ctx) or name in (*self.first, "help", "help_all")):
                sections[section_of(name) if self.shows_all(ctx) else OTHERS].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, or the first of them."""
        whole = self.epilog
        if whole and not self.shows_all(ctx):
            self.epilog = "\n".join(whole.strip("\n").split("\n")[: EXAMPLES_SHOWN + 2])
        super().format_epilog(ctx, formatter)
        self.epilog = whole


def _print_all(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def section_of(name: str) -> str:
    """Return the section of a parameter."""
    if name.startswith(READER):
        return "Reading"
    return next((section for section, names in SECTIONS.items() if name in names), OTHERS)


HELP_FLAGS = frozenset(("-h", "--help"))
NEED_ALL = {HELP_ALL, "--config", "--print-config"}
"""Flags of a command that concern all of its options."""
BEFORE_READERS = "chosen"
"""The parameter (--format) after which help lists the options of readers."""


class ReaderOption(click.Option):
    """A parameter of the command line that states an option of a reader."""

    def __init__(self, *flags: Any, option: Option[Any], **settings: Any) -> None:
        super().__init__(*flags, **settings)
        self.option = option


class ReadingCommand(SectionedCommand):
    """A command that reads files; a reader's option with the flag of one of the command's own options is left out.

    Readers of other packages may declare any name. A note names the reader and the option; the command and the other
    options of that reader work. With ``per_side`` options that may differ between truth and prediction also exist for
    one side.
    """

    def __init__(self, *arguments: Any, per_side: bool = False, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.per_side = per_side
        self.readers: list[ReaderOption] | None = None
        self.left_out: dict[str, str] = {}
        self.own_flags = HELP_FLAGS.union(*(_flags(parameter) for parameter in self.params))

    def add_reader_options(self) -> None:
        """Add the options of all readers, once."""
        if self.readers is not None:
            return
        from segmetry.cli.options.reading_options import reader_parameters

        both, sides = reader_parameters(per_side=self.per_side)
        declared = [*both, *sides]
        self.left_out = {
            parameter.option.name: flag for parameter in declared for flag in sorted(_flags(parameter) & self.own_flags)
        }
        both, sides = ([it for it in options if it.option.name not in self.left_out] for options in (both, sides))
        at = 1 + [parameter.name for parameter in self.params].index(BEFORE_READERS)
        self.params[at:at] = both
        self.params += sides
        self.readers = [*both, *sides]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Add the options of readers if they may be meant, and print a note about every one that was left out."""
        if not self._only_own(args) or extra.get("resilient_parsing"):
            self.add_reader_options()
            if not extra.get("resilient_parsing"):
                for name, flag in self.left_out.items():
                    click.echo(f"segmetry: note: {clash_note(name, flag)}", err=True)
        return super().make_context(info_name, args, parent, **extra)

    def _only_own(self, args: Sequence[str]) -> bool:
        """Return whether the command's own options are all that the arguments name."""
        flags = (arg.partition("=")[0] for arg in args if arg.startswith("-") and arg != "-")
        known = self.own_flags - (NEED_ALL if self.first else NEED_ALL | HELP_FLAGS)
        if not all(flag in known or (not flag.startswith("--") and flag[:2] in known) for flag in flags):
            return False
        return bool(args) and not any(point.group == "segmetry.readers" for point in installed_plugins())

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, and which options also exist for one side."""
        if self.shows_all(ctx):
            self.add_reader_options()
        super().format_help_text(ctx, formatter)
        if self.per_side and self.shows_all(ctx):
            options = (parameter.option for parameter in self.readers or () if not parameter.hidden)
            flags = ", ".join(dict.fromkeys(option.flag for option in options if option.per_side))
            sentence = f"{flags} also exist for one side: --true-void, --pred-void."
            lines = wrap(sentence, formatter.width - 2, break_on_hyphens=False)
            formatter.write_paragraph()
            formatter.write("".join(f"  {line}\n" for line in lines))


def clash_note(name: str, flag: str) -> str:
    """Return the note about an option of a reader that a command cannot offer."""
    from segmetry.readers import users_of

    return (
        f"the reader of {', '.join(users_of(name))} declares an option {name!r}, but {flag} is an option of the "
        "command itself; the reader's option is ignored here (in Python it can be stated with read=)"
    )


def _flags(parameter: click.Parameter) -> frozenset[str]:
    return frozenset((*parameter.opts, *parameter.secondary_opts) if isinstance(parameter, click.Option) else ())
