"""``segmetry compare``: systems side by side, several rules, two rules of one run; tables, JSON, CSV, SVG, refusals."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree

import segmetry as sm
from segmetry.cli.commands.compare import split_rules
from tests.cli.running import Runner
from tests.comparison.made import blurred, run, truth

TRUE = truth(15)
RESAMPLES = ("--resamples", 200)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    paths = {}
    for at, name in enumerate(("base", "ours", "[bold]")):
        paths[name] = folder / f"{name}.segm"
        run(TRUE, blurred(TRUE, 0.1 + 0.1 * at, at + 1), paths[name]).close()
    return paths


def test_two_systems(segmetry: Runner, runs: dict[str, Path], tmp_path: Path) -> None:
    result = segmetry("compare", runs["base"], runs["ours"], *RESAMPLES, "--parts", "--plots", tmp_path / "plots")
    assert result.code == 0, result.err
    assert max(map(len, result.lines)) <= 80 or "plots" in max(result.lines, key=len)
    difference = sm.compare(runs["base"], runs["ours"], resamples=200).difference("pq")
    low, high = difference.interval.best or (0, 0)
    assert f"{difference.value:+.4f} {low:+.4f} to {high:+.4f}" in result.out
    assert "seed 2024" in result.out and "won" in result.out and "by class" in result.out
    names = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert names == ["differences.svg", "ranks_by_class.svg", "ranks_by_item_of_classes.svg", "ranks_pooled.svg"]
    for path in (tmp_path / "plots").iterdir():
        ElementTree.parse(path)


def test_no_digit_is_cut_off_at_80_columns(segmetry: Runner, tmp_path: Path) -> None:
    """Long names of metrics and all numbers are whole."""
    paths = [tmp_path / f"{at}.segm" for at in range(5)]
    for at, path in enumerate(paths):
        run(TRUE, blurred(TRUE, 0.1 + 0.1 * at, at), path, metrics="pq,vi_merge,variation_of_information").close()
    comparison = sm.compare(*paths[:2], resamples=200)
    result = segmetry("compare", *paths[:2], *RESAMPLES)
    assert max(map(len, result.lines)) <= 80
    assert "\n variation_of_information " in result.out and "…" not in result.out
    for difference in comparison.differences:
        if difference.level == "data set":
            low, high = difference.interval.best or (0, 0)
            assert f" {low:+.4f} to {high:+.4f} " in result.out and f" {difference.detectable:.4f}\n" in result.out
    under = sm.rule_sensitivity(*paths, resamples=200)
    result = segmetry("compare", *paths, *RESAMPLES, "--rules", "standard")
    assert max(map(len, result.lines)) <= 80
    for row in under.by_rule:
        for value, rank in zip(row.values, row.ranks, strict=True):
            low, high = value.best or (0, 0)
            line = next(line for line in result.lines if f" {low:.4f} to {high:.4f} " in line)
            assert f"{value.value:.4f}" in line and rank is not None
        assert f"stable {100 * (row.stable or 0):.1f} %" in result.out


def test_dashes_are_explained(segmetry: Runner, tmp_path: Path) -> None:
    nothing = dict.fromkeys(TRUE, np.zeros(40, dtype=int))
    paths = [tmp_path / "none.segm", tmp_path / "some.segm"]
    for path, pred in zip(paths, (nothing, blurred(TRUE, 0.2, 1)), strict=True):
        run(TRUE, pred, path, metrics="pq,sq").close()
    result = segmetry("compare", *paths, *RESAMPLES)
    assert result.code == 0 and "none sq (mean over items of the class means)" in " ".join(result.out.split())
    result = segmetry("compare", *paths, *RESAMPLES, "--rules", "theta_plus,theta_and", "--metrics", "sq")
    assert "No value, no matched pair: none under θ⁺, none under θ&\n" in result.out
    assert "– (1)" not in result.out
    intervals = " ".join(segmetry("info", paths[0], "--interval").out.split())
    assert "No value, undefined in every item: sq (mean over items of the class means)" in intervals
    once = {"a": TRUE["001"]}
    for at in (1, 2):
        run(once, blurred(once, 0.5, at), tmp_path / f"{at}.segm").close()
    call = ("compare", tmp_path / "1.segm", tmp_path / "2.segm", *RESAMPLES, "--rules", "standard")
    assert "Only one item" in segmetry(*call).out


@pytest.mark.slow
def test_json_and_csv(segmetry: Runner, runs: dict[str, Path], tmp_path: Path) -> None:
    target = tmp_path / "differences.csv"
    result = segmetry("compare", *runs.values(), *RESAMPLES, "--seed", 5, "--json", "-", "--csv", target)
    data = json.loads(result.out)
    expected = sm.compare(*runs.values(), resamples=200, rng=5)
    assert data == json.loads(json.dumps(expected.to_dict()))
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8"))))
    assert len(rows) == len(expected.rows())
    assert float(rows[0]["difference"]) == expected.rows()[0]["difference"]
    assert (data["seed"], data["systems"]) == (5, ["base", "ours", "[bold]"])


@pytest.mark.slow
def test_three_systems_show_their_ranking(segmetry: Runner, runs: dict[str, Path]) -> None:
    result = segmetry("compare", *runs.values(), *RESAMPLES)
    assert result.lines[0].startswith("Of 3 systems, base and ours cannot be told apart with 15 items: ours − base =")
    assert "p (Holm)" in result.out and "Intervals are those of one pair each, not corrected" in result.out
    assert "[bold] − ours" in result.out and "A = " not in result.out, "short names stand for themselves"
    assert "Other metrics (--metrics" in result.out
    assert "rq (mean over classes): all pairs" in segmetry("compare", *runs.values(), *RESAMPLES, "--metrics", "rq").out
    assert max(map(len, result.lines)) <= 80


def test_several_rules(segmetry: Runner, runs: dict[str, Path], tmp_path: Path) -> None:
    rules = "theta_plus,maximum_weight(weight=iou,above=0)"
    result = segmetry("compare", *runs.values(), *RESAMPLES, "--rules", rules, "--plots", tmp_path)
    assert "The ranking" in result.out and "best assignment, IoU" in result.out
    assert max(map(len, result.lines[:-1])) <= 80
    ElementTree.parse(tmp_path / "rules.svg")
    output = segmetry("compare", *runs.values(), *RESAMPLES, "--rules", "standard", "--json", "-", "--names", "a,b,c")
    data = json.loads(output.out)
    assert data["systems"] == ["a", "b", "c"] and len(data["rules"]) == 6


def two_rules_run(folder: Path, rule: str = "theta_and") -> Path:
    path = folder / f"{rule}.segm"
    run(TRUE, {name: np.roll(labels, 3) for name, labels in TRUE.items()}, path, rule=rule).close()
    return path


def test_two_rules_of_one_run(segmetry: Runner, tmp_path: Path) -> None:
    path = two_rules_run(tmp_path)
    call = ("compare", path, "--rules", "theta_plus,theta_and", *RESAMPLES)
    result = segmetry(*call, "--parts", "--plots", tmp_path)
    assert result.code == 0, result.err
    for part in ("Kolmogorov-Smirnov", "false hits by pi", "error kinds", "pq by class", "additional pairs by class"):
        assert part in result.out
    assert max(len(line) for line in result.lines if not line.endswith(".svg")) <= 100
    for name in ("iou", "additional", "differences"):
        ElementTree.parse(tmp_path / f"{name}.svg")
    data = json.loads(segmetry(*call, "--json", "-").out)
    assert (data.pop("schema"), data.pop("version")) == ("two_rules", 1)
    with sm.Run.open(path) as opened:
        compared = sm.compare(opened, rules=["theta_plus", "theta_and"], resamples=200).to_dict()
        assert data == json.loads(json.dumps({**sm.two_alignments(opened).to_dict(), "comparison": compared}))


@pytest.mark.parametrize("table", ["differences", "sets", "pairs", "classes", "false_hits", "tests"])
def test_the_tables_of_two_rules_as_csv(segmetry: Runner, tmp_path: Path, table: str) -> None:
    call = ("compare", two_rules_run(tmp_path), "--rules", "theta_plus,theta_and", *RESAMPLES)
    data = json.loads(segmetry(*call, "--json", "-").out)
    rows = segmetry(*call, "--csv", "-", *([] if table == "differences" else ["--table", table])).lines
    n = {
        "differences": len(data["comparison"]["differences"]),
        "sets": 3,
        "pairs": data["n_additional"],
        "classes": len(data["additional_by_class"]),
        "false_hits": 7,
        "tests": 3,
    }
    if table == "tests":
        assert rows[1] == f"Kolmogorov-Smirnov of IoUs,{data['ks_statistic']},{data['ks_p']}"
        assert rows[2] == f"Kolmogorov-Smirnov of classes,{data['class_ks_statistic']},{data['class_ks_p']}"
    assert len(rows) == n[table] + 1 > 1


def test_two_runs_of_the_same_results_under_two_rules(segmetry: Runner, tmp_path: Path) -> None:
    paths = [two_rules_run(tmp_path, rule) for rule in ("theta_plus", "theta_and")]
    result = segmetry("compare", *paths, *RESAMPLES)
    assert result.code == 0, result.err
    assert "additional pairs by class" in result.out
    back = json.loads(segmetry("compare", *paths[::-1], *RESAMPLES, "--json", "-").out)
    assert back["narrow_rule"] == "theta_plus" and back["comparison"]["rules"] == ["theta_and", "theta_plus"]
    assert back["n_additional"] == sm.two_alignments(paths[0]).summary.n_additional > 0
    one = sm.compare(paths[0], rules=["theta_plus", "theta_and"], resamples=200)
    two = sm.compare(*paths, resamples=200)
    assert one.rows() == two.rows() and one.rules == two.rules == ("theta_plus", "theta_and")
    assert "under majority overlap" in result.out


def test_wrong_calls_are_one_line(segmetry: Runner, runs: dict[str, Path], tmp_path: Path) -> None:
    base, ours, _ = runs.values()
    copy = tmp_path / "copy.segm"
    shutil.copy(base, copy)
    assert "1 run to compare; expected at least 2" in segmetry.refused("compare", base)
    assert "contain the same results" in segmetry.refused("compare", base, copy)
    assert "no such file" in segmetry.refused("compare", base, tmp_path / "none.segm")
    assert "is listed twice" in segmetry.refused("compare", base, base)
    assert "an empty name" in segmetry.refused("compare", base, ours, "--names", "a,")
    assert "expected two, the narrower first" in segmetry.refused("compare", base, "--rules", "theta_and")
    assert "--average is not" in segmetry.refused("compare", base, "--rules", "standard", "--average", "pooled")
    assert "--table pairs is about two rules" in segmetry.refused("compare", base, ours, "--table", "pairs")
    assert "--parts is not supported" in segmetry.refused("compare", base, ours, "--rules", "standard", "--parts")
    assert "--average is not supported without" in segmetry.refused("compare", base, ours, "--average", "by_item")
    assert "expected one metric" in segmetry.refused("compare", base, ours, "--rules", "standard", "--metrics", "pq,rq")
    assert "there is no metric 'pqq'" in segmetry.refused("compare", base, ours, "--metrics", "pqq")
    assert "both want standard output" in segmetry.refused("compare", base, ours, "--json", "-", "--csv", "-")
    assert "resamples is 5" in segmetry.refused("compare", base, ours, "--resamples", 5)
    assert "the seed (rng) is -1" in segmetry.refused("compare", base, ours, "--seed", -1)
    assert "level is 2.0" in segmetry.refused("compare", base, ours, "--level", 2)
    assert "is a file" in segmetry.refused("compare", base, ours, "--plots", copy)
    assert "there is no rule" in segmetry.refused("compare", base, ours, "--rules", "theta_or")


def test_a_single_item_says_so(segmetry: Runner, tmp_path: Path) -> None:
    true = truth(1)
    for at in (1, 2):
        run(true, blurred(true, 0.5, at), tmp_path / f"{at}.segm").close()
    result = segmetry("compare", tmp_path / "1.segm", tmp_path / "2.segm", *RESAMPLES, "--plots", tmp_path / "plots")
    assert result.code == 0, result.err
    assert "Only one item" in result.out
    assert "Only one item" in segmetry("info", tmp_path / "1.segm", "--interval").out


def test_intervals_of_score_and_info(segmetry: Runner, runs: dict[str, Path], streams: tuple[Path, Path]) -> None:
    result = segmetry("info", runs["base"], "--interval")
    with sm.Run.open(runs["base"]) as opened:
        low, high = opened.intervals()["pq"]["by_item_of_classes"].best or (0, 0)
    assert f"{low:.4f} to {high:.4f}" in result.out and "10,000 resamples of the items, seed 2024" in result.out
    assert json.loads(segmetry("info", runs["base"], "--json", "--interval").out)["intervals"]["seed"] == 2024
    call = ("score", *streams, "--first", "force", "--metrics", "pq")
    assert "BCa intervals" in segmetry(*call, "--interval").out
    data = json.loads(segmetry(*call, "--interval", "--json", "-", "--rule", "theta_and").out)
    assert data["rules"]["theta_and"]["intervals"]["scores"]["pq"]["by_item"]["percentile"] is not None
    plain = json.loads(segmetry(*call, "--json", "-", "--rule", "theta_and").out)
    assert "intervals" not in plain["rules"]["theta_and"]


def test_it_begins_with_a_sentence_that_names_the_systems(segmetry: Runner, runs: dict[str, Path]) -> None:
    comparison = sm.compare(runs["base"], runs["ours"], resamples=200)
    result = segmetry("compare", runs["base"], runs["ours"], *RESAMPLES)
    sentence = " ".join(" ".join(result.lines).split())
    row, items = comparison.difference("pq", "by_class"), comparison.difference("pq", "by_item_of_classes").outcomes
    low, high = row.interval.best or (0, 0)
    assert items is not None and high < 0 and row.p is not None and row.p < 0.05
    assert sentence.startswith(f"base beats ours: ours − base = {row.value:+.4f} pq (mean over classes)")
    assert f"p = {row.p:.4f}); ours is better in {items.won} of 15 items, worse in {items.lost}." in sentence


def test_gates_of_a_comparison(segmetry: Runner, runs: dict[str, Path]) -> None:
    drop = -sm.compare(runs["base"], runs["ours"], resamples=200).difference("pq", "by_item_of_classes").value
    assert drop > 0
    call = ("compare", runs["base"], runs["ours"], *RESAMPLES, "--metrics", "pq", "--gate")
    kept = segmetry(*call, f"pq.by_item_of_classes:{drop + 0.001}")
    assert (kept.code, kept.err) == (0, "")
    failed = segmetry(*call, f"pq.by_item_of_classes:{drop - 0.001}", "--json", "-")
    assert failed.code == 3 and json.loads(failed.out)["systems"] == ["base", "ours"]
    words = "pq (mean over items of the class means)"
    assert failed.err.startswith(f"segmetry: failed: ours against base: {words} is worse by {drop:.4f} (")
    assert failed.err.count("\n") == 1
    strict = segmetry(*call, f"pq.by_item_of_classes:{drop + 0.001}", "--gate-on", "interval")
    assert strict.code == 3 and "may be worse by up to" in strict.err
    assert segmetry(*call, "pq:0").code == 3
    assert "is not a bound" in segmetry.refused(*call, "pq")
    assert "--gate is not supported with --rules" in segmetry.refused(
        *call[:3], "--rules", "standard", "--gate", "pq:0"
    )


@pytest.mark.parametrize("metric", ["dice", "mean_iou", "class_hausdorff95"])
def test_classes_of_a_metric_of_elements_are_compared(segmetry: Runner, tmp_path: Path, metric: str) -> None:
    numbers = np.random.default_rng(1)
    true = {str(at): np.sort(numbers.integers(0, 4, (12, 12)), axis=1) for at in range(3)}
    options = {"protocol": "semantic"} if metric == "mean_iou" else {"metrics": metric}
    for name, by in (("a", 1), ("b", 2)):
        sides = true, {at: np.roll(labels, by, axis=1) for at, labels in true.items()}
        classes = [
            {at: sm.LabelArray.from_classes(labels, outside=None) for at, labels in side.items()} for side in sides
        ]
        sm.evaluate(*classes, out=tmp_path / f"{name}.segm", engine="serial", **options)
    run = sm.Run.open(tmp_path / "a.segm")
    shown = segmetry("compare", tmp_path / "a.segm", tmp_path / "b.segm", "--parts", *RESAMPLES).out
    rows = [line.split()[:2] for line in shown.split(" by class\n")[1].split("\n\n")[0].splitlines()[2:]]
    parts = {str(name): scores[metric].usual.value for name, scores in run.summary().parts.items()}
    assert len(parts) == 4
    cell = run.cell(metric)
    assert {name: value for name, value in rows if name != "all"} == {n: cell.text(value) for n, value in parts.items()}


def test_runs_without_classes_in_folders_of_their_own(segmetry: Runner, tmp_path: Path) -> None:
    """Files of one name are called by their folders, and there is no table without rows."""
    for at, name in enumerate(("base", "ours")):
        (tmp_path / name).mkdir()
        run(TRUE, blurred(TRUE, 0.1 + 0.1 * at, at), tmp_path / name / "run.segm", classes=False).close()
    shown = segmetry("compare", *(tmp_path / name / "run.segm" for name in ("base", "ours")), "--parts", *RESAMPLES).out
    assert "No metric of these runs has values by class." in shown and "by class\n" not in shown
    assert "ours − base = " in shown and "run.segm" not in shown


def test_the_example_of_split_rules() -> None:
    assert split_rules("theta_and, maximum_weight(weight=iou,above=0)") == [
        "theta_and",
        "maximum_weight(weight=iou,above=0)",
    ]
