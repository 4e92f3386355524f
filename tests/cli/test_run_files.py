"""``segmetry score --out`` and ``segmetry info``: runs are kept, resumed and described."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.main import main

N_ITEMS = 12


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    numbers = np.random.default_rng(1)
    for side in ("t", "p"):
        arrays = {f"={at}": numbers.integers(0, 4 + at % 3, (6, 6)) for at in range(N_ITEMS)}
        np.savez(tmp_path / f"{side}.npz", **arrays)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def message_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(list(words))
    assert stopped.value.code == 2
    return capsys.readouterr().err.strip()


def test_a_run_is_kept_and_described(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["score", "t.npz", "p.npz", "--metrics", "pq,rand_index", "--out", "run.segm", "--jobs", "2"])
    capsys.readouterr()
    main(["info", "run.segm"])
    lines = capsys.readouterr().out.splitlines()
    assert {"true: t.npz", f"items: {N_ITEMS}", f"done: {N_ITEMS}", "rule: theta_plus", "input files: 2"} <= set(lines)
    main(["info", "run.segm", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert [(row["side"], row["name"]) for row in data["inputs"]] == [("pred", "p.npz"), ("true", "t.npz")]
    with sm.Run.open("run.segm") as run:
        assert data["content"] == run.content_digest()


def test_the_same_numbers_with_and_without_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["score", "t.npz", "p.npz", "--json", "-"])
    plain = capsys.readouterr().out
    for engine in ("serial", "threads"):
        main(["score", "t.npz", "p.npz", "--json", "-", "--engine", engine, "--out", f"{engine}.segm"])
        assert capsys.readouterr().out == plain
    main(["score", "t.npz", "p.npz", "--json", "-", "--out", "threads.segm", "--resume"])
    assert capsys.readouterr().out == plain


def test_mistakes_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = ["score", "t.npz", "p.npz"]
    main([*score, "--out", "run.segm"])
    assert message_of(capsys, *score, "--out", "run.segm").startswith("segmetry: run.segm: exists already")
    assert "other settings: policy was 'none'" in message_of(
        capsys, *score, "--out", "run.segm", "--resume", "--policy", "strict-void"
    )
    assert "resume continues a run file, but out names none" in message_of(capsys, *score, "--resume")
    assert "both want standard output" in message_of(capsys, *score, "--json", "-", "--csv", "-")
    assert "does one thing at a time" in message_of(capsys, *score, "--engine", "serial", "--jobs", "2")
    assert "no such file" in message_of(capsys, "info", "absent.segm")
    np.savez("p.npz", **{f"={at}": np.ones((6, 6), dtype=int) for at in range(N_ITEMS)})
    assert "the input p.npz of pred has changed" in message_of(capsys, *score, "--out", "run.segm", "--resume")


def test_csv_cells_are_no_formulas(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "t.npz", "p.npz", "--metrics", "pq,sq", "--rule", "theta_plus", "--csv", "items.csv"]
    assert "sq was asked for and is undefined" in message_of(capsys, *words), (
        "what was asked for is written all the same"
    )
    with Path("items.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == [f"'={at}" for at in range(N_ITEMS)]
    assert {row["rule"] for row in rows} == {"theta_plus"}
    run = sm.evaluate(Path("t.npz"), Path("p.npz"), metrics="pq,sq", rule="theta_plus")
    assert [row["sq"] for row in rows] == ["" if row["sq"] is None else repr(row["sq"]) for row in run.items()]


SLOW = """
import sys, time
from segmetry.runfile.writer import RunWriter
from segmetry.cli.main import main
add = RunWriter.add
def slowly(self, *args):
    add(self, *args)
    sys.stdout.write("written\\n"); sys.stdout.flush()
    time.sleep(0.2)
RunWriter.add = slowly
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_interrupting_leaves_a_run_that_resumes_and_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", SLOW, "score", "t.npz", "p.npz", "--out", "run.segm"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert program.stdout is not None
    program.stdout.readline()
    time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60)
    assert program.returncode == 130
    assert f"of {N_ITEMS} items; continue it with resume (--resume)" in said
    assert "Traceback" not in said
    main(["info", "run.segm"])
    assert "not finished: continue it with the same command and --resume" in capsys.readouterr().out
    main(["score", "t.npz", "p.npz", "--out", "run.segm", "--resume"])
    with sm.Run.open("run.segm") as run:
        assert run.is_complete


def test_a_long_run_says_how_far_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("segmetry.cli.progress.SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr("segmetry.cli.progress.Report.interval", 0.0)
    main(["score", "t.npz", "p.npz", "--metrics", "pq"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"1 of {N_ITEMS} items, ")
    assert lines[-1].startswith(f"{N_ITEMS} of {N_ITEMS} items, ") and lines[-1].endswith(" 0 s left")
    assert len(lines) == N_ITEMS


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from segmetry.cli.progress import progress

    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as report:
        report(1, 3)
        report(3, 3)
    shown = capsys.readouterr().err
    assert "3/3" in shown and "items/s" in shown


def test_parts_are_made_and_merged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = ["score", "t.npz", "p.npz", "--metrics", "pq"]
    main([*score, "--out", "whole.segm"])
    for number in (1, 2):
        capsys.readouterr()
        main([*score, "--shard", f"{number}/2", "--out", f"part{number}.segm"])
        assert capsys.readouterr().out == (
            f"part{number}.segm: part {number}/2, 6 of {N_ITEMS} items; next: segmetry merge\n"
        )
    main(["merge", "part2.segm", "--out", "all.segm"])
    assert capsys.readouterr().err.startswith("not finished: add the missing parts")
    main(["merge", "part1.segm", "--out", "all.segm"])
    assert sm.Run.open("all.segm").content_digest() == sm.Run.open("whole.segm").content_digest()


@pytest.mark.parametrize(
    "words", [["--report", "r.html"], ["--interval"], ["--items"], ["--csv", "-"], ["--json", "j"], ["--parquet", "p"]]
)
def test_a_part_has_no_tables_and_no_report(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    err = message_of(capsys, "score", "t.npz", "p.npz", "--shard", "1/2", "--out", "part.segm", *words)
    assert err == (
        f"segmetry: --shard evaluates a part of a run, and {words[0]} needs the whole run; merge the parts first"
    )
    assert not list(folder.glob("part*"))


def test_scalars_and_markdown_follow_from_run_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["score", "t.npz", "p.npz", "--metrics", "pq,n_matched", "--out", "first.segm"])
    main(["score", "t.npz", "t.npz", "--metrics", "pq,n_matched", "--out", "second.segm"])
    capsys.readouterr()
    main(["export", "first.segm", "--scalars", "-", "--rule", "theta_and"])
    values = json.loads(capsys.readouterr().out)
    expected = sm.Run.open("first.segm").rescore("theta_and").scalars()
    assert values == {name: None if value != value else value for name, value in expected.items()}
    main(["compare", "first.segm", "second.segm", "--metrics", "pq", "--resamples", "100", "--markdown", "-"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("**second beats first: second − first = +")
    assert [line.split("|")[1].strip() for line in lines if line.startswith("| pq")] == [
        "pq (mean over items) ↑",
        "pq (pooled over all items) ↑",
    ]


@pytest.mark.slow
def test_the_module_exits_as_the_command_does(folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "segmetry",
        "score",
        "t.npz",
        "p.npz",
        "--metrics",
        "pq",
        "--fail-under",
        "pq=0.99",
    ]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 3
