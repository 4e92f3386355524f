"""Agreement of several annotators against its definition, in fractions, over plain dictionaries."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import KindError
from segmetry.metrics.score import Score
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import annotated_items


def exact(score: Score) -> Fraction:
    assert score.numerator is not None
    assert score.denominator is not None
    return Fraction(score.numerator) / Fraction(score.denominator)


@given(items=annotated_items())
def test_the_coefficients_follow_their_definitions(items: Annotations) -> None:
    numerator, denominator = Fraction(0), Fraction(0)
    rates: list[Fraction] = []
    boundaries, gaps = dict.fromkeys(items.annotators, 0), 0
    for by_coder in items.items.values():
        for one, other in combinations(items.annotators, 2):
            b = sm.boundary_similarity(by_coder[one], by_coder[other])
            numerator, denominator = numerator + Fraction(b.numerator or 0), denominator + Fraction(b.denominator or 0)
        n = by_coder[items.annotators[0]].n
        gaps += n - 1
        for coder in items.annotators:
            boundaries[coder] += by_coder[coder].boundaries.size
            if n > 1:
                rates.append(Fraction(int(by_coder[coder].boundaries.size), n - 1))
    result = sm.agreement(items)
    assert result.observed.is_defined == (denominator > 0)
    if not denominator:
        return
    observed = numerator / denominator
    assert exact(result.observed) == observed
    expected_pi = (sum(rates) / len(rates)) ** 2
    products = [Fraction(boundaries[a] * boundaries[b], gaps**2) for a, b in combinations(items.annotators, 2)]
    expected_kappa = sum(products) / len(products)
    assert exact(result.bias) == expected_pi - expected_kappa
    for score, expected in ((result.pi, expected_pi), (result.kappa, expected_kappa)):
        assert score.is_defined == (expected != 1)
        if score.is_defined:
            assert exact(score) == (observed - expected) / (1 - expected)


@given(items=annotated_items())
def test_the_metrics_are_the_parts_of_the_whole(items: Annotations) -> None:
    result = sm.agreement(items, n_t=3, match="greedy")
    options = {key: {"n_t": 3, "match": "greedy"} for key in ("agreement_observed", "agreement_pi", "agreement_kappa")}
    scores = sm.score(items, metrics="agreement", options=options)
    for part in ("observed", "pi", "kappa", "bias"):
        assert scores[f"agreement_{part}"].to_dict() == getattr(result, part).to_dict()


def test_the_default_metrics_of_annotations_are_those_of_agreement() -> None:
    items = Annotations.from_masses({"text": {"Ann": [2, 2], "Bob": [1, 3]}})
    assert list(sm.score(items)) == ["agreement_observed", "agreement_pi", "agreement_kappa", "agreement_bias"]


def test_bias_is_not_zero_among_coders_who_agree_on_items_of_different_rates() -> None:
    same = {"dense": [1, 1, 1], "sparse": [9]}
    items = Annotations.from_masses({item: {"Ann": masses, "Bob": masses} for item, masses in same.items()})
    assert exact(sm.agreement_bias(items)) == Fraction(1, 2) ** 2 - Fraction(2, 10) ** 2


@pytest.mark.parametrize(
    ("masses", "reason"),
    [([3], "no annotator set a boundary"), ([1], "no item has two elements")],
)
def test_undefined_agreement_says_why(masses: list[int], reason: str) -> None:
    items = {"Ann": Spans.from_masses(masses), "Bob": Spans.from_masses(masses)}
    assert sm.agreement_pi(items).reason == sm.agreement_kappa(items).reason == reason


def test_boundaries_everywhere_leave_nothing_to_correct() -> None:
    items = {"Ann": Spans.from_masses([1, 1]), "Bob": Spans.from_masses([1, 1])}
    assert sm.agreement_observed(items).value == 1
    assert sm.agreement_kappa(items).reason == "every annotator set a boundary at every gap"


def test_metrics_of_two_segmentations_and_of_annotations_do_not_mix() -> None:
    line = Spans.from_masses([2, 2])
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        sm.agreement_pi(line, line)  # type: ignore[call-arg,arg-type]
    with pytest.raises(KindError, match="agreement_pi takes annotations; found spans"):
        sm.score(line, line, "agreement_pi")
    with pytest.raises(KindError, match="pk takes spans; found annotations"):
        sm.pk({"Ann": line, "Bob": line})
