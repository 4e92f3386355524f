"""A command that has the options of all readers, and precedence over a reader that uses one of its names."""

from __future__ import annotations

from typing import Any

import click

from segmetry.cli.options.help_sections import write_sections
from segmetry.readers.option import Option
from segmetry.readers.options import users_of

HELP_FLAGS = frozenset(("-h", "--help"))


class ReaderOption(click.Option):
    """A parameter of the command line that states an option of a reader."""

    def __init__(self, *flags: Any, option: Option[Any], **settings: Any) -> None:
        super().__init__(*flags, **settings)
        self.option = option


class ReadingCommand(click.Command):
    """A command that reads files; a reader's option with the flag of one of the command's own options is left out.

    Readers of other packages may declare any name. A note names the reader and the option; the command and the other
    options of that reader work.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        readers = [parameter for parameter in self.params if isinstance(parameter, ReaderOption)]
        own = HELP_FLAGS.union(*(_flags(parameter) for parameter in self.params if parameter not in readers))
        self.refused: dict[str, str] = {
            parameter.option.name: flag for parameter in readers for flag in sorted(_flags(parameter) & own)
        }
        refused = [parameter for parameter in readers if parameter.option.name in self.refused]
        self.params = [parameter for parameter in self.params if parameter not in refused]

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Print a note about every option that was left out, except during shell completion."""
        if not settings.get("resilient_parsing"):
            for name, flag in self.refused.items():
                click.echo(f"segmetry: note: {refusal(name, flag)}", err=True)
        return super().make_context(*arguments, **settings)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in sections."""
        write_sections(ctx, formatter, [option for option in self.params if isinstance(option, ReaderOption)])


def refusal(name: str, flag: str) -> str:
    """Return the note about an option of a reader that a command cannot offer."""
    return (
        f"the reader of {', '.join(users_of(name))} declares an option {name!r}, but {flag} is an option of the "
        "command itself; the reader's option is ignored here (in Python it can be stated with read=)"
    )


def _flags(parameter: click.Parameter) -> frozenset[str]:
    return frozenset((*parameter.opts, *parameter.secondary_opts) if isinstance(parameter, click.Option) else ())
