"""Properties of an alignment: pairs beyond θ⁺, false hits, fairness, one-to-one [vanheusden2024sharper]."""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import Threshold
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.fairness import fairness
from segmetry.alignments.false_hits import additional_pairs as which_additional
from segmetry.alignments.false_hits import false_hits as which_false_hits
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

_CLAIM_4 = Spans.from_masses([3, 1]), Spans.from_masses([1, 3])
_FALSE_HIT = Spans.from_masses([7, 3]), Spans.from_masses([3, 7])
_SHARPER = ("vanheusden2024sharper",)


@metric(
    symbol=r"|TP^{\&}\setminus TP^{+}|",
    family="alignments",
    order=10,
    formula=r"|\{(t,h)\in TP : |t\cap h| \le |t\oplus h|\}|",
    summary="The number of matched pairs that would not be matched by IoU > 1/2.",
    citation=_SHARPER,
    bounds=(0, math.inf),
    better="neither",
    symmetric=True,
    pooled=True,
    is_count=True,
    value_if_equal=0,
    notes="Their IoU under majority overlap (rule='theta_and') is in (1/3, 1/2]; under the default rule, θ⁺, there are "
    "none.",
    examples=(Example(*_CLAIM_4, 1, {"rule": "theta_and"}),),
)
def additional_pairs(alignment: Alignment) -> Score:
    return Score.of("additional_pairs", int(np.count_nonzero(which_additional(alignment))), 1)


@metric(
    symbol="|FH|",
    family="alignments",
    formula=r"|\{(t,h)\in TP : \exists t'\ne t,\ \pi|t\cap h|\le|t'\cap h|,\ \pi|t\cap h|\le|t\setminus h|\}|",
    summary="The number of matched pairs whose pred overlaps another true segment almost as well.",
    citation=_SHARPER,
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
    is_count=True,
    value_if_equal=0,
    notes="The second condition uses |t \\ h|; the paper prints |t' \\ h|, which contradicts its own text and "
    "figure. "
    "For π ≥ 1/2 only additional pairs can be false hits: there are none under the default rule, θ⁺; use "
    "rule='theta_and'.",
    examples=(
        Example(*_FALSE_HIT, 1, {"rule": "theta_and"}),
        Example(*_FALSE_HIT, 0, {"rule": "theta_and", "pi": "0.76"}),
    ),
)
def false_hits(alignment: Alignment, *, pi: Threshold = "3/4") -> Score:
    return Score.of("false_hits", int(np.count_nonzero(which_false_hits(alignment, pi))), 1)


@metric(
    symbol="|FH|/|TP|",
    family="alignments",
    formula=r"\frac{|FH|}{|TP|}",
    summary="The share of matched pairs that are false hits.",
    citation=_SHARPER,
    better="lower",
    pooled=True,
    value_if_equal=0,
    notes="Undefined without a matched pair. Under the default rule, θ⁺, it is 0 for π ≥ 1/2; use rule='theta_and'.",
    examples=(Example(*_FALSE_HIT, 1, {"rule": "theta_and"}),),
)
def false_hit_fraction(alignment: Alignment, *, pi: Threshold = "3/4") -> Score:
    hits = int(np.count_nonzero(which_false_hits(alignment, pi)))
    return Score.of("false_hit_fraction", hits, alignment.n_pairs, "no matched pair")


@metric(
    symbol=r"\mathrm{fair}",
    family="alignments",
    formula=r"[\,TP\ \text{is one-to-one and no improvement of it has a mismatch}\,]",
    summary="1 if the alignment is one-to-one and leaves no better partner unmatched, else 0.",
    citation=_SHARPER,
    better="neither",
    symmetric=True,
    notes="The corrected reading of the theorem: aligned pairs overlap, improvements are tested against unmatched "
    "segments of the "
    "side they change. A one-to-one alignment is then fair exactly when all pairs satisfy θ&.",
    examples=(
        Example(*_CLAIM_4, 1),
        Example(Spans.from_masses([3, 3]), Spans.from_masses([5, 1]), 0, {"rule": "maximum_weight"}),
    ),
)
def fair(alignment: Alignment) -> Score:
    verdict = fairness(alignment)
    return Score.number("fair", float(verdict.fair), because=verdict.reason)


@metric(
    symbol="1{:}1",
    family="alignments",
    formula=r"[\,\text{no segment occurs in two pairs}\,]",
    summary="1 if the alignment is one-to-one, else 0.",
    citation=_SHARPER,
    better="neither",
    symmetric=True,
    notes="Checked on every alignment, never assumed: when segments overlap, no rule guarantees it.",
    examples=(Example(*_CLAIM_4, 1),),
)
def one_to_one(alignment: Alignment) -> Score:
    true_ids, pred_ids = alignment.clashes()
    return Score.number(
        "one_to_one", float(alignment.is_one_to_one), clashing_true=len(true_ids), clashing_pred=len(pred_ids)
    )
