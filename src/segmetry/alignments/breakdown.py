"""Break an alignment down by class, group of classes, segment size or a user-defined column.

A matched pair belongs to the part of its true segment. Every part is an alignment, parts have no pair and no segment
in common, and their tallies add up to the tally of the entire alignment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from segmetry._base import frozen_dataclass
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally
from segmetry.errors import ClassesError, InputError, OptionError
from segmetry.overlaps import OverlapTable, Side, sorted_names

PartNames = list[Hashable]


@runtime_checkable
class Breakdown(Protocol):
    """Assigns a label to every true and every pred segment of a table; None leaves the segment out."""

    @property
    def name(self) -> str: ...

    def labels(self, table: OverlapTable) -> tuple[PartNames, PartNames]: ...


@frozen_dataclass()
class ByClass:
    """Group segments by class.

    Parameters
    ----------
    name : str, default 'class'
        What the breakdown is called.
    """

    name: str = "class"

    def labels(self, table: OverlapTable) -> tuple[PartNames, PartNames]:
        """Return the class of every segment; raise if the table has no classes."""
        return _classes(table, table.true), _classes(table, table.pred)


@frozen_dataclass()
class ByGroup:
    """Group segments by group of classes, such as things and stuff; other classes are left out.

    Parameters
    ----------
    groups : mapping of str to classes
        The classes of each group.
    name : str, default 'group'
        What the breakdown is called.
    """

    groups: Mapping[str, Collection[Hashable]]
    name: str = "group"

    def labels(self, table: OverlapTable) -> tuple[PartNames, PartNames]:
        """Return the group of every segment's class."""
        group_of: dict[Hashable, Hashable] = {}
        for group, classes in self.groups.items():
            for name in classes:
                if name in group_of:
                    raise OptionError(f"class {name!r} is in the groups {group_of[name]!r} and {group!r}; expected one")
                group_of[name] = group
        true, pred = ByClass().labels(table)
        return [group_of.get(name) for name in true], [group_of.get(name) for name in pred]


@frozen_dataclass()
class BySize:
    """Group segments by size, in bins [0, e₁), [e₁, e₂), …, [eₙ, ∞); COCO's 32² and 96² by default.

    Parameters
    ----------
    edges : tuple of int, default (1024, 9216)
        The edges between the bins, ascending.
    names : tuple of str
        The names of the bins; by default from the edges.
    name : str, default 'size'
        What the breakdown is called.

    Examples
    --------
    >>> BySize().names, BySize((10,)).names
    (('small', 'medium', 'large'), ('< 10', '≥ 10'))
    """

    edges: tuple[int, ...] = (32**2, 96**2)
    names: tuple[str, ...] = ()
    name: str = "size"

    def __post_init__(self) -> None:
        edges = tuple(self.edges)
        increasing = all(low < high for low, high in zip((0, *edges), edges, strict=False))
        if not edges or not increasing or any(isinstance(e, bool) or not isinstance(e, int) for e in edges):
            raise OptionError(f"edges are {self.edges}; expected increasing positive integers, such as (1024, 9216)")
        # The dataclass is frozen.
        self.__dict__.update(edges=edges, names=tuple(self.names) or _bin_names(edges))
        if len(self.names) != len(edges) + 1 or len(set(self.names)) != len(self.names):
            raise OptionError(f"names are {self.names}; expected {len(edges) + 1} different names, one per bin")

    def labels(self, table: OverlapTable) -> tuple[PartNames, PartNames]:
        """Return the size bin of every segment."""
        return self._bins(table.true), self._bins(table.pred)

    def _bins(self, side: Side) -> PartNames:
        return [self.names[bisect_right(self.edges, size)] for size in side.sizes.tolist()]


@frozen_dataclass()
class ByColumn:
    """Group segments by a user-defined column: a label for every true and every pred id.

    Parameters
    ----------
    name : str
        What the breakdown is called.
    true : mapping of int to label
        The label of each true id.
    pred : mapping of int to label
        The label of each pred id.
    """

    name: str
    true: Mapping[int, Hashable]
    pred: Mapping[int, Hashable]

    def labels(self, table: OverlapTable) -> tuple[PartNames, PartNames]:
        """Return the label of every segment; raise if a segment has none."""
        return self._column(table.true, self.true, "true"), self._column(table.pred, self.pred, "pred")

    def _column(self, side: Side, values: Mapping[int, Hashable], side_name: str) -> PartNames:
        ids = side.ids.tolist()
        for segment in ids:
            if segment not in values:
                raise InputError(
                    f"{side_name}: segment {segment} has no value in column {self.name!r}; expected one per segment"
                )
        return [values[segment] for segment in ids]


def as_breakdown(by: str | Breakdown) -> Breakdown:
    """Return a breakdown, also from its name ``"class"`` or ``"size"``."""
    if by == "class":
        return ByClass()
    if by == "size":
        return BySize()
    if not isinstance(by, str) and isinstance(by, Breakdown):
        return by
    raise OptionError(f"by is {by!r}; expected 'class', 'size', or a ByClass, ByGroup, BySize or ByColumn")


def break_down(
    alignment: Alignment, by: str | Breakdown | Sequence[str | Breakdown] = "class"
) -> dict[Hashable, Alignment]:
    """Return the parts of an alignment by label, in a stable order; several breakdowns give tuples of labels.

    Parameters
    ----------
    alignment : Alignment
        The alignment to divide.
    by : str, breakdown or sequence of them, default 'class'
        ``'class'``, ``'size'``, or an object such as :class:`BySize`, :class:`ByGroup` or :class:`ByColumn`.

    Returns
    -------
    dict of label to Alignment
        The parts. Pairs belong to the part of their true segment, so a label that only matched pred segments have
        is left out.

    Examples
    --------
    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 1, 2, 0]], [[1, 1, 1, 0, 2]]))
    >>> break_down(alignment, BySize((2,)))  # doctest: +NORMALIZE_WHITESPACE
    {'< 2': Alignment(theta_plus, policy=none: 0 pairs, 1 missed, 1 spurious),
     '≥ 2': Alignment(theta_plus, policy=none: 1 pairs, 0 missed, 0 spurious)}
    """
    if isinstance(by, Sequence) and not isinstance(by, str):
        columns = [as_breakdown(part).labels(alignment.table) for part in by]
        true, pred = (_joined([column[side] for column in columns]) for side in (0, 1))
        order: tuple[Hashable, ...] = ()
    else:
        breakdown = as_breakdown(by)
        true, pred = breakdown.labels(alignment.table)
        order = breakdown.names if isinstance(breakdown, BySize) else ()
    unmatched = [label for label, matched in zip(pred, alignment.matched_pred.tolist(), strict=True) if not matched]
    present = {label for label in (*true, *unmatched) if label is not None}
    names = tuple(name for name in order if name in present) or sorted_names(present)
    code = {name: at for at, name in enumerate(names)}
    of_true, of_pred = (np.array([code.get(label, -1) for label in side], dtype=np.intp) for side in (true, pred))
    return {name: alignment.restricted(of_true == at, of_pred == at) for name, at in code.items()}


def class_tallies(alignment: Alignment) -> dict[Hashable, Tally]:
    """Return the tally of every class that occurs (a pair is of its true class); empty without classes."""
    table = alignment.table
    if table.class_names is None:
        return {}
    n = len(table.class_names)
    true, pred = table.true.class_codes, table.pred.class_codes
    code = true[alignment.at_true]
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(n + 1)).tolist()
    missed = np.bincount(true[alignment.missed_true], minlength=n).tolist()
    spurious = np.bincount(pred[alignment.spurious_pred], minlength=n).tolist()
    whole, tallies = alignment.tally, {}
    for at, name in enumerate(table.class_names):
        rows = order[starts[at] : starts[at + 1]]
        if rows.size or missed[at] or spurious[at]:
            counts = whole.shared[rows], whole.missed[rows], whole.spurious[rows]
            tallies[name] = Tally(*counts, missed[at], spurious[at], whole.rule, clash=whole.clash)
    return tallies


def _joined(columns: Sequence[PartNames]) -> PartNames:
    return [None if None in row else row for row in zip(*columns, strict=True)]


def _classes(table: OverlapTable, side: Side) -> PartNames:
    if table.class_names is None or side.classes is None:
        raise ClassesError("the segments have no classes; give classes= on both sides to break a score down by class")
    return [table.class_names[code] for code in side.classes.tolist()]


def _bin_names(edges: tuple[int, ...]) -> tuple[str, ...]:
    if edges == (32**2, 96**2):
        return ("small", "medium", "large")
    inner = (f"{low}–{high - 1}" for low, high in pairwise(edges))
    return (f"< {edges[0]}", *inner, f"≥ {edges[-1]}")
