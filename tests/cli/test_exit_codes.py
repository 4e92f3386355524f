"""Exit codes are what the help, the docs and the docstring say."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import segmetry.cli.main as command_line
from segmetry.cli.commands.score import command
from segmetry.cli.options.config_file import keys_of
from segmetry.cli.options.scoring_options import metric_options
from tests.cli.running import Runner

DOCS = Path(__file__).parents[2] / "docs" / "command-line.md"
RAISING = """
import sys
import segmetry.cli.commands.score
from segmetry.cli.main import main
def fail(*_, **__):
    raise {error}
segmetry.cli.commands.score.evaluate = fail
main(sys.argv[1:])
"""


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    np.save(tmp_path / "a.npy", np.array([[1, 1, 2]]))
    return [str(tmp_path / "a.npy")] * 2


@pytest.mark.parametrize(("error", "code"), [("RuntimeError('a defect')", 1), ("KeyboardInterrupt", 130)])
def test_a_defect_and_an_interrupt_have_their_codes(error: str, code: int, sides: list[str]) -> None:
    program = [sys.executable, "-c", RAISING.format(error=error), "score", *sides]
    result = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == code
    assert ("Traceback" in result.stderr) == (code == 1)


def test_done_and_rejected_have_their_codes(segmetry: Runner, sides: list[str]) -> None:
    assert segmetry("score", *sides).code == 0
    assert segmetry("score", sides[0], "absent.npy").code == 2
    assert segmetry("score", *sides, "--rule", "nonsense").code == 2


def test_help_docs_and_docstring_name_the_same_codes(segmetry: Runner) -> None:
    codes = {"0", "1", "2", "3", "130"}
    assert set(re.findall(r"^ +(\d+)  +\w", segmetry("--help").out.split("Exit codes:")[1], re.MULTILINE)) == codes
    assert set(re.findall(r"^\| (\d+) \|", DOCS.read_text("utf-8"), re.MULTILINE)) == codes
    said = " ".join((command_line.__doc__ or "").split())
    assert set(re.findall(r"\b(\d+) (?:done|a defect|something|a bound|interrupted)", said)) == codes


SLOW_RUN = """
import sys, time
from segmetry.runfile.memory import RunInMemory
from segmetry.cli.main import main
add = RunInMemory.add
def slowly(self, *args):
    add(self, *args)
    print("written", flush=True)
    time.sleep(0.2)
RunInMemory.add = slowly
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_interrupting_a_run_without_a_file_says_that_results_are_discarded(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **{str(at): np.array([[1, 2]]) for at in range(20)})
    call = [sys.executable, "-c", SLOW_RUN, "score", str(tmp_path / "a.npz"), str(tmp_path / "a.npz")]
    program = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    program.stdout.readline()
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130
    assert said.strip().splitlines()[-1] == "segmetry: interrupted; no output file given, results discarded"


def test_the_documented_file_of_options_is_one(segmetry: Runner, tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert set(tomllib.loads(text)) <= set(keys_of(command))
    assert metric_options(tomllib.loads(text)["option"]) == {"boundary_iou": {"d": 3}}
    (tmp_path / "score.toml").write_text(text)
    result = segmetry("score", "--config", tmp_path / "score.toml", "--print-config")
    assert result.code == 0 and 'metrics = "panoptic,boundary_iou"' in result.lines


@pytest.mark.parametrize(
    "hostile", ["a\x1b[2J\nb", "a" * 10_000, "\u202ename"], ids=["control codes", "long", "direction"]
)
@pytest.mark.parametrize(
    "words", [["score", "a", "b"], ["score", "a", "b", "--engine"], ["score", "a", "b", "--jobs"], ["report"], []]
)
def test_what_click_says_is_fit_to_print(words: list[str], hostile: str, segmetry: Runner) -> None:
    for arguments in ([*words, hostile], [*words, f"--{hostile}"]):
        done = segmetry(*arguments)
        assert done.code == 2
        (line,) = done.err.splitlines()
        assert line.isprintable() and line.startswith("segmetry: ") and len(line) < 2100
