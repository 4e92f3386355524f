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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from segmetry._base import Threshold
from segmetry.alignments import (
    Alignment,
    Pair,
    additional_pairs as which_additional,
    candidates_of,
    false_hits as which_false_hits,
)
from segmetry.errors import InputError
from segmetry.geometry import shapes_of
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Ids, OverlapTable, Side, overlap
from segmetry.segmentation import Segmentation, Sets, Spans


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


@dataclass(frozen=True)
class Mismatch:
    """A pair that the alignment overlooks: the segment of ``side`` has no partner, and shares at least as much with the
    other one as that one's partner, ``partner_id``, does.
    """

    true_id: int
    pred_id: int
    shared: int
    side: str
    partner_id: int
    partner_shared: int


@dataclass(frozen=True, eq=False)
class Fairness:
    """Whether an alignment is fair, and if not, why."""

    fair: bool
    reason: str
    witness: Witness | None = None
    mismatches: tuple[Mismatch, ...] = ()
    """The mismatches of the alignment as it is (Definition 1), before any improvement."""

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
        Whether it is fair (Definition 3), a witness if it is not, and the mismatches that it has as it is (Definition
        1).

    Examples
    --------
    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Sets([{1, 2, 3}, {4, 5, 6}]), sm.Sets([{1, 2, 3, 4, 5}, {6}]))
    >>> result = fairness(sm.align(table, "maximum_weight"))
    >>> result.fair, result.witness.side, result.witness.competitor_size
    (False, 'pred', 2)

    The example of the paper: H', {1, 2, 3}, {4, 5} and {6}, is an improvement of this H, and it has a mismatch.

    >>> better = sm.overlap(sm.Sets([{1, 2, 3}, {4, 5, 6}]), sm.Sets([{1, 2, 3}, {4, 5}, {6}])).align(
    ...     pairs=[(1, 1), (2, 3)]
    ... )
    >>> fairness(better).mismatches
    (Mismatch(true_id=2, pred_id=2, shared=2, side='pred', partner_id=3, partner_shared=1),)
    """
    found = tuple(_mismatches(alignment)) if alignment.is_one_to_one else ()
    return replace(_verdict(alignment), mismatches=found)


def improves(better: Alignment, alignment: Alignment) -> bool:
    """Decide whether an alignment is an improvement of another (Definition 2): one side is the same, with the same
    segments aligned, and each shares with its partner at least the elements that it shared before.

    Parameters
    ----------
    better : Alignment
        The alignment that may be an improvement.
    alignment : Alignment
        The alignment that it may improve. Both are one-to-one, of tables that :func:`segmetry.overlap` counted, and
        what was counted is still in memory.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> import segmetry as sm
    >>> true, pred = sm.Sets([{1, 2, 3}, {4, 5, 6}]), sm.Sets([{1, 2, 3, 4, 5}, {6}])
    >>> cut = sm.Sets([{1, 2, 3}, {4, 5}, {6}])
    >>> own, better = (sm.overlap(true, side).align(pairs=[(1, 1), (2, len(side.segments))]) for side in (pred, cut))
    >>> improves(better, own), improves(own, better)
    (True, True)
    >>> improves(sm.overlap(true, cut).align(pairs=[(1, 1), (2, 2)]), own)
    False
    """
    sides = []
    for one in (alignment, better):
        found = one.table.segmentations
        if found is None or not one.is_one_to_one:
            raise InputError(
                f"{one} is not one-to-one, or its segmentations are unknown; expected one-to-one alignments of tables "
                "from segmetry.overlap(true, pred), with true and pred still in memory"
            )
        sides.append((found.true, found.pred))
    pairs = [[(pair.true_id, pair.pred_id) for pair in one.pairs()] for one in (alignment, better)]
    return any(
        _same_segments(sides[0][kept], sides[1][kept])
        and {pair[kept] for pair in pairs[0]} == {pair[kept] for pair in pairs[1]}
        and _shares_as_much(sides, pairs, kept)
        for kept in (1, 0)
    )


def _same_segments(first: Segmentation, second: Segmentation) -> bool:
    """Return whether two segmentations are of one domain and have the same segments under the same ids."""
    if first is second:
        return True
    if first.kind != second.kind or first.domain != second.domain:
        return False
    table = overlap(first, second)
    ids, sizes = table.true.ids.tolist(), table.true.sizes.tolist()
    return table.pred.ids.tolist() == ids and list(table.rows()) == list(zip(ids, ids, sizes, strict=True))


def _shares_as_much(
    sides: Sequence[tuple[Segmentation, Segmentation]], pairs: Sequence[list[tuple[int, int]]], kept: int
) -> bool:
    """Return whether every segment of the side that is kept shares with its new partner what it shared before."""
    partners = [{pair[kept]: pair[1 - kept] for pair in listed} for listed in pairs]
    own, old, new = sides[0][kept], sides[0][1 - kept], sides[1][1 - kept]
    at = {segment: (segment, partners[0][segment], partners[1][segment]) for segment in partners[0]}
    if isinstance(own, Sets) and isinstance(old, Sets) and isinstance(new, Sets):
        return all(own.segments[h] & old.segments[t] <= new.segments[u] for h, t, u in at.values())
    order = np.array(list(at.values()), dtype=np.int64).reshape(-1, 3)
    shapes = [shapes_of(side, order[:, column]) for column, side in enumerate((own, old, new))]
    for place in range(len(order)):
        box = shapes[0].boxes[place]
        h, t, u = (side.crop(place, box) for side in shapes)
        if (h & t & ~u).any():
            return False
    return True


def _mismatches(alignment: Alignment) -> Iterator[Mismatch]:
    """Yield the mismatches of Definition 1, of the predicted and then of the true side, in the order of the table."""
    table = alignment.table
    _, rows = candidates_of(table, alignment.policy, alignment.classes)
    ids = table.true_id, table.pred_id
    for side, free, own, other in (("pred", alignment.spurious_pred, 1, 0), ("true", alignment.missed_true, 0, 1)):
        positions = (table.row_true, table.row_pred)
        partner = {int(positions[other][row]): int(row) for row in alignment.rows}
        for row in rows[free[positions[own][rows]]].tolist():
            matched = partner.get(int(positions[other][row]))
            if matched is not None and table.shared[row] >= table.shared[matched]:
                shared = int(table.shared[row]), int(table.shared[matched])
                pair = int(ids[0][row]), int(ids[1][row])
                yield Mismatch(*pair, shared[0], side, int(ids[own][matched]), shared[1])


def _verdict(alignment: Alignment) -> Fairness:
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
    """Return the id after the last one, or the smallest unused id if the last one is the maximum."""
    if int(ids[-1]) < np.iinfo(ids.dtype).max:
        return int(ids[-1]) + 1
    used = set(ids.tolist())
    return next(number for number in range(1, len(used) + 2) if number not in used)


_CLAIM_4 = Spans.from_masses([3, 1]), Spans.from_masses([1, 3])
_FALSE_HIT = Spans.from_masses([7, 3]), Spans.from_masses([3, 7])
_RULE = "By default the pairs are those of majority overlap (rule='theta_and')."
_alignment_fact = partial(metric, family="alignments", citation="vanheusden2024sharper")


@_alignment_fact(
    symbol=r"|TP^{\&}\setminus TP^{+}|",
    order=10,
    formula=r"|\{(t,h)\in TP : |t\cap h| \le |t\oplus h|\}|",
    summary="The number of matched pairs that would not be matched by IoU > 1/2.",
    better="neither",
    symmetric=True,
    pooled=True,
    is_count=True,
    value_if_equal=0,
    default_rule="theta_and",
    notes=f"{_RULE} Their IoU is in (1/3, 1/2]; under θ⁺ there are none.",
    examples=(Example(*_CLAIM_4, 1), Example(*_CLAIM_4, 0, {"rule": "theta_plus"})),
)
def additional_pairs(alignment: Alignment) -> Score:
    return Score.of("additional_pairs", int(np.count_nonzero(which_additional(alignment))), 1)


@_alignment_fact(
    symbol="|FH|",
    formula=r"|\{(t,h)\in TP : \exists t'\ne t,\ \pi|t\cap h|\le|t'\cap h|,\ \pi|t\cap h|\le|t\setminus h|\}|",
    summary="The number of matched pairs whose pred overlaps another true segment almost as well.",
    better="lower",
    pooled=True,
    is_count=True,
    default_rule="theta_and",
    notes=f"{_RULE} The second condition uses |t \\ h|; the paper prints |t' \\ h|, which contradicts its own text and "
    "figure. For π ≥ 1/2 only additional pairs can be false hits: there are none under θ⁺.",
    examples=(
        Example(*_FALSE_HIT, 1),
        Example(*_FALSE_HIT, 0, {"pi": "0.76"}),
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
    default_rule="theta_and",
    notes=f"{_RULE} Undefined without a matched pair. Under θ⁺ it is 0 for π ≥ 1/2.",
    examples=(Example(*_FALSE_HIT, 1),),
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
    verdict = _verdict(alignment)
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
