"""What a terminal shows: the sentence first, the answer bold, what stands around it dim, and no styles if unwanted."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.main import has_styles
from segmetry.report import found_sentence
from tests.cli.running import Runner

TRUE = {"a": np.array([[1, 1, 1, 2, 2, 2, 0, 3]]), "b": np.array([[1, 1, 0, 0, 2, 2, 2, 2]])}
PRED = {"a": np.array([[1, 1, 1, 2, 2, 0, 0, 0]]), "b": np.array([[1, 1, 0, 0, 2, 2, 2, 2]])}


def test_the_sentence_counts_the_pairs() -> None:
    pairs = [sm.align(sm.overlap(TRUE[item], PRED[item])) for item in TRUE]
    matched = sum(len(one) for one in pairs)
    mean = sum(float(pair.iou) for one in pairs for pair in one.pairs()) / matched
    run = sm.evaluate(TRUE, PRED, metrics="pq")
    assert (matched, f"{mean:.2f}") == (4, "0.92")
    assert found_sentence(run) == "Finds 80 % of the segments and draws them at a mean IoU of 0.92."
    assert found_sentence(sm.evaluate(TRUE, TRUE, metrics="pq")) == "Finds all 5 segments and draws each exactly."
    assert found_sentence(sm.evaluate(TRUE, {name: 0 * side for name, side in TRUE.items()}, metrics="pq")) is None
    assert found_sentence(sm.evaluate(TRUE, PRED, metrics="dice")) is None


def test_a_share_is_never_rounded_to_all_or_none() -> None:
    many = np.arange(1, 401)[None].repeat(2, 1)
    assert (found_sentence(sm.evaluate({"a": many}, {"a": np.where(many == 7, 0, many)})) or "").startswith(
        "Finds over 99 % of the segments"
    )
    assert (found_sentence(sm.evaluate({"a": many}, {"a": np.where(many == 7, many, 0)})) or "").startswith(
        "Finds under 1 % of the segments"
    )


def test_quiet_prints_nothing_and_gates_still_fail(segmetry: Runner, tmp_path: object) -> None:
    np.savez(f"{tmp_path}/t.npz", **TRUE)
    np.savez(f"{tmp_path}/p.npz", **PRED)
    call = ("score", f"{tmp_path}/t.npz", f"{tmp_path}/p.npz")
    assert segmetry(*call).out.startswith("Finds 80 % of the segments")
    done = segmetry(*call, "--quiet")
    assert (done.code, done.out) == (0, "")
    failed = segmetry(*call, "-q", "--fail-under", "pq=0.99")
    assert failed.code == 3 and failed.out == "" and "pq" in failed.err


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, None), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, None)],
)
def test_no_styles_if_they_are_not_wanted(
    environment: dict[str, str], expected: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_styles() is expected
