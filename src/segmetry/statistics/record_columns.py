"""Records of items as the columns of a data set, and back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from segmetry.alignments.tally import Tally
from segmetry.errors import InputError
from segmetry.metrics.class_quotient import ClassSum, ClassSums
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.records import ItemRecord
from segmetry.statistics.tally_columns import TallyColumns


def columns_of_records(records: Sequence[ItemRecord]) -> ItemColumns:
    """Return the columns of some united records, at least one.

    >>> import segmetry as sm
    >>> columns = columns_of_records([sm.record_of("a", sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 0]])))])
    >>> columns.items, columns.whole.n_unmatched_true.tolist()
    (('a',), [1])
    """
    if not records:
        raise InputError("no records to summarise; expected at least one item")
    first = records[0]
    names = sorted_names({name for record in records for name in record.parts})
    number = {name: at for at, name in enumerate(names)}
    cells = sorted((number[name], item) for item, record in enumerate(records) for name in record.parts)
    part, item = (np.array([cell[at] for cell in cells], dtype=np.intp) for at in (0, 1))
    keys = [key for key in first.class_sums if all(key in record.class_sums for record in records)]
    return ItemColumns(
        items=tuple(record.item for record in records),
        rule=first.rule,
        policy=first.policy,
        by=first.by,
        average=first.average,
        whole=TallyColumns.listed([record.whole for record in records], first.whole),
        names=names,
        cells=TallyColumns.listed([records[at].parts[names[code]] for code, at in cells], first.whole),
        cell_item=item,
        cell_part=part,
        class_sums={
            key: ClassSums.listed([records[at].class_sums[key].get(names[code]) for code, at in cells]) for key in keys
        },
        scores={record.item: record.scores for record in records},
    )


def records_of_columns(columns: ItemColumns) -> list[ItemRecord]:
    """Return one record per item, in the order of the columns."""
    parts: list[dict[Hashable, Tally]] = [{} for _ in columns.items]
    sums: list[dict[str, dict[Hashable, ClassSum]]] = [{key: {} for key in columns.class_sums} for _ in columns.items]
    for at, (item, part) in enumerate(zip(columns.cell_item.tolist(), columns.cell_part.tolist(), strict=True)):
        name = columns.names[part]
        parts[item][name] = columns.cells.tally(at, at + 1)
        for key, known in columns.class_sums.items():
            if known.has_terms[at]:
                sums[item][key][name] = known.cut(at, at + 1)
    of_columns = {key: column.scores() for key, column in columns.score_columns.items()}
    return [
        ItemRecord(
            item=name,
            rule=columns.rule,
            policy=columns.policy,
            whole=columns.whole.tally(at, at + 1),
            by=columns.by,
            average=columns.average,
            parts=parts[at],
            class_sums=sums[at],
            scores={**columns.scores.get(name, {}), **{key: scores[at] for key, scores in of_columns.items()}},
        )
        for at, name in enumerate(columns.items)
    ]
