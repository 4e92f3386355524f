r"""Fair alignments: whether there is a better partner that the alignment overlooks (Definitions 1–3 of
[vanheusden2024sharper]).

An alignment is *fair* if no improvement of it contains a mismatch: an unmatched segment that overlaps a matched
one at least as much as its partner does. The theorem "all pairs satisfy θ& ⇔ one-to-one and fair" fails as
printed, in both directions:

* H = T = {1}|{2}, only ({1},{1}) aligned: θ& holds, but T' = {{1,2}} is an improvement in the literal sense
  whose other side has a mismatch;
* singletons aligned with permuted, disjoint singletons are fair without θ&, because there is nothing to improve.

It holds in the reading its proofs use: aligned pairs overlap, and an improvement that changes one side is
tested only against unmatched segments of that side. In that reading a one-to-one alignment is fair exactly when
every pair satisfies θ&, and a pair that violates it provides the witness: if |h \ t| ≥ |t∩h|, then z = h \ t
cut out of the truth is a segment that overlaps h at least as much as t does, and cutting it out changes no other
pair.

Properties of an alignment: pairs beyond θ⁺, false hits, fairness, one-to-one [vanheusden2024sharper].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from segmetry._base import Threshold
from segmetry.alignments import Alignment, Pair, additional_pairs as which_additional, false_hits as which_false_hits
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Ids, OverlapTable, Side
from segmetry.segmentation import Spans


@dataclass(frozen=True, eq=False)
class Witness:
    """Why an alignment is unfair: for this pair, a competing segment of ``competitor_size`` elements on ``side``.

    ``improved`` is the overlap table after the competitor (id ``competitor_id``) has been cut out of the
    segments of that side.
    """

    pair: Pair
    side: str
    competitor_id: int
    competitor_size: int
    improved: OverlapTable


@dataclass(frozen=True, eq=False)
class Fairness:
    """Whether an alignment is fair, and if not, why."""

    fair: bool
    reason: str
    witness: Witness | None = None

    def __bool__(self) -> bool:
        return self.fair


def fairness(alignment: Alignment) -> Fairness:
    """Decide whether an alignment is fair; the result for an unfair one-to-one alignment includes a witness.

    Parameters
    ----------
    alignment : Alignment
        The alignment to decide on.

    Returns
    -------
    Fairness
        Whether it is fair, and a witness if it is not.

    Examples
    --------
    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Sets([{1, 2, 3}, {4, 5, 6}]), sm.Sets([{1, 2, 3, 4, 5}, {6}]))
    >>> result = fairness(sm.align(table, "maximum_weight"))
    >>> result.fair, result.witness.side, result.witness.competitor_size
    (False, 'pred', 2)
    """
    if not alignment.is_one_to_one:
        true_ids, pred_ids = alignment.clashes()
        return Fairness(False, f"not one-to-one: true {true_ids} and pred {pred_ids} have several partners")
    for at, pair in enumerate(alignment.pairs()):
        row = int(alignment.rows[at])
        if pair.spurious >= pair.shared:
            return _unfair_because(pair, "true", *_cut_out(alignment.table, row))
        if pair.missed >= pair.shared:
            swapped = alignment.table.swapped()
            at_pair = (swapped.true_id == pair.pred_id) & (swapped.pred_id == pair.true_id)
            improved, competitor = _cut_out(swapped, int(np.flatnonzero(at_pair)[0]))
            return _unfair_because(pair, "pred", improved.swapped(), competitor)
    return Fairness(True, "every pair shares more than it misses and more than it adds (θ&)")


def _unfair_because(pair: Pair, side: str, improved: OverlapTable, competitor: int) -> Fairness:
    size = pair.spurious if side == "true" else pair.missed
    witness = Witness(pair, side, competitor, size, improved)
    kind = "spurious" if side == "true" else "missed"
    return Fairness(
        False,
        f"true {pair.true_id} and pred {pair.pred_id} share {pair.shared} elements, but the {size} {kind} elements "
        f"cut out of the {side} side would be a partner at least as good",
        witness,
    )


def _cut_out(table: OverlapTable, row: int) -> tuple[OverlapTable, int]:
    r"""Return the table after z = h \ t has become a true segment, for the pair (t, h) in this row; and its id."""
    pred = table.row_pred[row]
    others = np.flatnonzero((table.row_pred == pred) & (np.arange(len(table)) != row))
    size = int(table.pred.sizes[pred] - table.shared[row])
    true_sizes = table.true.sizes.copy()
    true_sizes[table.row_true[others]] -= table.shared[others]
    keep = np.setdiff1d(np.arange(len(table)), others)
    left = true_sizes > 0
    ids = table.true.ids[left]
    new_id = _unused_id(table.true.ids)
    place = int(np.searchsorted(ids, ids.dtype.type(new_id)))
    true = Side(
        ids=np.insert(ids, place, new_id),
        sizes=np.insert(true_sizes[left], place, size),
        outside=np.insert(table.true.outside[left], place, 0),
        void=np.insert(table.true.void[left], place, 0),
        disjoint=table.true.disjoint,
    )
    position = np.cumsum(left) - 1
    position[position >= place] += 1
    pred_outside, pred_void = table.pred.outside.copy(), table.pred.void.copy()
    pred_outside[pred] = pred_void[pred] = 0
    row_true = np.append(position[table.row_true[keep]], place)
    row_pred = np.append(table.row_pred[keep], pred)
    order = np.lexsort((row_pred, row_true))
    improved = replace(
        table,
        true=true,
        pred=replace(table.pred, outside=pred_outside, void=pred_void, classes=None),
        row_true=row_true[order],
        row_pred=row_pred[order],
        shared=np.append(table.shared[keep], size)[order],
        class_names=None,
    )
    return improved, new_id


def _unused_id(ids: Ids) -> int:
    """Return the id after the last one, or the smallest unused id if the last one is the maximum.

    >>> _unused_id(np.array([3, 7])), _unused_id(np.array([1, 2**63 - 1]))
    (8, 2)
    """
    if int(ids[-1]) < np.iinfo(ids.dtype).max:
        return int(ids[-1]) + 1
    used = set(ids.tolist())
    return next(number for number in range(1, len(used) + 2) if number not in used)


_CLAIM_4 = Spans.from_masses([3, 1]), Spans.from_masses([1, 3])
_FALSE_HIT = Spans.from_masses([7, 3]), Spans.from_masses([3, 7])
_alignment_fact = partial(metric, family="alignments", citation="vanheusden2024sharper")


@_alignment_fact(
    symbol=r"|TP^{\&}\setminus TP^{+}|",
    order=10,
    formula=r"|\{(t,h)\in TP : |t\cap h| \le |t\oplus h|\}|",
    summary="The number of matched pairs that would not be matched by IoU > 1/2.",
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


@_alignment_fact(
    symbol="|FH|",
    formula=r"|\{(t,h)\in TP : \exists t'\ne t,\ \pi|t\cap h|\le|t'\cap h|,\ \pi|t\cap h|\le|t\setminus h|\}|",
    summary="The number of matched pairs whose pred overlaps another true segment almost as well.",
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
    is_count=True,
    notes="The second condition uses |t \\ h|; the paper prints |t' \\ h|, which contradicts its own text and figure. "
    "For π ≥ 1/2 only additional pairs can be false hits: there are none under the default rule, θ⁺; use "
    "rule='theta_and'.",
    examples=(
        Example(*_FALSE_HIT, 1, {"rule": "theta_and"}),
        Example(*_FALSE_HIT, 0, {"rule": "theta_and", "pi": "0.76"}),
    ),
)
def false_hits(alignment: Alignment, *, pi: Threshold = "3/4") -> Score:
    return Score.of("false_hits", int(np.count_nonzero(which_false_hits(alignment, pi))), 1)


@_alignment_fact(
    symbol="|FH|/|TP|",
    formula=r"\frac{|FH|}{|TP|}",
    summary="The share of matched pairs that are false hits.",
    better="lower",
    pooled=True,
    notes="Undefined without a matched pair. Under the default rule, θ⁺, it is 0 for π ≥ 1/2; use rule='theta_and'.",
    examples=(Example(*_FALSE_HIT, 1, {"rule": "theta_and"}),),
)
def false_hit_fraction(alignment: Alignment, *, pi: Threshold = "3/4") -> Score:
    hits = int(np.count_nonzero(which_false_hits(alignment, pi)))
    return Score.of("false_hit_fraction", hits, alignment.n_pairs, "no matched pair")


@_alignment_fact(
    symbol=r"\mathrm{fair}",
    formula=r"[\,TP\ \text{is one-to-one and no improvement of it has a mismatch}\,]",
    summary="1 if the alignment is one-to-one and leaves no better partner unmatched, else 0.",
    better="neither",
    symmetric=True,
    notes="The corrected reading of the theorem: aligned pairs overlap, improvements are tested against unmatched "
    "segments of the side they change. A one-to-one alignment is then fair exactly when all pairs satisfy θ&.",
    examples=(
        Example(*_CLAIM_4, 1),
        Example(Spans.from_masses([3, 3]), Spans.from_masses([5, 1]), 0, {"rule": "maximum_weight"}),
    ),
)
def fair(alignment: Alignment) -> Score:
    verdict = fairness(alignment)
    return Score.number("fair", float(verdict.fair), because=verdict.reason)


@_alignment_fact(
    symbol="1{:}1",
    formula=r"[\,\text{no segment occurs in two pairs}\,]",
    summary="1 if the alignment is one-to-one, else 0.",
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
