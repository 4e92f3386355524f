"""``--config FILE``: the options of a command in a TOML file; options on the command line win.

Keys are the long names of the options without the dashes in front (``pred-coder = "an2"``), and the arguments in lower
case. Options that may be repeated are lists; ``metrics`` may be one, too. Nothing is guessed: an unknown key and a
value of another type are errors.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.errors import OptionError

NOT_IN_FILES = ("config", "print-config", "help", "help-all")
LISTED = {"metrics": ","}
"""Options that take several values in one text: a file may list them."""


def with_config(command: click.Command) -> click.Command:
    """Return a command with ``--config`` and ``--print-config``."""
    if any(parameter.name == "print_config" for parameter in command.params):
        return command
    click.option(
        "--config", metavar="FILE", is_eager=True, expose_value=False, callback=_read_config,
        help="Read options from a TOML file; options on the command line win.",
    )(command)  # fmt: skip
    click.option(
        "--print-config",
        is_flag=True,
        help="Print the configuration that results from the file and the options, as TOML, and exit.",
    )(command)
    if isinstance(command, ReadingCommand):
        command.own_flags |= {"--config", "--print-config"}
    run = command.callback

    def callback(**options: Any) -> Any:
        if options.pop("print_config"):
            click.echo(as_toml(click.get_current_context(), options), nl=False)
            return None
        return run and run(**options)

    command.callback = callback
    return command


def keys_of(command: click.Command) -> dict[str, click.Parameter]:
    """Return the parameters a file may set, by key."""
    if isinstance(command, ReadingCommand):
        command.add_reader_options()
    parameters = {_key(parameter): parameter for parameter in command.params}
    return {key: parameter for key, parameter in parameters.items() if key not in NOT_IN_FILES}


def _key(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len).lstrip("-")
    return str(parameter.name)


def _read_config(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    known = keys_of(ctx.command)
    values: dict[str, Any] = {}
    for key, value in _load(Path(path)).items():
        if key not in known:
            raise OptionError(f"{path}: there is no option {key!r}{_nearest(key, known)}")
        parameter = known[key]
        values[str(parameter.name)] = _checked_value(ctx, parameter, key, value, path)
    ctx.default_map = values


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as problem:
        raise OptionError(f"{path}: cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError(f"{path}: not UTF-8 text; expected a TOML file") from None
    except tomllib.TOMLDecodeError as problem:
        raise OptionError(f"{path}: not a TOML file: {problem}") from None
    except RecursionError:
        raise OptionError(f"{path}: nested too deeply; expected a TOML file of options") from None


def _nearest(key: str, known: dict[str, click.Parameter]) -> str:
    import difflib

    close = difflib.get_close_matches(key.replace("_", "-"), known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"


def _checked_value(ctx: click.Context, parameter: click.Parameter, key: str, value: Any, path: str) -> Any:
    """The value as the command line would hand it over; anything of another type is an error that names the key."""
    if parameter.multiple or parameter.nargs == -1 or (key in LISTED and isinstance(value, list)):
        if not isinstance(value, list):
            raise OptionError(f"{path}: {key} is {_shown(value)}; expected a list")
        listed = [_option_text(parameter, key, element, path) for element in value]
        text: Any = listed if parameter.multiple or parameter.nargs == -1 else LISTED[key].join(map(str, listed))
    else:
        text = _option_text(parameter, key, value, path)
    try:
        parameter.type_cast_value(ctx, text)
    except click.BadParameter as problem:
        raise OptionError(f"{path}: {key}: {problem.message}") from None
    return text


def _option_text(parameter: click.Parameter, key: str, value: Any, path: str) -> Any:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        expected, fits = "true or false", isinstance(value, bool)
    elif isinstance(parameter.type, click.types.IntParamType):
        expected, fits = "an integer", isinstance(value, int) and not isinstance(value, bool)
    else:
        expected, fits = "text", isinstance(value, str)
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return str(value)  # as it was written: undefined = 0, tick = 0.01
    if not fits:
        raise OptionError(f"{path}: {key} is {_shown(value)}; expected {expected}")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, Decimal) else repr(value)


def as_toml(ctx: click.Context, values: dict[str, Any]) -> str:
    """Return the values of a command as a file that ``--config`` reads; unset ones are left out."""
    lines = []
    for key, parameter in keys_of(ctx.command).items():
        value = values[str(parameter.name)]
        if value is None or value == ():
            continue
        plain = (
            [str(one) if isinstance(one, Path) else one for one in value]
            if isinstance(value, tuple)
            else str(value)
            if isinstance(value, Path)
            else value
        )
        lines.append(f"{key} = {json.dumps(plain, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
