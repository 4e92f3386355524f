"""Alignments given by the user: checked, scored, and judged by Definitions 1 to 3 of the paper."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.metrics.declare import METRICS
from tests.alignments.test_fairness import Family, Matching, families, improvements_of_truth, matchings


def given(pred: Family, true: Family, matching: Matching) -> sm.Alignment:
    pairs = [(true.index(t) + 1, pred.index(h) + 1) for h, t in matching.items()]
    return sm.overlap(sm.Sets(true), sm.Sets(pred)).align(pairs=pairs)


def test_mismatches_of_all_alignments_of_three_elements() -> None:
    """Definition 1 over sets: h without partner, t matched, |h ∩ t| at least the overlap of t with its partner."""
    found = 0
    for pred, true in product(families(3), repeat=2):
        for matching in matchings(pred, true):
            back = {t: h for h, t in matching.items()}
            expected = {
                ("pred", t, h) for t in back for h in pred if h not in matching and len(h & t) >= len(back[t] & t)
            } | {("true", t, h) for h in matching for t in true if t not in back and len(h & t) >= len(h & matching[h])}
            ours = sm.fairness(given(pred, true, matching)).mismatches
            assert {(one.side, true[one.true_id - 1], pred[one.pred_id - 1]) for one in ours} == expected
            for one in ours:
                t, h = true[one.true_id - 1], pred[one.pred_id - 1]
                partner = back[t] if one.side == "pred" else matching[h]
                family = pred if one.side == "pred" else true
                assert family[one.partner_id - 1] == partner
                assert one.shared == len(t & h) >= one.partner_shared == len(partner & (t if one.side == "pred" else h))
            found += len(expected)
    assert found > 100


@pytest.mark.slow
def test_improves_for_all_alignments_of_three_elements() -> None:
    universe = families(3)
    rng = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    for pred, true in product(universe, universe):
        for matching in matchings(pred, true):
            better = {
                (family, tuple(sorted(map(str, b.items())))) for family, b in improvements_of_truth(matching, universe)
            }
            for at in rng.integers(0, len(universe), 3):
                for other in matchings(pred, universe[at]):
                    expected = (universe[at], tuple(sorted(map(str, other.items())))) in better
                    if universe[at] == true:
                        continue  # both sides are the same then: either may be the one that is kept
                    ours = sm.improves(given(pred, universe[at], other), given(pred, true, matching))
                    assert ours is expected
                    back, own = ({t: h for h, t in one.items()} for one in (other, matching))
                    swapped = sm.improves(given(universe[at], pred, back), given(true, pred, own))
                    assert swapped is expected
                    seen[expected] += 1
    assert min(seen.values()) > 100


@pytest.mark.parametrize("kind", ["labels", "spans", "masks"])
def test_improves_looks_at_elements_and_not_at_counts(kind: str) -> None:
    """h = 0 1 2 3 shares two elements with each of two partners, but not the same two."""

    def made(start: int, stop: int) -> object:
        line = np.zeros(6, dtype=np.int64)
        line[start:stop] = 1
        return {
            "labels": lambda: sm.LabelArray(line),
            "spans": lambda: sm.Spans([start], [stop], 6),
            "masks": lambda: sm.Masks.from_dense(line[None, None] == 1),
        }[kind]()

    pred, first, second, larger = made(0, 4), made(0, 2), made(2, 6), made(0, 3)
    own, moved, grown = (sm.overlap(true, pred).align(pairs=[(1, 1)]) for true in (first, second, larger))
    assert own.shared.tolist() == moved.shared.tolist() == [2]
    assert not sm.improves(moved, own)
    assert sm.improves(grown, own)
    assert not sm.improves(own, grown)


def test_improves_needs_the_segmentations() -> None:
    alignment = sm.align(sm.OverlapTable.from_rows([(1, 1, 4)]), "theta_and")
    with pytest.raises(InputError, match="segmentations are unknown"):
        sm.improves(alignment, alignment)


def test_arrays_are_not_kept_by_their_table() -> None:
    true = np.array([[1, 1, 2]])
    table = sm.overlap(true, np.array([[1, 2, 2]]))
    assert table.segmentations is None
    pred = np.array([[1, 2, 2]])
    table = sm.overlap(true, pred)
    assert table.segmentations is not None
    del pred
    assert table.segmentations is None


@pytest.mark.parametrize("rule", ["theta_plus", "theta_and", "maximum_weight"])
def test_the_pairs_of_a_rule_given_back_have_the_same_scores(rule: str) -> None:
    rng = np.random.default_rng(5)
    labels = [np.repeat(np.repeat(rng.integers(0, 6, (6, 6)), 3, 0), 3, 1) for _ in range(2)]
    table = sm.overlap(*labels)
    own = table.align(rule)
    back = table.align(pairs=[(pair.true_id, pair.pred_id) for pair in own.pairs()])
    keys = [key for key, metric in METRICS.items() if metric.needs in ("alignment", "tally", "table", "overlaps")]
    scored = 0
    for key in keys:
        if metric_takes_no_own_alignment(key):
            continue
        try:
            expected = METRICS[key](own).value
        except sm.SegmetryError:
            continue
        assert METRICS[key](back).value == pytest.approx(expected, nan_ok=True), key
        scored += 1
    assert scored > 40


def metric_takes_no_own_alignment(key: str) -> bool:
    return key == "npq"  # α is the bound that the rule implies, and given pairs have none


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([(1, 1), (1, 1)], r"pairs\[1\] is \(1, 1\), as is pairs\[0\]; expected each pair once"),
        ([(7, 1)], r"there is no true segment 7; expected an id of table.true.ids"),
        ([(1, 7)], r"there is no pred segment 7; expected an id of table.pred.ids"),
        ([(1, 2)], r"pairs\[0\] is \(1, 2\): the segments share no element; expected segments that overlap"),
        ([1], r"pairs\[0\] is 1; expected \(true id, pred id\)"),
    ],
)
def test_pairs_are_checked(pairs: list[tuple[int, int]], words: str) -> None:
    table = sm.overlap([[1, 1, 2, 2]], [[1, 1, 2, 2]])
    with pytest.raises(InputError, match=words):
        table.align(pairs=pairs)


def test_pairs_of_two_classes_need_classes_ignored() -> None:
    true, pred = (sm.LabelArray([[1, 1]], classes={1: name}) for name in ("car", "bus"))
    table = sm.overlap(true, pred)
    with pytest.raises(InputError, match=r"classes='ignore' pairs them"):
        table.align(pairs=[(1, 1)])
    assert len(table.align(pairs=[(1, 1)], classes="ignore")) == 1


def test_a_rule_and_pairs_exclude_each_other() -> None:
    with pytest.raises(OptionError, match="exclude each other"):
        sm.overlap([[1]], [[1]]).align("theta_and", pairs=[(1, 1)])


def test_pairs_that_are_not_one_to_one_are_not_fair() -> None:
    verdict = sm.fairness(sm.overlap([[1, 1]], [[1, 2]]).align(pairs=[(1, 1), (1, 2)]))
    assert not verdict
    assert verdict.mismatches == ()
    assert "true [1]" in verdict.reason


def test_tversky_index_as_value_and_as_weight() -> None:
    rng = np.random.default_rng(11)
    table = sm.overlap(*(np.repeat(rng.integers(1, 5, 12), 4) for _ in range(2)))
    alignment = sm.align(table, "maximum_weight")
    for alpha, beta in ((1, 1), ("1/2", "1/2"), (0, 1), ("0.3", 2)):
        expected = []
        for pair in alignment.pairs():
            index = pair.shared / (pair.shared + Fraction(alpha) * pair.spurious + Fraction(beta) * pair.missed)
            assert pair.tversky(alpha, beta) == index
            expected.append(index)
        weight = f"tversky(alpha={alpha},beta={beta})"
        assert alignment.weights(weight).tolist() == [float(index) for index in expected]
        assert alignment.exact_total(weight) == sum(expected)
        assert sm.curves(alignment, weight=weight).exact_area("f1") == 2 * sum(expected) / (
            len(table.true) + len(table.pred)
        )
    assert alignment.exact_total("tversky(alpha=1,beta=1)") == alignment.exact_total("iou")
    assert alignment.exact_total("tversky(alpha=0.5, beta=1/2)") == alignment.exact_total("dice")


def test_tversky_weights_of_huge_segments_are_exact() -> None:
    table = sm.OverlapTable.from_rows([(1, 1, 2**60)], {1: 2**61}, {1: 2**61})
    alignment = table.align(pairs=[(1, 1)])
    assert alignment.exact_total("tversky(alpha=1/3,beta=1/7)") == Fraction(21, 31)


def test_an_unknown_weight_names_the_known_ones() -> None:
    with pytest.raises(sm.SegmetryError, match=r"no weight 'tverski'; known: iou.*tversky\(alpha=…,beta=…\)"):
        sm.curves([[1]], [[1]], weight="tverski")


def test_metrics_of_shapes_score_given_pairs() -> None:
    true, pred = np.array([[1, 1, 1, 1, 0, 2, 2, 0]] * 4), np.array([[0, 1, 1, 1, 1, 0, 2, 2]] * 4)
    table = sm.overlap(true, pred)
    keys = [key for key, metric in METRICS.items() if metric.needs == "geometry" and not metric.required_options]
    expected = {key: METRICS[key](true, pred, rule="theta_and") for key in keys if METRICS[key].takes("labels", 2)}
    found = {key: METRICS[key](table.align("theta_and")) for key in expected}
    assert {key: score.value for key, score in found.items()} == pytest.approx(
        {key: score.value for key, score in expected.items()}, nan_ok=True
    )
    assert len(found) > 5
    one = table.align(pairs=[(1, 1)])
    assert sm.hausdorff(one).details["pairs"] == 1
    assert sm.curves(one, weight="hausdorff").area() == pytest.approx(2 * (1 - 1 / 41**0.5) / 4)  # diagonal of 4 × 5
    del true
    with pytest.raises(sm.SegmetryError, match="needs the segmentations themselves"):
        sm.hausdorff(one)
