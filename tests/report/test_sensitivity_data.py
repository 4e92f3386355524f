"""The sensitivity goes into the page as Python computes it, with the run it belongs to, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.scored_state import AVERAGES, KEYS
from segmetry.errors import FormatError, InputError, KindError
from segmetry.report.page_data import report_data
from segmetry.report.sensitivity_data import _description, sensitivity_by_run


def _images(seed: int, shift: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    arrays = {}
    for name in ("a", "b"):
        labels = np.kron(random.integers(0, 4, size=(4, 4)), np.ones((9, 9), dtype=int))
        arrays[name] = sm.LabelArray(np.roll(labels, shift, axis=1), classes={1: 7, 2: "van"}, void=3)
    return arrays


TRUE, PRED, OTHER = _images(1, 0), _images(1, 2), _images(1, 3)


@pytest.fixture(scope="module")
def run() -> sm.Run:
    return sm.evaluate(TRUE, PRED, metrics="pq")


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """A file as the command line writes it, with some changes."""

    def write(change: Callable[[dict[str, Any]], None] = lambda _: None) -> Path:
        data = json.loads(json.dumps({"true": "t", "pred": "p", **sm.sensitivity(TRUE, PRED).to_dict()}))
        change(data)
        (tmp_path / "moved.json").write_text(json.dumps(data), encoding="utf-8")
        return tmp_path / "moved.json"

    return write


def test_the_numbers_are_those_of_sensitivity(run: sm.Run, written: Callable[..., Path]) -> None:
    sensitivity = sm.sensitivity(TRUE, PRED)
    facts = sensitivity_by_run([run], sensitivity)[0]
    assert (
        facts
        == sensitivity_by_run([run], written())[0]
        == report_data([run], sensitivity=sensitivity)[0]["runs"][0]["sensitivity"]
    )
    assert [rule for rule, _ in facts["rules"]] == list(sensitivity.rules) and list(facts["moves"]) == list(
        sensitivity.moves
    )
    for key in KEYS:
        for rule in sensitivity.rules:
            for move in ("base", *sensitivity.moves):
                expected = [
                    [sensitivity.value(rule, move, key, average=average, size=size) for average in AVERAGES]
                    + [sensitivity.change(rule, move, key, average=average, size=size) for average in AVERAGES]
                    for size in (None, *sensitivity.present_sizes)
                ]
                assert facts["values"][key][rule][move] == expected
    base = facts["values"]["pq"]["theta_plus"]["base"][0]
    assert base[0] == run.summary()["pq"]["by_item_of_classes"].value
    assert report_data([run])[0]["runs"][0]["sensitivity"] is None


@pytest.mark.parametrize("classes", ["match", "ignore"])
def test_a_run_file_and_masks_are_recognised_too(tmp_path: Path, classes: str) -> None:
    random = np.random.default_rng(5)
    true, pred = ({"x": sm.Masks.from_dense(random.random((3, 8, 8)) < 0.4)} for _ in range(2))
    options: dict[str, Any] = {"resolve": "assign", "classes": classes}
    sm.evaluate(true, pred, metrics="pq", out=tmp_path / "run.segm", **options)
    with sm.Run.open(tmp_path / "run.segm") as opened:
        assert list(sensitivity_by_run([opened], sm.sensitivity(true, pred, **options))) == [0]


def test_each_goes_with_its_own_run(run: sm.Run) -> None:
    runs = [run, sm.evaluate(TRUE, OTHER, metrics="pq")]
    both = [sm.sensitivity(TRUE, OTHER), sm.sensitivity(TRUE, PRED)]
    by_run = sensitivity_by_run(runs, both)
    assert by_run == {0: sensitivity_by_run([run], both[1])[0], 1: sensitivity_by_run([runs[1]], both[0])[0]}
    assert by_run[0] != by_run[1]
    assert list(sensitivity_by_run(runs, both[0])) == [1]
    with pytest.raises(InputError, match="second sensitivity of the same run"):
        sensitivity_by_run(runs, [both[0], both[0]])
    with pytest.raises(InputError, match="not computed from the inputs of any of the 2 runs"):
        sensitivity_by_run(runs, sm.sensitivity(TRUE, TRUE))


def _recoloured(side: dict[str, Any]) -> dict[str, Any]:
    return {name: sm.LabelArray(array.labels, classes={1: 7, 2: 7}, void=3) for name, array in side.items()}


@pytest.mark.parametrize(
    ("true", "pred", "options", "words"),
    [
        (TRUE, OTHER, {}, "the inputs of the run: segments or overlaps differ in item a, b;"),
        (_recoloured(TRUE), _recoloured(PRED), {}, "segments or overlaps differ in item a, b;"),
        ({"a": TRUE["a"]}, {"a": PRED["a"]}, {}, "it has no item b;"),
        ({**TRUE, "c": TRUE["a"]}, {**PRED, "c": PRED["a"]}, {}, "the run has no item c;"),
        (TRUE, PRED, {"policy": "coco"}, "policy is 'coco' there and 'strict-void' in the run; expected the same"),
        (TRUE, PRED, {"classes": "ignore"}, "classes is 'ignore' there and 'match' in the run"),
        (TRUE, PRED, {"undefined": 0}, "undefined is 0 there and None in the run"),
    ],
)
def test_a_stranger_is_rejected(run: sm.Run, true: Any, pred: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        sensitivity_by_run([run], sm.sensitivity(true, pred, **options))
    assert words in str(refused.value) and str(refused.value).startswith("sensitivity: not ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.pop("items"), "has no field 'items'; expected the output of 'segmetry sensitivity"),
        (lambda data: data.update(items=[1]), "items is not an object with a fingerprint for every item"),
        (lambda data: data.pop("policy"), "has no field 'policy'"),
        (lambda data: data["rows"].pop(0), "rows lack pq under theta_plus after base for all sizes"),
        (lambda data: data["rows"][0].update(by_item="0.5"), "by_item of pq is '0.5'; expected a number from -1 to 1"),
        (lambda data: data["rows"][0].update(by_item=10**400), "expected a number from -1 to 1, or null"),
        (lambda data: data["rows"][0].update(pooled=True), "pooled of pq is 'True'; expected a number"),
        (lambda data: data["rows"][0].update(key=[]), "rows[0] has a rule, move, size or key that is not a string"),
        (lambda data: data["rows"][0].pop("change_by_item"), "a row of pq has no field 'change_by_item'"),
        (lambda data: data.update(rules=[["theta_and"]]), "rules contains a value that is not a string"),
        (lambda data: data.update(moves={}), "contains no rules or no moves"),
    ],
)
def test_damaged_files(run: sm.Run, written: Callable[..., Path], change: Any, words: str) -> None:
    path = written(change)
    with pytest.raises(FormatError) as refused:
        sensitivity_by_run([run], path)
    assert words in str(refused.value) and str(refused.value).startswith(str(path))


def test_what_is_no_sensitivity(run: sm.Run, tmp_path: Path) -> None:
    with pytest.raises(KindError, match="sensitivity is a int; expected the result of"):
        sensitivity_by_run([run], 3)
    with pytest.raises(FormatError, match="cannot be read"):
        sensitivity_by_run([run], tmp_path / "none.json")
    (tmp_path / "nan.json").write_text('{"items": NaN}')
    with pytest.raises(FormatError, match="NaN"):
        sensitivity_by_run([run], tmp_path / "nan.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(FormatError, match="has no field 'items'; expected the output of"):
        sensitivity_by_run([run], tmp_path / "list.json")


def test_the_example_of_description() -> None:
    assert (_description("dilate", 2), _description("shift_1-", 2), _description("shift_0+", 3)) == (
        "grow 1 px",
        "left 1 px",
        "axis 0, forward 1 px",
    )
