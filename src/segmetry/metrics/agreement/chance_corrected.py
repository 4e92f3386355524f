r"""Agreement of several annotators on boundaries, beyond chance [fournier2012segmentation, fournier2013evaluating].

Over all items and all pairs of annotators, with the numerators and denominators of boundary similarity. The expected
agreement of π assumes one common boundary rate [scott1955reliability, fleiss1971measuring], that of κ a rate for each
annotator [cohen1960coefficient]; their difference is the bias. All are computed in exact fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from segmetry.metrics.boundaries.boundary_edit import boundary_edits
from segmetry.metrics.boundaries.point_matching import Transpositions
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import Annotations

NO_BOUNDARY = "no annotator set a boundary"
NO_GAP = "no item has two elements"
_CITATION = ("fournier2012segmentation", "fournier2013evaluating")
_TWO_ANNOTATORS = Annotations.from_masses({"text": {"Ann": [4, 4, 5], "Bob": [5, 1, 2, 5]}})
_DECISIONS = (
    "Every annotator must annotate every item. n_t and match as for B. In a partial segmentation every maximal gap is "
    "read as a segment (P*). "
)


@dataclass(frozen=True)
class Agreement:
    """The four coefficients of one set of annotations."""

    observed: Score
    pi: Score
    kappa: Score
    bias: Score


def agreement(items: Any, *, n_t: int = 2, match: Transpositions = "optimal") -> Agreement:
    """Measure the agreement of several annotators.

    Parameters
    ----------
    items : Annotations or mapping
        item → annotator → Spans, or annotator → Spans for a single item.
    n_t : int, default 2
        The largest distance, plus one, over which a boundary may be transposed.
    match : {'optimal', 'greedy'}, default 'optimal'
        ``'optimal'`` takes the transpositions of least total cost, ``'greedy'`` those that segeval takes.

    Returns
    -------
    Agreement
        The observed agreement, π and κ, and the bias of the annotators.

    Examples
    --------
    >>> from segmetry import Spans
    >>> coefficients = agreement({"Ann": Spans.from_masses([5, 3, 5]), "Bob": Spans.from_masses([4, 4, 5])})
    >>> coefficients.observed.value, round(coefficients.pi.value, 6)
    (0.75, 0.742857)
    """
    annotations = Annotations.of(items)
    observed = _observed_rate(annotations, n_t=n_t, match=match)
    return Agreement(
        Score.of("agreement_observed", *observed, NO_BOUNDARY),
        _corrected_by("agreement_pi", observed, _one_rate(annotations)),
        _corrected_by("agreement_kappa", observed, _own_rates(annotations)),
        _bias_score(annotations),
    )


def _observed_rate(annotations: Annotations, *, n_t: int, match: Transpositions) -> tuple[Fraction, int]:
    similar, compared = Fraction(0), 0
    for by_annotator in annotations.items.values():
        for first, second in annotations.annotator_pairs:
            edits = boundary_edits(by_annotator[first], by_annotator[second], n_t=n_t, match=match)
            similar += edits.n_edits + edits.matched - edits.cost
            compared += edits.n_edits + edits.matched
    return similar, compared


def _one_rate(annotations: Annotations) -> Fraction | None:
    """Return the expected agreement of π; None without a gap."""
    rates = [
        Fraction(spans.boundaries.size, spans.n - 1)
        for by_annotator in annotations.items.values()
        for spans in by_annotator.values()
        if spans.n > 1
    ]
    return (sum(rates, Fraction(0)) / len(rates)) ** 2 if rates else None


def _own_rates(annotations: Annotations) -> Fraction | None:
    """Return the expected agreement of κ; None without a gap."""
    first = annotations.annotators[0]
    gaps = sum(max(by_annotator[first].n - 1, 0) for by_annotator in annotations.items.values())
    if not gaps:
        return None
    rates = {
        annotator: Fraction(
            sum(by_annotator[annotator].boundaries.size for by_annotator in annotations.items.values()), gaps
        )
        for annotator in annotations.annotators
    }
    products = [rates[a] * rates[b] for a, b in annotations.annotator_pairs]
    return sum(products, Fraction(0)) / len(products)


def _corrected_by(key: str, observed: tuple[Fraction, int], expected: Fraction | None) -> Score:
    similar, compared = observed
    if expected is None:
        return Score.undefined(key, NO_GAP)
    if compared == 0:
        return Score.undefined(key, NO_BOUNDARY)
    agreement_rate = similar / compared
    return Score.of(
        key,
        agreement_rate - expected,
        1 - expected,
        "every annotator set a boundary at every gap",
        observed=float(agreement_rate),
        expected=float(expected),
    )


def _bias_score(annotations: Annotations) -> Score:
    pooled, separate = _one_rate(annotations), _own_rates(annotations)
    if pooled is None or separate is None:
        return Score.undefined("agreement_bias", NO_GAP)
    return Score.of("agreement_bias", pooled - separate, 1)


_agreement_metric = partial(metric, citation=_CITATION, symmetric=True)


@_agreement_metric(
    order=10,
    formula=r"A_a = \frac{\sum_{i}\sum_{c<c'} \mathrm{num}\,B(c,c')}{\sum_{i}\sum_{c<c'} \mathrm{den}\,B(c,c')}",
    summary="The observed agreement of several annotators: boundary similarity pooled over all pairs of annotators "
    "and all items.",
    pooled=True,
    notes=_DECISIONS + "Undefined when no annotator set a boundary.",
    examples=(Example(_TWO_ANNOTATORS, None, 1 / 2),),
)
def agreement_observed(annotations: Annotations, *, n_t: int = 2, match: Transpositions = "optimal") -> Score:
    return Score.of("agreement_observed", *_observed_rate(annotations, n_t=n_t, match=match), NO_BOUNDARY)


@_agreement_metric(
    symbol=r"\pi^{*}",
    formula=r"\pi = \frac{A_a-A_e}{1-A_e},\quad A_e=\Big(\mathrm{mean}_{c,i}\,\frac{|\partial P_{ci}|}{n_i-1}\Big)^2",
    summary="The agreement of several annotators beyond what one common boundary rate would give by chance.",
    citation=(*_CITATION, "scott1955reliability", "fleiss1971measuring"),
    bounds=(-float("inf"), 1),
    notes=f"{_DECISIONS}The rate is a mean of the items' rates, as in segeval, not pooled over the items; items of one "
    "element have none. Undefined when no annotator set a boundary, or all set every boundary.",
    examples=(Example(_TWO_ANNOTATORS, None, 263 / 551),),
)
def agreement_pi(annotations: Annotations, *, n_t: int = 2, match: Transpositions = "optimal") -> Score:
    return _corrected_by("agreement_pi", _observed_rate(annotations, n_t=n_t, match=match), _one_rate(annotations))


@_agreement_metric(
    symbol=r"\kappa^{*}",
    formula=r"\kappa = \frac{A_a-A_e}{1-A_e},\quad "
    r"A_e=\mathrm{mean}_{c<c'}\,r_c r_{c'},\ r_c=\frac{\sum_i|\partial P_{ci}|}{\sum_i (n_i-1)}",
    summary="The agreement of several annotators beyond what the boundary rate of each annotator would give by chance.",
    citation=(*_CITATION, "cohen1960coefficient"),
    bounds=(-float("inf"), 1),
    notes=_DECISIONS + "Rates are pooled over the items. Undefined when no annotator set a boundary, or all set every "
    "boundary.",
    examples=(Example(_TWO_ANNOTATORS, None, 11 / 23),),
)
def agreement_kappa(annotations: Annotations, *, n_t: int = 2, match: Transpositions = "optimal") -> Score:
    return _corrected_by("agreement_kappa", _observed_rate(annotations, n_t=n_t, match=match), _own_rates(annotations))


@_agreement_metric(
    symbol=r"A_e^{\pi}-A_e^{\kappa}",
    formula=r"A_e^{\pi}-A_e^{\kappa}",
    summary="Annotator bias: how far the boundary rates of the annotators differ, as the difference of the agreements "
    "that π and κ expect by chance.",
    bounds=(-1, 1),
    better="neither",
    value_if_equal=None,
    notes="The two expectations average over items in different ways (see π and κ), so several items of different "
    "rates give a bias even among annotators who agree. In a partial segmentation every maximal gap is read as a "
    "segment (P*). Undefined without a gap.",
    examples=(Example(_TWO_ANNOTATORS, None, 1 / 576),),
)
def agreement_bias(annotations: Annotations) -> Score:
    return _bias_score(annotations)
