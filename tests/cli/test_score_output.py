"""What ``segmetry score`` prints: the answer first, in twenty lines of eighty columns; the rest on request."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.score_output import _fitting
from segmetry.metrics.score import Score
from segmetry.outputs.tables.score_tables import (
    METRICS,
    _column_heading,
    folded,
    parts_table,
    results_table,
    score_remark,
    worst_line,
)
from segmetry.results.records import Table
from segmetry.results.result_table import ResultTable
from tests.cli.running import Outcome, Runner


@pytest.fixture
def coco(coco_panoptic: Path) -> list[Path]:
    return [coco_panoptic / "truth.json", coco_panoptic / "pred.json"]


@pytest.fixture
def arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Six items; e is perfect, f has nothing on either side."""
    numbers = np.random.default_rng(7)
    coarse = {name: numbers.integers(1, 9, (3, 3)) + 20 * at for at, name in enumerate("abcde")}
    true = {name: np.kron(labels, np.ones((2, 2), int)) for name, labels in coarse.items()}
    pred = {name: np.where(numbers.random((6, 6)) < 0.2, 3, labels + 200) for name, labels in true.items()}
    np.savez(tmp_path / "t.npz", **true, f=np.zeros((2, 2), int))
    np.savez(tmp_path / "p.npz", **{**pred, "e": true["e"]}, f=np.zeros((2, 2), int))
    monkeypatch.chdir(tmp_path)
    return ["t.npz", "p.npz"]


def fits(result: Outcome) -> bool:
    return result.code == 0 and len(result.lines) <= 20 and max(map(len, result.lines)) <= 80


def test_the_table_needs_no_score_of_a_single_item(
    arrays: list[str], segmetry: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50,000 items have 600,000 scores of items, which take longer to make than the table of their summary."""
    shown = segmetry("score", *arrays).lines
    monkeypatch.setattr(sm.Run, "item_scores", None)
    assert segmetry("score", *arrays).lines == shown
    assert any(line.startswith("Worst items by pq") for line in shown)


def test_the_answer_fits_a_screen(segmetry: Runner, coco: list[Path], arrays: list[str], tmp_path: Path) -> None:
    lines = [tmp_path / "true.json", tmp_path / "pred.json"]
    for path, seed in zip(lines, (1, 2), strict=True):
        bits = np.random.default_rng(seed).integers(0, 2, (34, 60))
        path.write_text(json.dumps({f"a_long_name_of_a_stream_{at}": row.tolist() for at, row in enumerate(bits)}))
    for inputs in (arrays, coco, [*lines, "--first", "force"]):
        result = segmetry("score", *inputs, "--out", "run.segm", "--force", "--csv", "items.csv")
        assert fits(result), result.out
        assert result.lines[-2] == "Wrote run.segm, items.csv"
        assert result.lines[-1].startswith("Next: segmetry diagnose run.segm")


def test_the_worst_items_are_those_of_python(segmetry: Runner, arrays: list[str]) -> None:
    rows = [row for row in sm.evaluate(*arrays).items() if row["pq"] is not None]
    worst = sorted(rows, key=lambda row: row["pq"])
    result = segmetry("score", *arrays)
    shown = ", ".join(f"{row['item']} {row['pq']:.4f}" for row in worst[:3])
    assert f"Worst items by pq: {shown}" in result.lines
    table = segmetry("score", *arrays, "--worst", "4").lines
    start = next(at for at, line in enumerate(table) if line.startswith("4 worst items by pq"))
    assert [line.split()[0] for line in table[start:] if line.split()[1:2]][2:6] == [row["item"] for row in worst[:4]]


def test_nothing_is_worst_where_all_is_perfect_and_no_class_has_a_row(segmetry: Runner, arrays: list[str]) -> None:
    result = segmetry("score", arrays[0], arrays[0], "--by-class")
    assert result.code == 0 and "Worst" not in result.out and "--by-class" not in result.lines[-1]
    assert "No score of this run has values by class." in result.lines


def test_the_worst_are_those_by_the_metric_they_are_sorted_by(segmetry: Runner, arrays: list[str]) -> None:
    rows = [row for row in sm.evaluate(*arrays, metrics="pq,rand_error").items() if row["rand_error"] is not None]

    def names(*options: str) -> tuple[str, list[str]]:
        lines = segmetry("score", *arrays, "--metrics", "pq,rand_error", "--worst", "2", *options).lines
        start = next(at for at, line in enumerate(lines) if "2 worst items" in line)
        return lines[start].strip(), [
            line.split()[0] for line in lines[start:] if line[:2] in {f"{one} " for one in "abcdef"}
        ]

    by_error = [row["item"] for row in sorted(rows, key=lambda row: -row["rand_error"])][:2]
    assert names("--sort", "rand_error") == ("2 worst items by rand_error, IoU > 0.5 (θ⁺)", by_error)
    defined = [row for row in rows if row["pq"] is not None]
    by_pq = [row["item"] for row in sorted(defined, key=lambda row: row["pq"])][:2]
    assert names() == ("2 worst items by pq, IoU > 0.5 (θ⁺)", by_pq)
    assert names("--sort", "item") == ("2 worst items by pq, IoU > 0.5 (θ⁺)", sorted(by_pq))


def test_undefined_items_come_last_and_lower_may_be_better(segmetry: Runner, arrays: list[str]) -> None:
    rows = sm.evaluate(*arrays, metrics="pq,rand_error").items()
    result = segmetry(
        "score", *arrays, "--metrics", "pq,rand_error", "--items", "--sort", "rand_error", "--rule", "theta_plus"
    )
    start = next(at for at, line in enumerate(result.lines) if line.startswith("by item"))
    names = [line.split()[0] for line in result.lines[start:] if line.strip() and line.split()[0] in tuple("abcdef")]
    defined = [row for row in rows if row["rand_error"] is not None]
    assert names[: len(defined)] == [row["item"] for row in sorted(defined, key=lambda row: -row["rand_error"])]
    assert len(names) == 6
    by_name = segmetry("score", *arrays, "--items", "--sort", "item", "--rule", "theta_plus").out
    assert by_name.index("\na ") < by_name.index("\nb ") < by_name.index("\nf ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--sort", "pq"], "--sort sorts the table of items; it needs --items or --worst N"),
        (["--items", "--worst", "2"], "give one of them"),
        (["--items", "--sort", "nothing"], "--sort is 'nothing', not a metric of this run"),
        (["--fail-under", "pq"], "is not a bound"),
        (["--fail-under", "hausdorff=1"], "hausdorff is not among the metrics of this run; add it with --metrics"),
        (["--markdown", "-", "--json", "-"], "both want standard output"),
        (["--latex", "x.txt", "--csv", "x.txt"], "both name x.txt"),
        (["--table", "items"], "--table selects what --csv, --parquet, --markdown and --latex write"),
    ],
)
def test_options_without_effect_are_rejected(
    options: list[str], words: str, segmetry: Runner, arrays: list[str]
) -> None:
    assert words in segmetry.refused("score", *arrays, *options)


def test_all_metrics_and_the_order_asked_for(segmetry: Runner, arrays: list[str]) -> None:
    short, every = segmetry("score", *arrays), segmetry("score", *arrays, "--metrics", "all")
    assert "hausdorff95" in every.out and "hausdorff95" not in short.out
    named = segmetry("score", *arrays, "--metrics", "rand_error,rq,pq").out
    assert named.index("rand_error") < named.index("rq") < named.index("pq ")
    assert segmetry("score", *arrays, "--metrics", "all,panoptic,pq", "--json", "-").code == 0


def test_percentages(segmetry: Runner, arrays: list[str]) -> None:
    value = sm.evaluate(*arrays).summary()["pq"]["by_item"].value
    assert f" {100 * value:.2f} " in segmetry("score", *arrays, "--percent").out
    assert f" {value:.4f} " in segmetry("score", *arrays).out


def test_undefined_is_a_dash_with_its_reason(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "empty.npy", np.zeros((2, 2), int))
    result = segmetry("score", tmp_path / "empty.npy", tmp_path / "empty.npy", "--metrics", "pq,n_matched")
    row = next(line for line in result.lines if line.startswith("pq"))
    assert row.split() == ["pq", "–", "–", "higher"]
    assert any(line.startswith("– ") and "pq (θ⁺), pq (θ&)" in line for line in result.lines)
    assert next(line for line in result.lines if line.startswith("n_matched")).split()[-2] == "0"


def test_tables_are_written_in_every_form(segmetry: Runner, arrays: list[str], tmp_path: Path) -> None:
    files = {name: tmp_path / f"scores.{name}" for name in ("csv", "markdown", "latex")}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    assert segmetry("score", *arrays, "--metrics", "pq,n_matched", "--table", "scores", *options).code == 0
    summary = sm.evaluate(*arrays, metrics="pq,n_matched").summary()
    row, counts = csv.DictReader(files["csv"].read_text("utf-8").splitlines())
    assert float(row["by item IoU > 0.5 (θ⁺)"]) == summary["pq"]["by_item"].value
    assert counts["by item IoU > 0.5 (θ⁺)"] == ""
    value = f"{summary['pq']['by_item'].value:.4f}"
    assert f"| pq | {value} |" in files["markdown"].read_text("utf-8")
    assert f"pq & {value} &" in files["latex"].read_text("utf-8")
    printed = segmetry("score", *arrays, "--markdown", "-")
    assert printed.out.startswith("|  | by item") and "Next" not in printed.out
    items = segmetry("score", *arrays, "--table", "items", "--markdown", "-", "--metrics", "pq").out
    assert items.startswith("| item | rule |") and items.count("\n| a |") == 2


def test_paths_are_not_broken(segmetry: Runner, arrays: list[str], tmp_path: Path) -> None:
    folder = tmp_path / ("a long folder name " * 6).strip()
    folder.mkdir()
    result = segmetry("score", *arrays, "--report", folder / "report.html", "--out", folder / "run.segm")
    assert f"Wrote {folder / 'run.segm'}, {folder / 'report.html'}" in result.lines


def test_bounds_make_the_command_fail_after_everything_is_written(segmetry: Runner, arrays: list[str]) -> None:
    value = sm.evaluate(*arrays).summary()["pq"]["by_item"].value
    kept = segmetry("score", *arrays, "--fail-under", f"pq.by_item={value - 0.01}")
    assert (kept.code, kept.err) == (0, "")
    failed = segmetry(
        "score",
        *arrays,
        "--metrics",
        "pq,rand_error",
        "--fail-under",
        "pq.by_item=0.999",
        "--fail-under",
        "rand_error.by_item=0",
        "--json",
        "out.json",
    )
    assert failed.code == 3
    assert failed.err.splitlines()[0] == f"segmetry: failed: pq (mean over items) is {value:.4f}, below the bound 0.999"
    assert failed.err.splitlines()[1].startswith("segmetry: failed: rand_error (mean over items) is ")
    assert json.loads(Path("out.json").read_text("utf-8"))["n_items"] == 6 and failed.out


def test_an_output_without_some_characters_gets_escapes(tmp_path: Path) -> None:
    """A file or pipe on Windows often has one byte for each character: nothing is lost, and a rule is of hyphens."""
    for side in ("true", "pred"):
        np.save(tmp_path / f"{side}.npy", np.array([[1, 1, 2, 2]]))
    command = [sys.executable, "-m", "segmetry", "score", "true.npy", "pred.npy", "--metrics", "rand_index,pq"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=True)
    text = done.stdout.decode("cp1252")
    assert "-----" in text and "?" not in text
    assert done.stderr == b""


def test_the_next_step_is_not_what_was_just_done(segmetry: Runner, arrays: list[str]) -> None:
    plain = segmetry("score", *arrays).lines[-1]
    assert plain.endswith("also --metrics all, --items")
    assert segmetry("score", *arrays, "--items").lines[-1].endswith("also --metrics all")
    assert segmetry("score", *arrays, "--metrics", "all", "--worst", 2).lines[-1] == "Next: -o run.segm keeps the run"


def test_the_example_of_results_table() -> None:
    table = results_table({"pq": Score.of("pq", 1, 2), "sq": Score.undefined("sq", "no pair")}, "")
    assert [line.split() for line in str(table).splitlines()] == [
        ["value", "better"],
        ["──────────────────"],
        ["pq", "0.5000", "higher"],
        ["sq", "–", "higher"],
        ["–", "no", "pair:", "sq"],
    ]


def test_the_example_of_column_heading() -> None:
    assert (_column_heading(["by_item_of_classes"]), _column_heading(["by_item", "by_item_of_classes"])) == (
        "by item of classes",
        "by item",
    )


def test_the_example_of_score_remark() -> None:
    found = METRICS["hausdorff"]([[1, 1, 0, 2]], [[1, 1, 0, 0]])
    assert (score_remark([found]), score_remark([found, Score.of("hausdorff", 1, 3, pairs=3)])) == (
        "pixels, 1 pair, 1 missed",
        "pixels, 1 / 3 pairs",
    )
    assert score_remark([METRICS["rand_index"]([[1, 1, 0, 2]], [[1, 1, 0, 0]], background="common")]) == "50 % counted"


def test_the_example_of_folded() -> None:
    long = ResultTable("", ("", "mean", "items"), [(f"metric {at}", 0.5, 3) for at in range(16)])
    short = folded(long)
    assert (
        repr((short.title, len(short.rows), short.rows[0]))
        == "('mean; items 3', 8, ['metric 0', '0.5000', '  metric 8', '0.5000'])"
    )


def test_the_example_of_parts_table() -> None:
    from segmetry.protocols import metric_cell

    parts = Table("parts", [{"size": "small", "items": 2, "true": 3, "pred": 4, "pq": 0.5}])
    assert parts_table(parts, {"pq": metric_cell("pq")}).printed() == [["small", "2", "3", "4", "0.5000"]]


def test_the_example_of_worst_line() -> None:
    from segmetry.protocols import metric_cell

    assert (
        worst_line("classes", metric_cell("pq"), [("fence", 0.0), ("a name that is longer than its room is", 0.25)])
        == "Worst classes by pq: fence\xa00.0000, a\xa0name\xa0that\xa0is\xa0longer\xa0than…\xa00.2500"
    )


def test_the_example_of_fitting() -> None:
    assert _fitting({"window_diff": "WD", "pk": "Pk", "boundary_f1": "boundary F1 within two units", "pq": "PQ"}) == {
        "window_diff": "WD",
        "pk": "Pk",
        "boundary_f1": "boundary F1 within two units",
        "pq": "PQ",
    }
