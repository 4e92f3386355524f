"""Why segments have no partner: class confused, split, merged, or simply missed or spurious.

Everything follows from the pairs that may be aligned (one class where classes must agree, no crowd truth) with their
counted elements: s shared, m missed, p spurious. θ is the rule.

* **class**: t is missed, h is spurious, they differ in class, and θ(s, m, p) holds.
* **split**: h is a *fragment* of t if θ(s, 0, p) holds: it would match t were t no larger than what they share (for θ⁺
  and θ&: most of h is in t). It is spurious, or the partner of t. A true segment with two fragments or more is split.
* **merge**: the same with the sides exchanged: t is *swallowed* by h if θ(s, m, 0) holds and t is missed, or the
  partner of h. A pred that swallows two true segments or more merges them.
* **missed**, **spurious**: a segment without a partner that none of these explains.
* **boundary**: a matched pair with m + p > 0.

A rule that is one-to-one on disjoint segments accepts only pairs with s > m and s > p, so no segment is a fragment of
two others or swallowed by two.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray
from segmetry.alignments import (
    Alignment,
    Candidates,
    LocalRule,
    MatchRule,
    Policy,
    align,
    as_policy,
    as_rule,
    candidates_of,
    checked_classes,
    marks,
)
from segmetry.diagnosis.table_cells import TableCells
from segmetry.errors import OptionError
from segmetry.overlaps import OverlapTable

KINDS = ("class", "split", "merge", "missed", "spurious", "boundary")
"""The kinds of errors, in the order in which they are fixed one after the other."""

KIND_BITS = {kind: 1 << at for at, kind in enumerate((*KINDS, "matched"))}
"""A bit for every kind of error, and for a segment with a partner."""


class SegmentPairs(NamedTuple):
    """Positions of true and pred segments, pair by pair, and how many elements each pair shares."""

    true: IndexArray
    pred: IndexArray
    shared: IntArray


@dataclass(frozen=True)
class MatchSettings:
    """The rule, policy and treatment of classes under which errors are distinguished."""

    rule: LocalRule
    policy: Policy
    classes: str = "match"

    @classmethod
    def of(cls, rule: MatchRule | str | None, policy: Policy | str = "none", classes: str = "match") -> MatchSettings:
        """Return checked settings; the rule must decide on each pair alone and be one-to-one."""
        chosen_policy = as_policy(policy)
        chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
        if not isinstance(chosen_rule, LocalRule) or not chosen_rule.guarantees_one_to_one:
            raise OptionError(
                f"rule is {chosen_rule.name}; the error analysis needs a rule that decides on each pair alone and "
                "never gives a segment two partners, such as theta_and, theta_plus or iou(above=0.75)"
            )
        return cls(chosen_rule, chosen_policy, checked_classes(classes))

    def align(self, table: OverlapTable) -> Alignment:
        """Return the alignment of a table."""
        return align(table, self.rule, policy=self.policy, classes=self.classes)


@dataclass(frozen=True, eq=False)
class Reasons:
    """An alignment and its errors."""

    how: MatchSettings
    alignment: Alignment

    @classmethod
    def of(cls, table: OverlapTable, how: MatchSettings) -> Reasons:
        """Return the errors of a prediction."""
        return cls(how, how.align(table))

    @property
    def table(self) -> OverlapTable:
        return self.alignment.table

    @cached_property
    def cells(self) -> TableCells:
        """The cells of the table, which fixes assign to other segments."""
        return TableCells.of(self.table)

    @cached_property
    def _rule_candidates(self) -> Candidates:
        """The pairs that may match."""
        return candidates_of(self.table, self.how.policy, self.how.classes)[0]

    @cached_property
    def partner_of_true(self) -> IndexArray:
        """The position of each true segment's partner, -1 where it has none."""
        partner = np.full(len(self.table.true), -1, dtype=np.intp)
        partner[self.alignment.at_true] = self.alignment.at_pred
        return partner

    @cached_property
    def partner_of_pred(self) -> IndexArray:
        """The position of each pred segment's partner, -1 where it has none."""
        partner = np.full(len(self.table.pred), -1, dtype=np.intp)
        partner[self.alignment.at_pred] = self.alignment.at_true
        return partner

    @cached_property
    def confused(self) -> SegmentPairs:
        """Missed and spurious segments that would match if they were of one class."""
        table, how = self.table, self.how
        if how.classes == "ignore" or table.true.classes is None or table.pred.classes is None:
            no_positions = np.zeros(0, dtype=np.intp)
            return SegmentPairs(no_positions, no_positions, np.zeros(0, dtype=np.int64))
        pairs, _ = candidates_of(table, how.policy, "ignore")
        differ = table.true.classes[pairs.at_true] != table.pred.classes[pairs.at_pred]
        alone = self.alignment.missed_true[pairs.at_true] & self.alignment.spurious_pred[pairs.at_pred]
        rows = np.flatnonzero(differ & alone & how.rule.accepts(pairs.shared, pairs.missed, pairs.spurious))
        return SegmentPairs(pairs.at_true[rows], pairs.at_pred[rows], pairs.shared[rows])

    @cached_property
    def fragments(self) -> SegmentPairs:
        """True segments that are split, each with all its fragments; by true position, then pred position."""
        pairs = self._rule_candidates
        free = self.alignment.spurious_pred[pairs.at_pred] & ~self.alignment.ignored_true[pairs.at_true]
        mine = free | (self.partner_of_pred[pairs.at_pred] == pairs.at_true)
        mine &= self.how.rule.accepts(pairs.shared, np.zeros_like(pairs.missed), pairs.spurious)
        mine &= _has_several(pairs.at_true, mine, len(self.table.true))
        return SegmentPairs(pairs.at_true[mine], pairs.at_pred[mine], pairs.shared[mine])

    @cached_property
    def swallowed(self) -> SegmentPairs:
        """Pred segments that merge, each with all true segments it swallows; by true position."""
        pairs = self._rule_candidates
        free = self.alignment.missed_true[pairs.at_true] & ~self.alignment.ignored_pred[pairs.at_pred]
        mine = free | (self.partner_of_true[pairs.at_true] == pairs.at_pred)
        mine &= self.how.rule.accepts(pairs.shared, pairs.missed, np.zeros_like(pairs.spurious))
        mine &= _has_several(pairs.at_pred, mine, len(self.table.pred))
        return SegmentPairs(pairs.at_true[mine], pairs.at_pred[mine], pairs.shared[mine])

    def explained(self, kinds: Collection[str]) -> tuple[BoolArray, BoolArray]:
        """Return which true and which pred segments errors of these kinds (class, split, merge) explain."""
        true, pred = np.zeros(len(self.table.true), dtype=bool), np.zeros(len(self.table.pred), dtype=bool)
        for _, pairs in self._pairs_by_kind(kinds):
            true[pairs.true] = True
            pred[pairs.pred] = True
        return true, pred

    def _pairs_by_kind(self, kinds: Collection[str]) -> list[tuple[str, SegmentPairs]]:
        by_kind = {"class": "confused", "split": "fragments", "merge": "swallowed"}
        return [(kind, getattr(self, name)) for kind, name in by_kind.items() if kind in kinds]

    def not_explained(self, done: Collection[str]) -> tuple[BoolArray, BoolArray]:
        """Return missed true and spurious pred segments that no kind explains, except kinds fixed already."""
        true, pred = self.explained([kind for kind in KINDS[:3] if kind not in done])
        return self.alignment.missed_true & ~true, self.alignment.spurious_pred & ~pred

    @cached_property
    def imperfect(self) -> BoolArray:
        """Which matched pairs are not equal."""
        return (self.alignment.missed > 0) | (self.alignment.spurious > 0)

    def counts(self) -> dict[str, dict[str, int]]:
        """Count for every kind the errors, and the missed true and spurious pred segments it explains, each once.

        An error is a pair of confused classes, a split true segment, a pred segment that merges, a segment that
        nothing explains, a matched pair that is not equal.
        """
        missed, spurious = self.alignment.missed_true.copy(), self.alignment.spurious_pred.copy()
        counts: dict[str, dict[str, int]] = {}
        for kind, pairs in self._pairs_by_kind(KINDS):
            true, pred = marks(pairs.true, missed.size), marks(pairs.pred, spurious.size)
            errors = {"class": pairs.true.size, "split": true.sum(), "merge": pred.sum()}[kind]
            counts[kind] = _count_errors(errors, missed & true, spurious & pred)
            missed, spurious = missed & ~true, spurious & ~pred
        none = np.zeros(0, dtype=bool)
        counts["missed"] = _count_errors(missed.sum(), missed, none)
        counts["spurious"] = _count_errors(spurious.sum(), none, spurious)
        counts["boundary"] = _count_errors(self.imperfect.sum(), none, none)
        return counts

    def kinds_of_segments(self) -> tuple[IntArray, IntArray]:
        """Return the kinds of errors of every true and every pred segment, as sums of :data:`KIND_BITS`.

        A matched segment that is split, merges or is not equal to its partner has those bits besides ``matched``; a
        segment without a partner has the bits of all kinds that explain it, or ``missed`` or ``spurious``; one that is
        ignored has none. So the errors of a kind are as many as :meth:`counts` says: those of class, split, missed and
        boundary as true segments, those of merge and spurious as pred segments. (A fragment or a swallowed segment has
        the bit of its error on the other side.)
        """
        kinds = np.zeros(len(self.table.true), dtype=np.int64), np.zeros(len(self.table.pred), dtype=np.int64)
        for kind, pairs in self._pairs_by_kind(KINDS):
            kinds[0][pairs.true] |= KIND_BITS[kind]
            kinds[1][pairs.pred] |= KIND_BITS[kind]
        lost, extra = self.not_explained(())
        kinds[0][lost] |= KIND_BITS["missed"]
        kinds[1][extra] |= KIND_BITS["spurious"]
        of_pairs = KIND_BITS["matched"] + np.where(self.imperfect, KIND_BITS["boundary"], 0)
        kinds[0][self.alignment.at_true] |= of_pairs
        kinds[1][self.alignment.at_pred] |= of_pairs
        return kinds


def _has_several(at: IndexArray, chosen: BoolArray, count: int) -> BoolArray:
    """Return whether the segment of each pair occurs in at least two of the chosen pairs."""
    several: BoolArray = np.bincount(at[chosen], minlength=count)[at] >= 2
    return several


def _count_errors(errors: Any, missed: BoolArray, spurious: BoolArray) -> dict[str, int]:
    return {"errors": int(errors), "missed": int(missed.sum()), "spurious": int(spurious.sum())}
