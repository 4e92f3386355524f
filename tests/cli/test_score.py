"""``segmetry score``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.options.scoring_options import metric_options, scoring_of
from segmetry.overlaps.cross_table import BACKGROUNDS
from tests.cli.running import Runner

# Spec 5, regression values: means over the 34 page streams with the first bit forced.
PAGE_STREAMS = {
    "pk": 0.147244,
    "window_diff": 0.166536,
    "winpr_precision": 0.828458,
    "winpr_recall": 0.916259,
    "winpr_f1": 0.831636,
    "boundary_similarity": 0.774105,
    "segmentation_similarity": 0.929875,
}


def test_page_streams_print_averages_and_a_line_per_stream(segmetry: Runner, streams: tuple[Path, Path]) -> None:
    streams[1].write_text('{"a": [1, 0, 1, 0, 0], "b": [0, 0, 0]}')
    call = ("score", *streams, "--first", "force", "--rule", "theta_and")
    summary = segmetry(*call)
    assert summary.code == 0
    pq = sm.evaluate(*streams, read={"first": "force"}, rule="theta_and", metrics="pq").summary()["pq"]
    assert pq["by_item"].value != pq["pooled"].value
    assert any(line.split()[2:4] == ["streams", f"{pq['by_item'].value:.3f}"] for line in summary.lines)
    per_item = segmetry(*call, "--items")
    names = json.loads(streams[0].read_text())
    assert any(line.startswith(f"{len(names)} items") for line in summary.lines)
    for name in names:
        assert sum(line.startswith(name[:12]) for line in per_item.lines) >= 1
    *_, last = (at for at, line in enumerate(per_item.lines) if "───" in line)
    assert not per_item.lines[last + len(names) + 1].strip(), "one line each"


def test_page_streams_have_the_means_of_the_specification(segmetry: Runner, shared_data: Path) -> None:
    folder = shared_data / "page_streams"
    keys = ",".join(PAGE_STREAMS)
    result = segmetry(
        *("score", folder / "true.json", folder / "pred.json", "--first", "force", "--rule", "theta_and"),
        *("--metrics", keys, "--json", "-"),
    )
    scores = result.first_rule["scores"]
    assert {key: round(scores[key]["by_item"]["value"], 6) for key in PAGE_STREAMS} == PAGE_STREAMS


def test_tables_fit_eighty_columns(segmetry: Runner, streams: tuple[Path, Path]) -> None:
    for options in ((), ("--items",), ("--rule", "theta_plus")):
        result = segmetry("score", *streams, "--first", "force", *options)
        assert result.code == 0 and result.err == ""
        assert max(map(len, result.lines)) <= 80


@pytest.mark.parametrize("second", [[[1, 1, 2, 2]], [[0, 0, 0, 0]]], ids=["all defined", "some undefined"])
def test_two_rules_with_the_longest_names_fit_eighty_columns(
    second: list[list[int]], segmetry: Runner, tmp_path: Path
) -> None:
    np.savez(tmp_path / "true.npz", a=np.array([[1, 1, 2, 2]]), b=np.array(second))
    np.savez(tmp_path / "pred.npz", a=np.array([[1, 1, 1, 2]]), b=np.array(second))
    result = segmetry("score", tmp_path / "true.npz", tmp_path / "pred.npz", "--metrics", "panoptic,graph")
    assert max(map(len, result.lines)) <= 80 and "…" not in result.out
    assert any(line.split()[:8] == ["IoU", ">", "0.5", "(θ⁺)"] * 2 for line in result.lines)
    assert "objects_and_parts_" in result.out and "  precision" in result.out, "broken, not cut"
    heading = [line for line in result.lines if "overlap" in line]
    assert heading[-1].endswith("items") == (second == [[0, 0, 0, 0]])


def test_long_names_give_way_to_numbers(segmetry: Runner, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name " * 40: [1, 0, 1], "b": [1, 0, 0]}))
    result = segmetry("score", path, path, "--items", "--rule", "theta_and")
    row = next(line for line in result.lines if line.startswith("name name"))
    assert "…" in row and row.count("1.000") >= 3 and len(row) <= 80


def test_json_goes_to_a_file_or_to_standard_output(
    segmetry: Runner, streams: tuple[Path, Path], tmp_path: Path
) -> None:
    target = tmp_path / "out.json"
    call = ("score", *streams, "--first", "force", "--rule", "theta_and", "--metrics", "pq,n_matched", "--json")
    assert f"Wrote {target}" in segmetry(*call, target).lines
    printed = segmetry(*call, "-").out
    assert json.loads(printed) == json.loads(target.read_text())
    data = json.loads(printed)
    assert (data["n_items"], list(data["rules"]), data["policy"]) == (2, ["theta_and"], "none")
    assert (data["true"], data["pred"]) == tuple(map(str, streams))
    rule = data["rules"]["theta_and"]
    assert rule["scores"]["n_matched"]["pooled"]["value"] == 4.0
    assert rule["items"]["a"]["pq"]["value"] == 1.0
    both = json.loads(segmetry("score", *streams, "--first", "force", "--metrics", "pq", "--json", "-").out)
    assert data.pop("modified") == ["rule"] and both.pop("modified") == []
    assert [one.pop("provenance")["decisions"]["rule"] for one in (data, both)] == ["theta_and", "theta_plus"]
    assert {**both, "rules": None} == {**data, "rules": None}, "one shape, however many rules"
    assert list(both["rules"]) == ["theta_plus", "theta_and"]


def test_undefined_is_null_with_a_reason(segmetry: Runner, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((2, 2), dtype=int))
    first_rule = segmetry("score", path, path, "--metrics", "pq", "--rule", "theta_and", "--json", "-").first_rule
    assert first_rule["items"]["a"]["pq"]["value"] is None and first_rule["items"]["a"]["pq"]["reason"]
    zero = segmetry(
        "score", path, path, "--metrics", "pq", "--rule", "theta_and", "--undefined", "0", "--json", "-"
    ).first_rule
    assert zero["items"]["a"]["pq"]["value"] == 0.0 and zero["scores"]["pq"]["by_item"]["value"] == 0.0


def test_both_rules_stand_side_by_side(segmetry: Runner, tmp_path: Path) -> None:
    for name, row in (("true", [1, 1, 1, 2]), ("pred", [3, 4, 4, 4])):
        np.save(tmp_path / f"{name}.npy", np.array([row]))
    result = segmetry("score", tmp_path / "true.npy", tmp_path / "pred.npy", "--metrics", "pq")
    assert "IoU > 0.5 (θ⁺)      majority" in result.out and "overlap (θ&)" in result.out
    assert any("0.2500" in line and "0.0000" in line for line in result.lines)


def test_labels_may_have_options(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, 0, 5]]))
    call = (
        "score",
        tmp_path / "a.npy",
        tmp_path / "a.npy",
        "--metrics",
        "n_matched",
        "--json",
        "-",
        "--rule",
        "theta_and",
    )
    counts = [
        segmetry(*call, *options).first_rule["items"]["a"]["n_matched"]["value"]
        for options in ((), ("--no-outside",), ("--outside", "5"), ("--void", "5", "--policy", "strict-void"))
    ]
    assert counts == [1.0, 2.0, 1.0, 0.0]


def test_classes_can_be_ignored(segmetry: Runner, tmp_path: Path) -> None:
    for name, speaker in (("true", "ann"), ("pred", "speaker_0")):
        (tmp_path / f"{name}.rttm").write_text(f"SPEAKER a 1 0 2 <NA> <NA> {speaker} <NA> <NA>\n")
    call = (
        "score",
        tmp_path / "true.rttm",
        tmp_path / "pred.rttm",
        "--metrics",
        "pq",
        "--rule",
        "theta_and",
        "--json",
        "-",
    )
    values = [segmetry(*call, *more).first_rule["items"]["a"]["pq"]["value"] for more in (("--classes", "match"), ())]
    assert values == [0.0, 1.0]


def test_two_coders_of_one_file_are_compared(segmetry: Runner, tmp_path: Path) -> None:
    """Annotator 1 against itself, and against another who is given for the predictions."""
    path = tmp_path / "coders.json"
    path.write_text('{"items": {"text": {"1": [2, 3, 3, 4], "2": [5, 7]}}, "segmentation_type": "linear"}')
    call = ("score", path, path, "--coder", "1", "--metrics", "pk", "--json", "-", "--rule", "theta_and")
    same = segmetry(*call).first_rule["items"]["text"]["pk"]["value"]
    different = segmetry(*call, "--pred-coder", "2").first_rule["items"]["text"]["pk"]["value"]
    assert same == 0.0 < different


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--colours", "rgb"],
            "--colours is not supported by format bits (it applies to cell-tracking, folder, mapseg, png, tiff, video)",
        ),
        (["--coder", "x"], "names no annotators; leave --coder out"),
        (["--pred-coder", "x"], "names no annotators; leave --coder out"),
        (["--outside", "0"], "--outside is not supported by format bits"),
        (["--no-outside", "--outside", "0"], "--no-outside and --outside exclude each other"),
        (["--tick", "0.1"], "--tick is not supported by format bits"),
        (["--length", "5"], "--length is not supported by format bits"),
        (["--format", "mases"], "there is no format 'mases'; did you mean masses"),
        (["--format", "masses"], "is 0; expected a segment length of at least 1"),
        (["--metrics", "qp"], "segmetry: there is no metric 'qp'"),  # an error before an item is read
        (["--metrics", ""], "metrics is empty"),
        (["--rule", "theta"], "theta"),
        (["--policy", "cocos"], "cocos"),
        (["--first", "gape"], "'gape' is not one of"),
        (["--max-elements", "3"], "more than the budget of 3"),
        (["--max-elements", "0"], "0 is not in the range"),
        (["--json", "no/such/folder/out.json"], "cannot be written: there is no folder no/such/folder"),
        (["--json", "."], "is a folder"),
        (["--nonsense"], "No such option"),
    ],
)
def test_wrong_calls_get_one_line(options: list[str], words: str, segmetry: Runner, streams: tuple[Path, Path]) -> None:
    assert words in segmetry.refused("score", *streams, *options)


def test_errors_name_file_item_and_place(segmetry: Runner, streams: tuple[Path, Path]) -> None:
    true, pred = streams
    pred.write_text('{"a": [1, 0, 0, 1, 0],\n "b": [0, 1, 7]}')
    assert f"{pred}, line 2, column 14: 'b'[2] is 7; expected 0 or 1" in segmetry.refused(
        "score", true, pred, "--format", "bits"
    )
    pred.write_text('{"a": [1, 0, 0], "b": [0, 1, 0]}')
    assert "item a: true has 5 elements and pred has 3 elements" in segmetry.refused("score", true, pred)
    pred.write_text('{"a": [1, 0, 0, 1, 0], "c": [0, 1, 0]}')
    assert "1 only in true: b; 1 only in pred: c" in segmetry.refused("score", true, pred)
    assert "no such file or folder" in segmetry.refused("score", true, true.parent / "none.json")


def test_a_target_that_cannot_be_written_is_reported_before_any_work(
    segmetry: Runner, streams: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("segmetry.cli.commands.score.evaluate", lambda *_, **__: pytest.fail("the files were read"))
    assert "cannot be written" in segmetry.refused("score", *streams, "--json", "no/such/folder/out.json")


def test_names_cannot_steer_the_terminal(segmetry: Runner, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"[red]a[/red]": [1, 0], "\\u001b[2Jb": [1, 0]}')
    assert "\x1b" not in segmetry.refused("score", path, path)
    path.write_text('{"[red]a[/red]": [1, 0], "b": [1, 0]}')
    assert "[red]a[/red]" in segmetry("score", path, path, "--items").out, "markup is text"


@pytest.mark.parametrize("background", sorted(BACKGROUNDS))
def test_every_convention_is_reachable_on_the_command_line(segmetry: Runner, tmp_path: Path, background: str) -> None:
    true, pred = np.array([[1, 1, 1, 0, 0, 2]]), np.array([[7, 7, 0, 0, 8, 8]])
    for name, labels in (("true", true), ("pred", pred)):
        np.save(tmp_path / f"{name}.npy", labels)
    arguments = ("--metrics", "rand_index,vi_merge,adapted_rand_error", "--background", background, "--json", "-")
    options = ("--option", "adapted_rand_error.self_pairs=false")
    printed = segmetry("score", tmp_path / "true.npy", tmp_path / "pred.npy", *arguments, *options).first_rule
    (scores,) = printed["items"].values()
    assert scores["rand_index"]["value"] == sm.rand_index(true, pred, background=background).value
    assert scores["vi_merge"]["value"] == sm.vi_merge(true, pred, background=background).value
    error = sm.adapted_rand_error(true, pred, background=background, self_pairs=False)
    assert scores["adapted_rand_error"]["value"] == error.value


def test_missed_segments_may_cost_an_infinite_distance(segmetry: Runner, tmp_path: Path) -> None:
    for name, labels in (("true", [[1, 1, 0, 2]]), ("pred", [[1, 1, 0, 0]])):
        np.save(tmp_path / f"{name}.npy", np.array(labels))
    call = ("score", tmp_path / "true.npy", tmp_path / "pred.npy", "--metrics", "hausdorff")
    for missing, value in (("inf", math.inf), ("diagonal", math.hypot(1, 4) / 2), ("374", 187.0)):
        first_rule = segmetry(*call, "--option", f"hausdorff.missing={missing}", "--json", "-").first_rule
        (scores,) = first_rule["items"].values()
        assert scores["hausdorff"]["value"] == value
        assert scores["hausdorff"]["details"] == {"pairs": 1, "missed": 1, "spurious": 0, "unit": "pixels"}
    assert "inf" in segmetry(*call, "--option", "hausdorff.missing=inf").out


def test_negative_labels_are_segments_by_choice(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[-1, -1, 2]]))
    call = ("score", tmp_path / "a.npy", tmp_path / "a.npy", "--metrics", "n_matched", "--json", "-")
    assert "--allow-negative" in segmetry.refused(*call)
    first_rule = segmetry(*call, "--allow-negative").first_rule
    assert first_rule["items"]["a"]["n_matched"]["value"] == 2.0


def test_each_side_may_have_its_format(segmetry: Runner, tmp_path: Path) -> None:
    true, pred = tmp_path / "a.json", tmp_path / "b.json"
    true.write_text('{"a": [1, 1, 1]}')  # bits or masses: only the user knows
    pred.write_text('{"a": [1, 1, 1]}')
    call = ("score", true, pred, "--metrics", "n_matched,n_missed", "--json", "-")
    counts = {
        formats: [score["value"] for score in segmetry(*call, *formats).first_rule["items"]["a"].values()]
        for formats in (
            ("--format", "bits"),
            ("--true-format", "bits", "--pred-format", "masses"),
            ("--format", "masses", "--true-format", "bits"),
        )
    }
    assert set(map(tuple, counts.values())) == {(3.0, 0.0)}
    pred.write_text('{"a": [2, 1]}')
    mixed = segmetry(*call, "--true-format", "bits", "--pred-format", "masses").first_rule
    assert mixed["items"]["a"]["n_matched"]["value"] == 1.0
    alone = segmetry(*call, "--true-format", "bits").first_rule
    assert alone["items"]["a"]["n_matched"]["value"] == 1.0, "the other side is recognised by its content"
    assert "'b'[1] is 1" not in segmetry.refused(*call, "--format", "bits")


def test_the_example_of_scoring_of() -> None:
    assert scoring_of({"rule": "theta_and", "undefined": "0", "jobs": 2, "metric_option": ["pk.k=3"]}) == {
        "undefined": 0.0,
        "rule": "theta_and",
        "options": {"pk": {"k": 3}},
    }


def test_the_example_of_metric_options() -> None:
    assert metric_options(["pk.k=3", "vpq.k=[1,2]", "false_hits.pi=0.76", "window_diff.padded=true"]) == {
        "pk": {"k": 3},
        "vpq": {"k": [1, 2]},
        "false_hits": {"pi": "0.76"},
        "window_diff": {"padded": True},
    }
    assert metric_options(["iou_type=bbox"]) == {"iou_type": "bbox"}
