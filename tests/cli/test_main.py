"""Exit codes, interrupts, pipes and help: what every command does alike."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from segmetry import __version__
from segmetry.cli.main import COMMANDS
from segmetry.cli.options.reading_command import section_of
from segmetry.cli.options.reading_options import InputPath
from tests.cli.running import Runner, start

READY = [name for name in COMMANDS if (Path(__file__).parents[2] / "src/segmetry/cli/commands" / f"{name}.py").exists()]


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag: str, segmetry: Runner) -> None:
    result = segmetry(flag)
    assert (result.code, result.err) == (0, "")
    assert all(any(line.startswith(f"  {name} ") for line in result.lines) for name in COMMANDS)
    assert "  segmetry score TRUE PRED          two files in, a table out" in result.lines


@pytest.mark.parametrize("name", READY)
def test_every_command_has_help_in_eighty_columns(name: str, segmetry: Runner) -> None:
    result = segmetry(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: segmetry {name}")
    assert max(map(len, result.lines)) <= 80
    assert "\\b" not in result.out and "\b" not in result.out


def test_the_help_of_score_is_in_sections(segmetry: Runner) -> None:
    heads = [line for line in segmetry("score", "--help-all").lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == ["Scores:", "Statistics:", "Output:", "Pictures:", "Run:", "Pairing:", "Reading:", "Options:"]


def test_the_help_of_score_fits_on_a_screen_and_names_the_rest(segmetry: Runner) -> None:
    lines = segmetry("score", "--help").lines
    options = [line.split()[0] for line in lines if re.match(r"  -", line)]
    assert len(lines) <= 45 and len(options) <= 12 and options[-1] == "--help-all"
    every = segmetry("score", "--help-all").out
    assert all(option in every for option in options) and "--true-void" in every and "--dask-scheduler" in every


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_fits_80_columns(name: str, segmetry: Runner) -> None:
    lines = segmetry(name, "--help").lines
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if re.search(r"--[a-z-]+-$", line)]  # no option is broken at a hyphen


def test_version(segmetry: Runner) -> None:
    assert segmetry("--version").out == f"segmetry, version {__version__}\n"


def test_no_arguments_show_help_as_an_error(segmetry: Runner) -> None:
    result = segmetry()
    assert (result.code, result.out) == (2, "") and "Usage: segmetry" in result.err


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (["nonsense"], "there is no command 'nonsense'; 'segmetry --help' lists them"),
        (["scor", "a", "b"], "there is no command 'scor'; did you mean score?"),
        (["score"], "Missing argument 'TRUE'"),
        (["score", "a"], "Missing argument 'PRED'"),
        (["score", "a", "b"], "a: no such file or folder"),
        (["convert", "a", "b"], "Missing option '--to'"),
        (["explain", "pqq"], "there is no metric 'pqq'; did you mean"),
        (["metrics", "--family", "x"], "there is no family 'x'; known: "),
    ],
)
def test_wrong_calls_get_one_line(call: list[str], words: str, segmetry: Runner) -> None:
    assert words in segmetry.refused(*call)


@pytest.mark.slow
def test_a_process_ends_with_the_same_codes(streams: tuple[Path, Path]) -> None:
    for call, code in ((["score", *streams, "--first", "force"], 0), (["score", *streams, "--colours", "rgb"], 2)):
        process = start(call)
        out, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert "Traceback" not in err and bool(out) == (code == 0)


@pytest.mark.slow
@pytest.mark.parametrize("call", [["metrics"], ["metrics", "--json"], ["explain", "pq"], ["formats"], ["--help"]])
def test_a_closed_pipe_is_no_error(call: list[str]) -> None:
    process = start(call)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.wait(timeout=60), process.stderr.read()) == (0, "")
    process.stderr.close()


def opened_when_read(pipe: Path, process: subprocess.Popen[str]) -> int:
    """The writing end of a named pipe, as soon as the process reads from it; an error if the process ends before."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    raise AssertionError(f"the process ended with {process.returncode}")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="named pipes and SIGINT are of Unix")
def test_interrupting_leaves_nothing_behind(tmp_path: Path) -> None:
    """A file of options that never ends: the command waits for it until it is interrupted."""
    source = tmp_path / "endless.toml"
    os.mkfifo(source)
    process = start(["score", "true.npy", "pred.npy", "--config", source, "--csv", tmp_path / "out.csv"])
    writer = opened_when_read(source, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(writer)
    assert (process.returncode, out) == (130, "")
    assert err.strip().startswith("segmetry: interrupted; ") and err.strip().count("\n") == 0
    assert sorted(tmp_path.iterdir()) == [source]


def test_interrupting_while_writing_leaves_nothing_behind(
    segmetry: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("segmetry.cli.commands.convert.check_written", interrupt)
    source = tmp_path / "a.json"
    source.write_text('{"a": [1, 0]}')
    result = segmetry("convert", source, tmp_path / "b.json", "--to", "masses")
    assert (result.code, result.err.strip()) == (130, "segmetry: interrupted; nothing was written")
    assert sorted(tmp_path.iterdir()) == [source]


def test_help_imports_little() -> None:
    """Neither scipy nor Pillow nor rich is needed to answer --help."""
    code = (
        "import sys; from segmetry.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'scipy', 'PIL', 'rich', 'numpy'} & set(sys.modules); print(sorted(heavy), file=sys.stderr)"
    )
    import subprocess

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stderr.strip() == "[]"


def test_control_codes_in_a_name_do_not_reach_the_terminal(segmetry: Runner) -> None:
    error = segmetry.refused("score", "a\x1b[2J\nb.npy", "b.npy")
    assert error == "segmetry: a\\x1b[2J\\nb.npy: no such file or folder\n"


def test_too_little_memory_is_one_line(segmetry: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("segmetry.cli.commands.score.evaluate", exhausted)
    assert "not enough memory for this input; --max-elements" in segmetry.refused("score", tmp_path, tmp_path)


def test_the_example_of_section_of() -> None:
    assert (section_of("metrics"), section_of("reader_void"), section_of("help")) == ("Scores", "Reading", "Options")


def test_the_example_of_input_path() -> None:
    assert InputPath().convert("https://example.org/truth.zarr", None, None) == "https://example.org/truth.zarr"
