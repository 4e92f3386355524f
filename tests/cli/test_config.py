"""``segmetry score --config``: a TOML file says what the flags say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from segmetry.cli.commands.score import command
from segmetry.cli.options.config_file import keys_of
from tests.cli.running import Runner

SPECIAL: dict[str, tuple[list[str], Any]] = {
    "true": ([], "t.json"),
    "pred": ([], "p.json"),
    "tick": (["--tick", "0.01"], "0.01"),
    "length": (["--length", "longer"], "longer"),
    "image-budget": (["--image-budget", "7"], 7.0),
    "option": (["--option", "pk.k=3", "--option", "vpq.k=[1,2]"], ["pk.k=3", "vpq.k=[1,2]"]),
}


def sample(key: str, parameter: click.Parameter) -> tuple[list[str], Any]:
    """A value of an option that is not its default: as flags, and as TOML."""
    if key in SPECIAL:
        return SPECIAL[key]
    assert isinstance(parameter, click.Option)
    if parameter.is_flag:
        return [f"--{key}"], True
    if isinstance(parameter.type, click.Choice):
        value: Any = next(choice for choice in reversed(parameter.type.choices) if choice != parameter.default)
    else:
        value = 7 if isinstance(parameter.type, click.types.IntParamType) else f"some {key}"
    if parameter.multiple:
        return [f"--{key}", str(value), f"--{key}", str(value)], [value, value]
    return [f"--{key}", str(value)], value


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return str(value) if isinstance(value, int) else f'"{value}"'


@pytest.mark.parametrize("key", keys_of(command))
def test_every_option_can_stand_in_the_file(key: str, segmetry: Runner, tmp_path: Path) -> None:
    flags, value = sample(key, keys_of(command)[key])
    file = tmp_path / "score.toml"
    file.write_text(f"{key} = {toml(value)}\n")
    arguments = [] if key == "true" else ["t.json"]
    arguments += [] if key == "pred" else ["p.json"]
    if key == "true":  # a lone argument would be the first one
        file.write_text('true = "t.json"\npred = "p.json"\n')
        arguments = []
    by_file = segmetry("score", *arguments, "--config", file, "--print-config")
    by_flags = segmetry("score", "t.json", "p.json", *flags, "--print-config")
    assert (by_file.code, by_file.err, by_flags.code) == (0, "", 0)
    assert by_file.out == by_flags.out
    assert tomllib.loads(by_file.out)[key] == value, "and not the default"


def test_flags_win_and_what_is_printed_can_be_read_again(segmetry: Runner, tmp_path: Path) -> None:
    file = tmp_path / "score.toml"
    file.write_text('rule = "theta_plus"\nmetrics = ["pq", "rq"]\nundefined = 0\nvoid = [255, 254]\n')
    result = segmetry("score", "a ü.json", "b.json", "--config", file, "--rule", "theta_and", "--void", "9")
    assert result.code == 2, "there is no such file: the options were fine"
    printed = segmetry(
        "score", "a ü.json", "b.json", "--config", file, "--rule", "theta_and", "--void", "9", "--print-config"
    ).out
    said = tomllib.loads(printed)
    assert (said["rule"], said["metrics"], said["undefined"], said["void"]) == ("theta_and", "pq,rq", "0", [9])
    assert said["true"] == "a ü.json" and "config" not in said and "json" not in said
    again = tmp_path / "again.toml"
    again.write_text(printed, encoding="utf-8")
    assert segmetry("score", "--config", again, "--print-config").out == printed


def test_a_file_gives_the_numbers_of_the_flags(segmetry: Runner, streams: tuple[Path, Path], tmp_path: Path) -> None:
    file = tmp_path / "score.toml"
    file.write_text(
        f'true = "{streams[0]}"\npred = "{streams[1]}"\nfirst = "force"\nmetrics = "pq,pk"\noption = ["pk.k=1"]\n'
    )
    by_file = segmetry("score", "--config", file, "--json", "-")
    call = ("--first", "force", "--metrics", "pq,pk", "--option", "pk.k=1", "--json", "-")
    assert by_file.out == segmetry("score", *streams, *call).out
    assert by_file.code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('rulle = "theta_and"', "there is no option 'rulle'; did you mean 'rule'?"),
        ('pred_coder = "x"', "there is no option 'pred_coder'; did you mean 'pred-coder'?"),
        ("config = 'x'", "there is no option 'config'"),
        ("zzzzzz = 1", "there is no option 'zzzzzz'; known: true, pred, metrics"),
        ("[score]\nrule = 'x'", "there is no option 'score'"),
        ("rule = true", "rule is true; expected text"),
        ("rule = ['a']", "rule is ['a']; expected text"),
        ("items = 1", "items is 1; expected true or false"),
        ("items = 'yes'", "items is 'yes'; expected true or false"),
        ("jobs = '2'", "jobs is '2'; expected an integer"),
        ("jobs = 2.0", "jobs is 2.0; expected an integer"),
        ("jobs = true", "jobs is true; expected an integer"),
        ("jobs = 0", "jobs: 0 is not in the range"),
        ("engine = 'fast'", "engine: 'fast' is not one of"),
        ("void = 255", "void is 255; expected a list"),
        ("void = ['a']", "void is 'a'; expected an integer"),
        ("rule = ", "not a TOML file"),
        ("rule = 'a'\nrule = 'b'", "not a TOML file"),
    ],
)
def test_mistakes_name_the_file_and_the_key(text: str, words: str, segmetry: Runner, tmp_path: Path) -> None:
    file = tmp_path / "score.toml"
    file.write_text(text)
    said = segmetry.refused("score", "a", "b", "--config", file)
    assert str(file) in said and words in said


def test_a_file_that_cannot_be_read_is_one_line(segmetry: Runner, tmp_path: Path) -> None:
    assert "cannot be read: No such file" in segmetry.refused("score", "a", "b", "--config", tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"rule = '\xe4'")
    assert "not UTF-8" in segmetry.refused("score", "a", "b", "--config", tmp_path / "latin.toml")
