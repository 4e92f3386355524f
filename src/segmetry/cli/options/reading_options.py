"""The options that say how files are read, the same for every command that reads; readers declare them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from segmetry.cli.options.option_groups import count_option, formats, option_group
from segmetry.cli.options.reading_command import READER, ReaderOption
from segmetry.errors import OptionError
from segmetry.readers import (
    MOST_ELEMENTS,
    SIDES,
    Choice,
    Flag,
    Formats,
    Integer,
    Isolation,
    Labels,
    Option,
    ReadOptions,
    SideName,
    known_options,
)
from segmetry.storage import is_url


class InputPath(click.Path):
    """A path; an address would lose a slash as one."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the address, or the path."""
        return value if isinstance(value, str) and is_url(value) else super().convert(value, param, ctx)


reading_options = option_group(
    click.option(
        "--format", "chosen", metavar="NAME", shell_complete=formats,
        help="File format, if not recognised; see 'segmetry formats'.",
    ),
    count_option("--max-elements", "Reject larger segmentations.", MOST_ELEMENTS),
    click.option(
        "--isolate/--no-isolate", default=None,
        help="Decode files in a child process, so that a decoder that crashes or hangs is one error. "
        "[default: formats whose decoder was seen to crash]",
    ),
    count_option(
        "--isolate-seconds", metavar="S",
        help="Time limit of that process for one file, besides one second per megabyte. [default: 60]",
    ),
    count_option(
        "--isolate-memory", metavar="MB", help="Memory limit of that process. [default: 3/4 of this machine's]"
    ),
)  # fmt: skip
"""The options that every reader has; a :class:`ReadingCommand` adds those of single readers itself."""
side_formats = option_group(
    *(
        click.option(
            f"--{side}-format", metavar="NAME", shell_complete=formats,
            help=f"File format of {side.upper()}, if another than --format.",
        )
        for side in SIDES
    )
)  # fmt: skip
"""The format of each of two sides."""


def formats_of(values: dict[str, Any]) -> Formats:
    """Return the format of both sides, or of each."""
    true, pred = (values[f"{side}_format"] or values["chosen"] for side in ("true", "pred"))
    return true if true == pred else (true, pred)


def reader_parameters(*, per_side: bool) -> tuple[list[ReaderOption], list[ReaderOption]]:
    """Return the options of all readers, and those of each side, which completion and help list once, without one."""
    declared = known_options().values()
    both = [made for option in declared for made in _click_options(option)]
    sides = [made for side in SIDES for option in declared if option.per_side for made in _click_options(option, side)]
    return both, sides if per_side else []


def _click_options(option: Option[Any], side: SideName | None = None) -> Iterator[ReaderOption]:
    settings: dict[str, Any] = {"help": option.help, "metavar": option.metavar}
    hidden = side is not None
    if isinstance(option.type, Flag):
        settings = {"help": option.help, "is_flag": True}
    elif isinstance(option.type, Choice):
        settings["type"] = click.Choice(option.type.choices)
    elif isinstance(option.type, Integer):
        settings["type"] = click.IntRange(min=option.type.least)
    elif isinstance(option.type, Labels):
        settings["type"] = int
    settings |= {"multiple": True} if option.type.several else {}
    names = (option.flag_of(side), _parameter(option, side))
    yield ReaderOption(names, option=option, hidden=hidden, **settings)
    if option.none_flag is not None:
        names = (_none_flag(option, side), _parameter(option, side, none=True))
        settings = {"help": option.none_help, "is_flag": True}
        yield ReaderOption(names, option=option, hidden=hidden, **settings)


def _parameter(option: Option[Any], side: SideName | None, *, none: bool = False) -> str:
    """Return the name of the option among the parameters of a command; the command's own have no such prefix."""
    return f"{READER}{'none_' if none else ''}{_name_of_side(option, side)}"


def _none_flag(option: Option[Any], side: SideName | None) -> str:
    return option.none_flag or "" if side is None else f"--{side}-{(option.none_flag or '').lstrip('-')}"


def _name_of_side(option: Option[Any], side: SideName | None) -> str:
    return option.name if side is None else f"{side}_{option.name}"


def read_options(values: dict[str, Any]) -> ReadOptions:
    """Return the options the user stated: a reader rejects those it does not have."""
    stated: dict[str, Any] = {}
    for option in known_options().values() if any(name.startswith(READER) for name in values) else ():
        for side in (None, *SIDES) if option.per_side else (None,):
            name, value = _name_of_side(option, side), values.get(_parameter(option, side))
            if not (value is None or value is False or value == ()):  # 0 is a value
                stated[name] = option.type.check(value, option.flag_of(side))
            if option.none_flag is not None and values.get(_parameter(option, side, none=True)):
                if name in stated:
                    raise OptionError(f"{_none_flag(option, side)} and {option.flag_of(side)} exclude each other")
                stated[name] = None
    return ReadOptions(most_elements=values["max_elements"], isolate=_isolation(values), **stated)


def _isolation(values: dict[str, Any]) -> Isolation:
    isolated, seconds, megabytes = (values[name] for name in ("isolate", "isolate_seconds", "isolate_memory"))
    if isolated is False and (seconds or megabytes):
        raise OptionError("--no-isolate starts no process that --isolate-seconds or --isolate-memory could limit")
    memory = None if megabytes is None else megabytes * 10**6
    return Isolation(isolated, Isolation.seconds if seconds is None else seconds, memory)
