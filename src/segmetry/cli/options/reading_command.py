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
from segmetry.cli.options.help_sections import SectionedCommand

if TYPE_CHECKING:
    from segmetry.readers import Option

HELP_FLAGS = frozenset(("-h", "--help"))
NEED_ALL = HELP_FLAGS | {"--config", "--print-config"}
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
        known = self.own_flags - NEED_ALL
        if not all(flag in known or (not flag.startswith("--") and flag[:2] in known) for flag in flags):
            return False
        return bool(args) and not any(point.group == "segmetry.readers" for point in installed_plugins())

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, and which options also exist for one side."""
        self.add_reader_options()
        super().format_help_text(ctx, formatter)
        if self.per_side:
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
