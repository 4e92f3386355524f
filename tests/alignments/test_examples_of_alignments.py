"""Small examples of internal functions in alignments/."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import segmetry as sm
from segmetry.alignments.alignment import Pair
from segmetry.alignments.breakdown import as_breakdown, class_tallies
from segmetry.alignments.candidates import Candidates, as_rule, written_form
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.curves import attains_bound, iou_lower_bound, weights_above
from segmetry.alignments.heaviest_pairs import best_assignment
from segmetry.alignments.pair_errors import additional_pairs, false_hits, false_hits_up_to, largest_rival
from segmetry.alignments.policy import as_policy, policy_for, void_policy
from segmetry.alignments.rule_labels import rule_heading, rule_symbol
from segmetry.alignments.rules.assignment import _first_of_each
from segmetry.alignments.rules.local import attains_least_weight, iou, least_weight, theta_and, theta_plus
from segmetry.alignments.tally import add_tallies
from segmetry.alignments.weights import PairThreshold, argsort_descending, formula_of, quotient, weigh


def test_the_example_of_pair_tversky() -> None:
    pair = Pair(true_id=1, pred_id=1, shared=2, missed=1, spurious=3)
    assert [str(pair.tversky(a, b)) for a, b in ((1, 1), ("1/2", "1/2"), (0, 1), (1, 0))] == [
        "1/3",
        "1/2",
        "2/3",
        "2/5",
    ]


def test_the_example_of_as_breakdown() -> None:
    assert as_breakdown("size").name == "size"


def test_the_example_of_class_tallies() -> None:
    side = sm.LabelArray([1, 1, 2], classes={1: "sky", 2: "car"})
    assert (
        repr(class_tallies(sm.align(sm.overlap(side, side))))
        == "{'car': Tally(1 pairs, 0 missed, 0 spurious), 'sky': Tally(1 pairs, 0 missed, 0 spurious)}"
    )


def test_the_example_of_as_rule() -> None:
    assert (as_rule("iou(above=0.75)").name, as_rule("iou(at_least=0.5)").name) == (
        "iou(above=3/4)",
        "iou(at_least=1/2)",
    )


def test_the_example_of_written_form() -> None:
    assert (written_form("dice"), written_form("theta_and")) == ("dice(above=2/3) or dice(at_least=4/5)", "theta_and")


def test_the_example_of_countedoverlaps_of() -> None:
    assert CountedOverlaps.of(sm.overlap([[1, 1, 2]], [[1, 0, 0]])).pairs.missed.tolist() == [1]


def test_the_example_of_iou_lower_bound() -> None:
    rules = ("theta_plus", "theta_and", "dice(above=2/3)", "largest_overlap")
    assert [str(iou_lower_bound(as_rule(rule), "iou")) for rule in rules] == ["1/2", "1/3", "1/2", "0"]
    assert str(iou_lower_bound(as_rule("greedy(weight=dice, above=2/3)"), "dice")) == "2/3"


def test_the_example_of_attains_bound() -> None:
    assert [
        attains_bound(as_rule(rule), "iou") for rule in ("theta_plus", "iou(at_least=1/2)", "greedy(at_least=1/4)")
    ] == [False, True, True]


def test_the_example_of_weights_above() -> None:
    assert weights_above((np.array([2, 1]), np.array([3, 2])), Fraction(1, 2)).tolist() == [0.16666666666666666, 0.0]


def test_the_example_of_best_assignment() -> None:
    shared, missed, spurious = np.array([4, 3, 1]), np.array([1, 2, 9]), np.array([0, 0, 9])
    pairs = Candidates(np.array([0, 0, 1]), np.array([0, 1, 1]), shared, missed, spurious)
    assert best_assignment(pairs, "iou").tolist() == [0, 2]


def test_the_example_of_additional_pairs() -> None:
    table = sm.overlap(sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}]))
    assert additional_pairs(sm.align(table, "theta_and")).tolist() == [True]


def test_the_example_of_false_hits() -> None:
    table = sm.overlap(sm.Spans.from_masses([7, 3]), sm.Spans.from_masses([3, 7]))
    assert false_hits(sm.align(table, "theta_and")).tolist() == [True]


def test_the_example_of_false_hits_up_to() -> None:
    table = sm.overlap(sm.Spans.from_masses([7, 3]), sm.Spans.from_masses([3, 7]))
    assert repr(false_hits_up_to(sm.align(table, "theta_and"))) == "[Fraction(3, 4)]"


def test_the_example_of_largest_rival() -> None:
    assert largest_rival(sm.overlap([[1, 1, 2, 3]], [[1, 1, 1, 0]]), np.array([0, 1])).tolist() == [1, 2]


def test_the_example_of_as_policy() -> None:
    assert as_policy("coco").rule == "theta_plus"


def test_the_example_of_policy_for() -> None:
    assert policy_for(sm.overlap(sm.LabelArray([[1, 255]], void=255), [[1, 1]]), None).name == "strict-void"


def test_the_example_of_void_policy() -> None:
    assert (void_policy(has_void=True), void_policy(has_void=False)) == ("strict-void", "none")


def test_the_example_of_rule_symbol() -> None:
    assert (rule_symbol("theta_and"), rule_symbol("iou(above=3/4)")) == ("θ&", "iou(above=3/4)")


def test_the_example_of_rule_heading() -> None:
    assert (rule_heading("theta_and"), rule_heading("iou(at_least=3/4)"), rule_heading("largest_overlap")) == (
        "majority overlap (θ&)",
        "IoU ≥ 3/4",
        "largest_overlap",
    )
    assert (
        rule_heading("maximum_weight(weight=iou,above=0)"),
        rule_heading("maximum_weight(weight=dice,above=1/2)"),
    ) == ("best assignment, IoU", "best assignment, Dice > 1/2")


def test_the_example_of_first_of_each() -> None:
    assert [marks.tolist() for marks in _first_of_each(np.array([4, 4, 7]))] == [
        [True, False, True],
        [True, True, False],
    ]


def test_the_example_of_localrule_guarantees_one_to_one() -> None:
    assert (theta_and.guarantees_one_to_one, iou(above="0.49").guarantees_one_to_one) == (True, False)


def test_the_example_of_least_weight() -> None:
    assert (
        repr((least_weight(theta_and, "iou"), least_weight(theta_plus, "iou"), least_weight(theta_and, "dice")))
        == "(Fraction(1, 3), Fraction(1, 2), Fraction(1, 2))"
    )
    assert repr(least_weight(theta_and, "tversky(alpha=1, beta=3)")) == "Fraction(1, 5)"


def test_the_example_of_attains_least_weight() -> None:
    assert [attains_least_weight(rule, "iou") for rule in (theta_plus, iou(at_least=0.5), iou(at_least=1))] == [
        False,
        True,
        True,
    ]


def test_the_example_of_add_tallies() -> None:
    first, second = (sm.align(sm.overlap([[1, 1, 2]], pred)).tally for pred in ([[1, 1, 2]], [[3, 3, 0]]))
    assert repr(add_tallies([first, second])) == "Tally(3 pairs, 1 missed, 0 spurious)"


def test_the_example_of_formula_of() -> None:
    assert formula_of("tversky(alpha=1/2, beta=0.25)")[0](4, 4, 2) == (16, 24)


def test_the_example_of_quotient() -> None:
    assert repr(quotient("dice", np.array([2]), np.array([1]), np.array([1]))) == "(array([4]), array([6]))"


def test_the_example_of_weigh() -> None:
    assert weigh("iou", np.array([2]), np.array([1]), np.array([1])).tolist() == [0.5]


def test_the_example_of_argsort_descending() -> None:
    assert argsort_descending(np.array([1, 2, 3]), np.array([2, 4, 4])).tolist() == [2, 0, 1]


def test_the_example_of_pairthreshold_of() -> None:
    assert (str(PairThreshold.of("0.75", None)), str(PairThreshold.of(None, 1))) == ("above=3/4", "at_least=1")


def test_the_example_of_pairthreshold_admits() -> None:
    assert PairThreshold.of(None, "1/2").admits(np.array([1, 1]), np.array([2, 3])).tolist() == [True, False]
