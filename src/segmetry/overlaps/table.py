"""The overlap table: how many elements each true and predicted segment share, the basis of all metrics."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, frozen_dataclass
from segmetry.errors import ClassesError, InputError
from segmetry.results import SHOWN, Exported, ResultTable, ShownAsTable, Table
from segmetry.segmentation import Segmentation, SegmentationPair

if TYPE_CHECKING:
    from segmetry.alignments import Alignment
    from segmetry.overlaps.class_table import ClassTable

Ids = NDArray[np.integer[Any]]

HOW_DISJOINT = {
    "true": "true.painted() paints masks with scores= in descending order of score",
    "pred": "resolve='by_score' paints masks in descending order of score",
}
"""How overlapping segments of a side become disjoint."""

_HEAD = ("true id", "pred id", "shared", "missed", "spurious")


@frozen_dataclass(eq=False)
class Side:
    """The segments of one side, sorted by id.

    ``outside`` and ``void`` count, for each segment, its elements that are outside, or void, on the other side.
    ``superseded`` marks the crowd segments after which the data set lists another one of the same class; None if there
    are none.
    """

    ids: Ids
    sizes: IntArray
    outside: IntArray
    void: IntArray
    classes: IntArray | None = None
    crowd: NDArray[np.bool_] | None = None
    superseded: NDArray[np.bool_] | None = None
    disjoint: bool = True

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def class_codes(self) -> IntArray:
        """The position of each segment's class in the class names of the table; 0 for segments without classes."""
        return np.zeros(len(self), dtype=np.int64) if self.classes is None else self.classes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Side):
            return NotImplemented
        return self.disjoint == other.disjoint and all(
            _same(getattr(self, field), getattr(other, field))
            for field in ("ids", "sizes", "outside", "void", "classes", "crowd", "superseded")
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


class BackgroundCounts(NamedTuple):
    """Numbers of elements in no segment of either side, named by the truth first, then the prediction."""

    outside_outside: int = 0
    outside_void: int = 0
    void_outside: int = 0
    void_void: int = 0


@frozen_dataclass(eq=False)
class OverlapTable(Exported, ShownAsTable):
    """The sparse rows (true segment, pred segment, shared elements) and the sizes of all segments.

    Rows are sorted by true id, then pred id; ``row_true`` and ``row_pred`` are positions in ``true.ids`` and
    ``pred.ids``. ``a + b`` is the table of two blocks of one domain: exact, commutative,
    associative.
    """

    true: Side
    pred: Side
    row_true: NDArray[np.intp]
    row_pred: NDArray[np.intp]
    shared: IntArray
    background: BackgroundCounts
    n_elements: int
    class_names: tuple[Hashable, ...] | None = None

    def __len__(self) -> int:
        return int(self.shared.size)

    @property
    def true_id(self) -> Ids:
        """The true id of every row."""
        return self.true.ids[self.row_true]

    @property
    def pred_id(self) -> Ids:
        """The pred id of every row."""
        return self.pred.ids[self.row_pred]

    @property
    def missed(self) -> IntArray:
        r"""|t \ h| of every row."""
        return self.true.sizes[self.row_true] - self.shared

    @property
    def spurious(self) -> IntArray:
        r"""|h \ t| of every row."""
        return self.pred.sizes[self.row_pred] - self.shared

    @property
    def is_disjoint(self) -> bool:
        """Whether neither side has overlapping segments."""
        return self.true.disjoint and self.pred.disjoint

    @cached_property
    def has_void(self) -> bool:
        """Whether an element is void on either side."""
        in_segments = self.true.void.any() or self.pred.void.any()
        return bool(in_segments or sum(self.background) > self.background.outside_outside)

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield (true id, pred id, shared) as Python integers."""
        yield from zip(self.true_id.tolist(), self.pred_id.tolist(), self.shared.tolist(), strict=True)

    def records(self) -> Table:
        """Return one row per true and predicted segment that share elements."""
        return Table("overlaps", [dict(zip(("true_id", "pred_id", "shared"), row, strict=True)) for row in self.rows()])

    def swapped(self) -> OverlapTable:
        """Return the table with the two sides exchanged.

        >>> import segmetry as sm
        >>> list(sm.overlap([[1, 1, 2]], [[7, 8, 8]]).swapped().rows())
        [(7, 1, 1), (8, 1, 1), (8, 2, 1)]
        """
        order = np.lexsort((self.row_true, self.row_pred))
        corner = self.background
        return replace(
            self,
            true=self.pred,
            pred=self.true,
            row_true=self.row_pred[order],
            row_pred=self.row_true[order],
            shared=self.shared[order],
            background=BackgroundCounts(
                corner.outside_outside, corner.void_outside, corner.outside_void, corner.void_void
            ),
        )

    def __add__(self, other: OverlapTable) -> OverlapTable:
        from segmetry.overlaps.merge_tables import merge

        if not isinstance(other, OverlapTable):
            return NotImplemented
        return merge([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OverlapTable):
            return NotImplemented
        return (
            self.n_elements == other.n_elements
            and self.background == other.background
            and self.class_names == other.class_names
            and self.true == other.true
            and self.pred == other.pred
            and all(_same(getattr(self, f), getattr(other, f)) for f in ("row_true", "row_pred", "shared"))
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"OverlapTable({len(self)} rows, {len(self.true)} true and {len(self.pred)} pred segments, "
            f"{self.n_elements} elements)"
        )

    def _as_table(self) -> ResultTable:
        return ResultTable.of_rows(repr(self), _HEAD, self._first_rows(), len(self))

    def _first_rows(self) -> Iterator[tuple[int, ...]]:
        columns = (self.true_id, self.pred_id, self.shared, self.missed, self.spurious)
        yield from zip(*(column[:SHOWN].tolist() for column in columns), strict=True)

    @property
    def segmentations(self) -> SegmentationPair | None:
        """The two segmentations that :func:`segmetry.overlap` counted, as long as they are in memory: the table itself
        keeps no array or masks. None for a table from elsewhere.

        >>> import segmetry as sm
        >>> table = sm.overlap(sm.Spans.from_masses([2, 1]), sm.Spans.from_masses([1, 2]))
        >>> table.segmentations.pred.starts.tolist(), (table + table).segmentations
        ([0, 1], None)
        """
        true, pred, resolve = (*(reach() for reach in self._sources), self._resolve)
        if true is None or pred is None:
            return None
        from segmetry.readers import read_sides

        return SegmentationPair.of(*read_sides(true, pred), resolve=resolve)

    def know_segmentations(self, true: Any, pred: Any, resolve: str | None) -> OverlapTable:
        """Remember what was counted, arrays and masks only as long as somebody else has them."""
        known = self.__dict__  # the dataclass is frozen
        known["_sources"], known["_resolve"] = (_reached(true), _reached(pred)), resolve
        return self

    _sources: ClassVar[tuple[Callable[[], Any], ...]] = (lambda: None, lambda: None)
    _resolve: ClassVar[str | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_sources", "_resolve")}

    def align(self, rule: Any = None, **options: Any) -> Alignment:
        """Align the segments of this table by a rule; see :func:`segmetry.align`."""
        from segmetry.alignments import align

        return align(self, rule, **options)

    def by_class(self) -> ClassTable:
        """Return how many elements of each true class are predicted as each class.

        Needs the class of every segment and disjoint segments. See
        :class:`~segmetry.overlaps.class_table.ClassTable`.

        >>> import segmetry as sm
        >>> classes = {1: "car", 2: "sky"}
        >>> sides = (sm.LabelArray(labels, classes=classes) for labels in ([[1, 1, 2, 2]], [[1, 2, 2, 2]]))
        >>> sm.overlap(*sides).by_class().one_against_rest()["car"]
        ClassCounts(shared=1, missed=1, spurious=0, rest=2)
        """
        return self._class_table

    @cached_property
    def _class_table(self) -> ClassTable:
        from segmetry.overlaps.class_table import class_table

        return class_table(self)

    @classmethod
    def from_rows(
        cls,
        rows: Any,
        true_sizes: dict[int, int] | None = None,
        pred_sizes: dict[int, int] | None = None,
        *,
        n_elements: int | None = None,
        true_classes: dict[int, Hashable] | None = None,
        pred_classes: dict[int, Hashable] | None = None,
    ) -> OverlapTable:
        """Return a table from rows (true id, pred id, shared), the sizes of all segments and the size of the domain.

        Sizes default to the sum of a segment's rows, the domain to the elements the segments cover.

        >>> OverlapTable.from_rows([(1, 1, 4), (2, 1, 1)], true_sizes={1: 5, 2: 1, 3: 2})
        OverlapTable(2 rows, 3 true and 1 pred segments, 8 elements)
        """
        from segmetry.overlaps.build import table_from_rows

        return table_from_rows(rows, true_sizes, pred_sizes, n_elements, true_classes, pred_classes)


def _reached(side: Any) -> Callable[[], Any]:
    """Return a function that returns a side, or None once nobody else has it; small kinds are kept."""
    kind = side.kind if isinstance(side, Segmentation) else None  # the type of sets is not imported for other kinds
    if kind in ("spans", "sets") or isinstance(side, list | str | PathLike):
        return lambda: side
    try:
        return ref(side)
    except TypeError:
        return lambda: None


def _same(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return bool(np.array_equal(first, second))


def check_class_table(table: OverlapTable) -> None:
    """Raise an error for segments without classes, and for those that overlap."""
    if table.class_names is None or table.true.classes is None or table.pred.classes is None:
        raise ClassesError(
            "a class table needs the class of every segment; give classes= on both sides, such as "
            "LabelArray(labels, classes={1: 'car', 2: 'sky'})"
        )
    for name, side in (("true", table.true), ("pred", table.pred)):
        if not side.disjoint:
            raise InputError(
                f"the {name} segments overlap, so elements would count several times in a class table; make them "
                f"disjoint first ({HOW_DISJOINT[name]})"
            )
