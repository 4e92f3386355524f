"""A paired difference is over what both systems have, and a sentence names what it leaves out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import segmetry as sm
from segmetry.comparison import Comparison, Gate, failed_differences, verdict_sentence
from segmetry.comparison.comparison_tables import (
    better_word,
    comparison_markdown,
    differences_table,
    letter,
    lower_is_better,
    pairs_table,
)

TRUE = {"a": [[1, 1, 0, 0]], "b": [[0, 0, 0, 0]], "c": [[0, 2, 2, 2]]}
OLD = {"a": [[1, 0, 0, 0]], "b": [[0, 0, 0, 0]], "c": [[0, 2, 2, 0]]}
NEW = {"a": [[1, 1, 0, 0]], "b": [[0, 0, 1, 1]], "c": [[0, 2, 2, 0]]}
LEFT_OUT = "; the difference leaves out b (1) (no value of old)"


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Label 1 of case b is on neither side for the old system, which has no Dice there; the new one has Dice 0."""
    runs = {
        name: sm.evaluate(TRUE, pred, protocol="nnunet", engine="serial") for name, pred in (("old", OLD), ("new", NEW))
    }
    return sm.compare(runs, parts=True, resamples=200)


def test_the_difference_is_over_the_cases_that_both_have(comparison: Comparison) -> None:
    row = comparison.difference("dice")
    assert (row.first_value, row.second_value) == pytest.approx(((2 / 3 + 4 / 5) / 2, (1 / 2 + 4 / 5) / 2))
    assert row.value == pytest.approx((1 - 2 / 3) / 2), "of the cases that both have; of all it would be below 0"
    assert (row.first_lacks, row.second_lacks) == (("b (1)",), ())
    assert row.to_dict()["first_lacks"] == "b (1)"
    place = "class", "dice", "by_item"
    of_class = {row.name: row for row in comparison.differences if (row.level, row.key, row.average) == place}
    assert (of_class[1].value, of_class[1].first_lacks) == (pytest.approx(1 / 3), ("b",))
    assert (of_class[2].value, of_class[2].first_lacks) == (0, ())
    pooled = comparison.difference("dice", "by_class")
    assert pooled.value == pooled.second_value - pooled.first_value and not pooled.first_lacks, "counts are added"


def test_a_sentence_names_what_is_left_out(comparison: Comparison) -> None:
    sentence = verdict_sentence(comparison)
    assert sentence.endswith(f"{LEFT_OUT}.")
    assert "(p = 1.0000, too few for an interval)" in sentence, "which would be the values of the items"
    notes = differences_table(comparison, "old", "new").notes
    assert notes[0] == f"IoU (foreground mean), Dice (foreground mean){LEFT_OUT}"
    assert notes[1].endswith("; the difference leaves out b (no value of old)"), "of no class"
    assert pairs_table(comparison, "dice", "by_class_of_items").notes == [f"new − old{LEFT_OUT}"]
    assert "the difference leaves out b (1)" in comparison_markdown(comparison).replace("\\", "")


def test_a_gate_tests_the_paired_difference(comparison: Comparison) -> None:
    assert list(failed_differences(comparison, [Gate.parse("dice:0.01", ":")])) == [], "the new system is not worse"


def test_infinite_distances_have_no_difference_and_no_warning() -> None:
    true = {str(at): np.eye(4, dtype=int) for at in range(3)}
    empty = {name: np.zeros((4, 4), int) for name in true}
    some = {**empty, "0": true["0"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs = [sm.evaluate(true, pred, protocol="monai", engine="serial") for pred in (empty, some)]
        row = sm.compare(*runs, resamples=100).difference("class_hausdorff")
    assert row.first_value == np.inf and np.isnan(row.value)


def test_the_example_of_better_word() -> None:
    assert (better_word("pq"), better_word("n_missed"), better_word("sq_rvd")) == ("higher", "lower", "")


def test_the_example_of_lower_is_better() -> None:
    assert (lower_is_better(["pq", "n_missed", "n_spurious"]), lower_is_better(["pq"])) == (
        "Lower is better: n_missed, n_spurious.",
        "",
    )


def test_the_example_of_letter() -> None:
    assert (letter(0), letter(25), letter(26)) == ("A", "Z", "AA")


def test_the_example_of_comparison_markdown() -> None:
    import segmetry as sm

    true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 1]]}
    runs = {"base": sm.evaluate(true, true, metrics="sq"), "new": sm.evaluate(true, pred, metrics="sq")}
    assert (
        comparison_markdown(sm.compare(runs, resamples=100)).splitlines()[4]
        == "| sq (mean over items) ↑ | 1.0000 | 0.8333 | -0.1667 | -0.3333 to 0 | 1.0000 | 0/1/1 |"
    )
