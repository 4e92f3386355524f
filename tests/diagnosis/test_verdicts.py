"""The truth put right by verdicts: each is applied element by element, and the run is evaluated again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.verdicts import Verdicts, judged
from segmetry.errors import FormatError, InputError, OptionError
from tests.protocols.small_data_sets import small_data_set


def _sides() -> tuple[dict[str, Any], dict[str, Any]]:
    random = np.random.default_rng(4)
    sides: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for at in range(4):
        true = np.kron(random.integers(0, 8, (4, 6)), np.ones((4, 4), dtype=int))
        pred = np.where(random.random(true.shape) < 0.1, 0, np.roll(true, 1 + at, 1))
        pred = np.where(pred == 3, 4, np.where((pred == 5) & (np.arange(24) < 12), 9, pred))
        for side, labels in zip(sides, (true, pred), strict=True):
            side[f"i{at}"] = labels
    return sides


def _right(kind: str, true: Any, pred: Any, error: Any, *, unclear: bool) -> Any:
    truth, fresh = true.copy(), 500
    of_true, of_pred = np.isin(true, error.true_ids), np.isin(pred, error.pred_ids)
    if unclear:
        truth[of_pred if kind == "spurious" else of_true] = 255
    elif kind == "missed":
        truth[of_true] = 0
    elif kind == "spurious":
        truth[of_pred] = fresh
    elif kind == "split":
        for at, own in enumerate(error.pred_ids):
            truth[of_true & (pred == own)] = fresh + at
    elif kind == "merge":
        truth[of_true] = error.true_ids[0]
    else:
        truth[of_true] = 0
        truth[of_pred] = error.true_ids[0]
    return truth


@pytest.mark.parametrize("unclear", [False, True])
def test_a_verdict_puts_the_truth_right(*, unclear: bool) -> None:
    true, pred = _sides()
    run = sm.evaluate(_void(true), pred, metrics="pq", policy="coco")
    seen = set()
    for error in run.errors():
        if error.kind in seen:
            continue
        seen.add(error.kind)
        after = judged(run, Verdicts({(error.item, error.error): "unclear" if unclear else "label"}))
        truth = dict(true)
        truth[error.item] = _right(error.kind, true[error.item], pred[error.item], error, unclear=unclear)
        expected = sm.evaluate(_void(truth), pred, metrics="pq", policy="coco")
        assert after.scalars() == pytest.approx(expected.scalars()), error
    assert seen >= {"split", "merge", "missed", "spurious", "boundary"}


def _void(sides: dict[str, Any]) -> dict[str, Any]:
    return {name: sm.LabelArray(labels, void=255) for name, labels in sides.items()}


def test_a_part_takes_the_predicted_class(tmp_path: Path) -> None:
    true, pred = small_data_set("semantic")
    run = sm.evaluate(true, pred, protocol="semantic")
    every = [error for error in run.errors() if error.item == "item 1"]
    lines = ["item,error,verdict", *(f"{error.item},{error.error},label" for error in every)]
    (tmp_path / "verdicts.csv").write_text("\n".join(lines))
    after = run.rescore(verdicts=tmp_path / "verdicts.csv")
    expected = sm.evaluate({**true, "item 1": pred["item 1"]}, pred, protocol="semantic")
    assert after.value("mean_iou") == expected.value("mean_iou")
    words = Verdicts.read(tmp_path / "verdicts.csv").sentence(run, after)
    assert words.startswith(
        f"Of {len(every)} errors judged, {len(every)} are errors of the labels, 0 unclear; the other"
    )


def test_wrong_verdicts_are_named(tmp_path: Path) -> None:
    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 0]]}, metrics="pq")
    path = tmp_path / "v.csv"
    for text, words in (("item,error\n", "the columns are item,error"), ("item,error,verdict\na,t2,no\n", "line 2")):
        path.write_text(text)
        with pytest.raises(FormatError, match=words):
            run.rescore(verdicts=path)
    path.write_text("item,error,verdict\na,t9,label\n")
    with pytest.raises(InputError, match="item a: the run has no error 't9'"):
        run.rescore(verdicts=path)
    speech = sm.evaluate(*small_data_set("diarization"), protocol="diarization")
    with pytest.raises(OptionError, match="does not follow from overlaps alone"):
        judged(speech, Verdicts({}))
