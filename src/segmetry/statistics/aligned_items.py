"""The columns of a data set from one alignment of all its items together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.alignment import Alignment
from segmetry.metrics.class_quotient import ClassSums, Terms
from segmetry.metrics.score import Score
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.tally_columns import TallyColumns

_CELLS_PER_SEGMENT = 64
"""A list of all items × classes is quicker than a search up to this many for each segment."""


@frozen_dataclass(eq=False)
class ClassCells:
    """Items × classes with a true segment, a pred without a partner or a term of a mean over classes, sorted by
    class, then by item.

    ``of_true`` and ``of_pred`` are the cells of all segments; a matched pred need not have one.
    """

    item: IndexArray
    part: IndexArray
    of_true: IndexArray
    of_pred: IndexArray

    @classmethod
    def of(
        cls, alignment: Alignment, true_item: IndexArray, pred_item: IndexArray, n_items: int, terms: Sequence[Terms]
    ) -> ClassCells:
        """Return the cells of an alignment from the item of every segment."""
        table = alignment.table
        true, pred = table.true.class_codes * n_items + true_item, table.pred.class_codes * n_items + pred_item
        of_terms = [pred[of_pred.segment] for _, of_pred in terms]
        listed = np.concatenate((true, pred[~alignment.matched_pred], *of_terms))
        n_cells = n_items * len(table.class_names or ())
        if n_cells > _CELLS_PER_SEGMENT * listed.size:  # few of many cells
            present = np.unique(listed)
            of_true, of_pred = np.searchsorted(present, true), np.searchsorted(present, pred)
        else:
            is_present = np.zeros(n_cells, dtype=bool)
            is_present[listed] = True
            present = np.flatnonzero(is_present)
            place = np.zeros(n_cells, dtype=np.intp)
            place[present] = np.arange(present.size)
            of_true, of_pred = place[true], place[pred]
        part, item = np.divmod(present, max(1, n_items))
        return cls(item, part, of_true, of_pred)

    @classmethod
    def none(cls) -> ClassCells:
        """Return no cells, for segments without classes."""
        nothing: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        return cls(nothing, nothing, nothing, nothing)


def aligned_items(
    alignment: Alignment,
    items: tuple[str, ...],
    true_item: IndexArray,
    pred_item: IndexArray,
    average: str,
    *,
    terms: Mapping[str, Terms] | None = None,
    scores: Mapping[str, Mapping[str, Score]] | None = None,
) -> tuple[ItemColumns, ClassCells]:
    """Return the columns of the items, broken down by class where segments carry classes, and their cells.

    ``true_item`` and ``pred_item`` are the items of all segments, ``terms`` those of metrics that are means over
    classes, ``scores`` results of every item that do not follow from a tally.
    """
    n_items, names, known = len(items), alignment.table.class_names, terms or {}
    cells = ClassCells.none()
    if names is not None:
        cells = ClassCells.of(alignment, true_item, pred_item, n_items, list(known.values()))
    whole, n_cells = TallyColumns.of(alignment, true_item, pred_item, n_items), cells.item.size
    of_cells = whole.emptied() if names is None else TallyColumns.of(alignment, cells.of_true, cells.of_pred, n_cells)
    columns = ItemColumns(
        items=items,
        rule=alignment.rule.name,
        policy=alignment.policy.name,
        by=None if names is None else "class",
        average=average,
        whole=whole,
        names=names or (),
        cells=of_cells,
        cell_item=cells.item,
        cell_part=cells.part,
        class_sums={key: ClassSums.of(of_key, cells.of_true, cells.of_pred, n_cells) for key, of_key in known.items()},
        scores=scores or {},
    )
    return columns, cells
