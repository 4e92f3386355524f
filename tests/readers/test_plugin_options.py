"""The option of a reader in another package: in help, on every way of stating it, in runs, and refused elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

PACKAGE = """
from pathlib import Path

import segmetry as sm
from segmetry.plugins import Integer, Item, Option, Reader, declare_reader

STEP = Option("wave_step", "Waves: elements per wave.", Integer(least=1), 1, metavar="N")


def read(path, options):
    lengths = [int(word) * options[STEP] for word in path.read_text().split()[1:]]
    yield Item(path.stem, sm.Spans.from_masses(lengths))


declare_reader(Reader("waves", "lengths of waves", (".waves",), lambda _, head: head.startswith(b"WAVES"), read,
                      options=(STEP,)))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an installed package, and two files that its reader reads."""
    (tmp_path / "waves_plugin.py").write_text(PACKAGE)
    metadata = tmp_path / "waves_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: waves-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[segmetry.readers]\nwaves = waves_plugin\n")
    (tmp_path / "true.waves").write_text("WAVES 2 3 1")
    (tmp_path / "pred.waves").write_text("WAVES 2 4")
    np.save(tmp_path / "labels.npy", np.array([[1, 1, 2]]))
    return tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def segmetry(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(folder, "-m", "segmetry", *arguments)


def test_the_option_is_in_the_help_and_in_the_list_of_formats(folder: Path) -> None:
    program = (
        "from click.testing import CliRunner\nfrom segmetry.cli.main import cli\n"
        "for arguments in (['score', '--help-all'], ['convert', '-h'], ['agreement', '-h'], ['formats']):\n"
        "    print('--wave-step' in CliRunner().invoke(cli, arguments).stdout)"
    )
    assert python(folder, "-c", program).stdout.split() == ["True"] * 4


def test_the_option_works_on_the_command_line_and_is_kept_in_the_run(folder: Path) -> None:
    files = "true.waves", "pred.waves"
    done = segmetry(folder, "score", *files, "--wave-step", "5", "--csv", "items.csv", "-o", "run.segm")
    assert done.returncode == 0, done.stderr
    assert (folder / "items.csv").read_text().splitlines()[1].split(",")[4] == "30"
    program = (
        "import segmetry as sm; from segmetry.evaluation.reopen import loaders_of; run = sm.Run.open('run.segm'); "
        "print(run.settings.reading, loaders_of(run)['true']()[0].n)"
    )
    assert python(folder, "-c", program).stdout.strip() == "{'wave_step': 5} 30"


def test_the_option_works_from_a_file_and_from_python(folder: Path) -> None:
    (folder / "how.toml").write_text("wave-step = 7\n")
    files = "true.waves", "pred.waves"
    done = segmetry(folder, "score", *files, "--config", "how.toml", "--csv", "-")
    assert done.stdout.splitlines()[1].split(",")[4] == "42", done.stderr
    program = (
        "import segmetry as sm; from segmetry.plugins import ReadOptions\n"
        "for read in ({'wave_step': 3}, ReadOptions(wave_step=3)):\n"
        f"    print(sm.evaluate(*{files!r}, metrics='pq', read=read).items()[0])"
    )
    done = python(folder, "-c", program)
    assert done.stdout.count("'n_elements': 18") == 2, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["labels.npy", "labels.npy"], "--wave-step is not supported by format npy (it applies to waves)"),
        (
            ["true.waves", "pred.waves", "--void", "3"],
            "--void is not supported by format waves (it applies to cell-tracking, ",
        ),
    ],
)
def test_the_option_is_rejected_for_other_formats(arguments: list[str], words: str, folder: Path) -> None:
    extra = [] if "--void" in arguments else ["--wave-step", "2"]
    done = segmetry(folder, "score", *arguments, *extra)
    assert done.returncode == 2 and words in done.stderr


def test_options_with_the_names_of_a_commands_own_are_rejected_with_a_reason(folder: Path) -> None:
    names = "jobs", "rule", "help", "config"
    own = "".join(f', Option("{name}", "Waves: {name} of the reader.", Integer(), 1)' for name in names)
    (folder / "waves_plugin.py").write_text(PACKAGE.replace("options=(STEP,)", f"options=(STEP{own})"))
    notes = [
        f"segmetry: note: the reader of waves declares an option '{name}', but --{name} is an option of the command"
        for name in names
    ]
    files = "true.waves", "pred.waves"
    help_text = segmetry(folder, "score", "--help-all")
    assert all(note in help_text.stderr for note in notes) and "of the reader" not in help_text.stdout
    done = segmetry(folder, "score", *files, "--wave-step", "5", "--rule", "theta_and", "--jobs", "2", "--csv", "-")
    assert done.returncode == 0 and all(done.stderr.count(note) == 1 for note in notes)
    assert done.stdout.splitlines()[1].split(",")[1:5:3] == ["theta_and", "30"]
    read = dict.fromkeys(sorted(names), 3)
    program = f"import segmetry as sm; run = sm.evaluate(*{files!r}, metrics='pq', read={read!r})"
    done = python(folder, "-c", f"{program}; print(run.settings.reading)")
    assert done.stdout.strip() == repr(read), done.stderr


def test_an_option_is_rejected_only_by_the_commands_that_have_one_of_its_name(folder: Path) -> None:
    plugin = folder / "waves_plugin.py"
    plugin.write_text(PACKAGE.replace('"wave_step"', '"jobs"'))
    assert "Waves: elements per wave." in segmetry(folder, "convert", "--help").stdout
    done = segmetry(folder, "convert", "true.waves", "true.jsonl", "--to", "spans-jsonl", "--jobs", "2")
    assert done.returncode == 0 and "note" not in done.stderr
    assert '"n": 12' in (folder / "true.jsonl").read_text()


def test_a_wrong_value_is_one_line(folder: Path) -> None:
    done = segmetry(folder, "score", "true.waves", "pred.waves", "--wave-step", "0")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "0 is not in the range x>=1" in done.stderr


def test_the_list_of_commands_imports_no_reader(folder: Path) -> None:
    program = (
        "import sys\nfrom segmetry.cli.main import cli\ncli.main(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith(('segmetry.readers', 'waves'))])"
    )
    assert python(folder, "-c", program).stdout.splitlines()[-1] == "[]"
