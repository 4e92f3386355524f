"""Policies: how an alignment treats void elements and crowd segments. Every result names its policy."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, frozen_dataclass, sum_by
from segmetry.alignments.candidates import Candidates
from segmetry.errors import ClassesError, OptionError, UnknownNameError
from segmetry.overlaps import OverlapTable


@frozen_dataclass()
class Policy:
    """How void elements and crowd segments are treated.

    Parameters
    ----------
    name : str
        The name that results state.
    summary : str
        What it does, in a sentence.
    pred_void : bool, default False
        A pred's elements in the true void do not count as spurious.
    true_void : bool, default False
        A true segment's elements in the predicted void do not count as missed.
    drop_preds : bool, default False
        An unmatched pred of which more than half is ignored is not spurious.
    drop_trues : bool, default False
        An unmatched true segment of which more than half is ignored is not missed.
    crowd : bool, default False
        Crowd truth is neither matched nor missed, and preds of its class may overlap it.
    last_crowd : bool, default False
        Only the last crowd segment of its class that the data set lists for the item, as the COCO reference does.
    removes_void : bool, default False
        Void elements are removed from both sides first; segments that are entirely void disappear.
    rule : str, default 'theta_plus'
        The default rule.
    undefined : float, optional
        What the reference implementation has in place of 0/0.
    """

    name: str
    summary: str
    pred_void: bool = False
    true_void: bool = False
    drop_preds: bool = False
    drop_trues: bool = False
    crowd: bool = False
    last_crowd: bool = False
    removes_void: bool = False
    rule: str = "theta_plus"
    undefined: float | None = None

    @cached_property
    def ignores_segments(self) -> bool:
        """Whether some segments may be neither matched nor counted as an error."""
        return self.crowd or self.drop_preds or self.drop_trues or self.removes_void


COCO = Policy(
    "coco",
    "as the COCO panoptic reference: the union leaves out the pred's void elements, an unmatched pred that is "
    "more than half void or crowd of its class is dropped (of several crowd regions of a class the last one listed), "
    "crowd truth is neither matched nor missed",
    pred_void=True,
    drop_preds=True,
    crowd=True,
    last_crowd=True,
    undefined=0.0,
)
ALL_CROWDS = replace(
    COCO,
    name="coco-all-crowds",
    summary="as coco, but every crowd region of a class counts, not only the last one listed",
    last_crowd=False,
)

POLICIES = {
    policy.name: policy
    for policy in (
        Policy("none", "every element counts; void is treated as outside"),
        COCO,
        ALL_CROWDS,
        Policy(
            "torchmetrics",
            "as torchmetrics: the union leaves out void elements of both sides, unmatched segments that are more than "
            "half void are dropped on both sides",
            pred_void=True,
            true_void=True,
            drop_preds=True,
            drop_trues=True,
            undefined=0.0,
        ),
        Policy(
            "strict-void",
            "void elements are removed from both sides first; then every element counts",
            pred_void=True,
            true_void=True,
            removes_void=True,
        ),
    )
}


def as_policy(policy: Policy | str) -> Policy:
    """Return a policy, also from its name."""
    if isinstance(policy, Policy):
        return policy
    try:
        return POLICIES[policy]
    except KeyError:
        raise UnknownNameError(f"there is no policy {policy!r}; known: {', '.join(POLICIES)}") from None


def policy_for(table: OverlapTable, policy: Policy | str | None) -> Policy:
    """Return the stated policy; without one, void elements are removed where a table has any."""
    return as_policy(void_policy(has_void=table.has_void) if policy is None else policy)


def void_policy(*, has_void: bool) -> str:
    """Return the policy of segmentations without a protocol: a void label that is given is honoured."""
    return "strict-void" if has_void else "none"


def checked_classes(classes: str) -> str:
    """Return whether classes of a pair must agree, ``'match'``, or not, ``'ignore'``; raise for any other text."""
    if classes not in ("match", "ignore"):
        raise OptionError(f"classes is {classes!r}; expected 'match' or 'ignore'")
    return classes


def candidates_of(table: OverlapTable, policy: Policy, classes: str) -> tuple[Candidates, NDArray[np.intp]]:
    """Return the pairs that may be aligned, as the policy counts them, and their rows in the table."""
    allowed = allowed_rows(table, policy, classes)
    rows = np.arange(len(table), dtype=np.intp) if allowed is None else np.flatnonzero(allowed)
    at_true, at_pred, shared = table.row_true[rows], table.row_pred[rows], table.shared[rows]
    true_sizes, pred_sizes = counted_sizes(table, policy)
    return Candidates(at_true, at_pred, shared, true_sizes[at_true] - shared, pred_sizes[at_pred] - shared), rows


def allowed_rows(table: OverlapTable, policy: Policy, classes: str) -> NDArray[np.bool_] | None:
    """Return which rows of a table may be aligned, by their classes and as crowds; None for all of them."""
    allowed = None
    if checked_classes(classes) == "match" and table.true.classes is not None and table.pred.classes is not None:
        allowed = table.true.classes[table.row_true] == table.pred.classes[table.row_pred]
    if policy.crowd and table.true.crowd is not None:
        no_crowd = ~table.true.crowd[table.row_true]
        allowed = no_crowd if allowed is None else allowed & no_crowd
    return allowed


def counted_sizes(table: OverlapTable, policy: Policy) -> tuple[IntArray, IntArray]:
    """Return the sizes of all segments without the void elements the policy does not count."""
    true = table.true.sizes - table.true.void if policy.true_void else table.true.sizes
    pred = table.pred.sizes - table.pred.void if policy.pred_void else table.pred.sizes
    return true, pred


def ignored(
    table: OverlapTable,
    policy: Policy,
    matched_true: NDArray[np.bool_],
    matched_pred: NDArray[np.bool_],
    classes: str = "match",
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which true and pred segments are neither matched nor counted as an error."""
    ignored_true, ignored_pred = np.zeros(len(table.true), dtype=bool), np.zeros(len(table.pred), dtype=bool)
    if policy.crowd and table.true.crowd is not None:
        ignored_true |= table.true.crowd
    if policy.drop_trues:
        ignored_true |= ~matched_true & (2 * table.true.void > table.true.sizes)
    if policy.drop_preds:
        ignorable = table.pred.void + (_crowd_elements(table, policy, classes) if policy.crowd else 0)
        ignored_pred |= ~matched_pred & (2 * ignorable > table.pred.sizes)
    if policy.removes_void:
        true_sizes, pred_sizes = counted_sizes(table, policy)
        ignored_true |= true_sizes == 0
        ignored_pred |= pred_sizes == 0
    return ignored_true, ignored_pred


def _crowd_elements(table: OverlapTable, policy: Policy, classes: str) -> IntArray:
    """Count the elements of each pred in crowd segments of its class: all of them, or the last one listed."""
    if table.true.crowd is None:
        return np.zeros(len(table.pred), dtype=np.int64)
    counts = table.true.crowd
    if policy.last_crowd and table.true.superseded is not None:
        counts = counts & ~table.true.superseded
    rows = counts[table.row_true]
    if classes == "match":
        if table.true.classes is None or table.pred.classes is None:
            segment = int(table.true.ids[table.true.crowd][0]) if table.true.crowd.any() else None
            if segment is not None:
                raise ClassesError(
                    f"true: segment {segment} is a crowd but has no class, and a crowd applies only to preds "
                    "of its class; give classes= on both sides, or classes='ignore'"
                )
        else:
            rows = rows & (table.true.classes[table.row_true] == table.pred.classes[table.row_pred])
    return sum_by(table.row_pred[rows], table.shared[rows], len(table.pred))
