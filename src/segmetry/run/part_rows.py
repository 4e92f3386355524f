"""The scores of the parts of a run: of its items by a column about them, or of its segments by size.

A column about its items (:class:`ByItem`) is the tissue of an image, or the scanner of a volume.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmetry._base import frozen_dataclass, translate_errors
from segmetry.alignments import Breakdown, BySize, as_breakdown
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.metrics import Sums, segment_sums, value_or_none
from segmetry.overlaps import sorted_names
from segmetry.results import ColumnType, Table
from segmetry.run.run_data_set import parts_of_segments
from segmetry.statistics import SummaryRowScores, summarise

if TYPE_CHECKING:
    from segmetry.run.run import Run

ITEM = "item"


@frozen_dataclass()
class ByItem:
    """Group items by a label of their own.

    Parameters
    ----------
    name : str
        What the labels are, such as ``'tissue'``.
    labels : mapping of str to label
        The label of each item, by its name.

    Examples
    --------
    >>> ByItem("tissue", {"a": "liver", "b": "kidney", "c": "liver"}).groups(["a", "c", "b"])
    {'kidney': ['b'], 'liver': ['a', 'c']}
    """

    name: str
    labels: Mapping[str, Hashable]

    @classmethod
    def read(cls, path: str | Path, column: str) -> ByItem:
        """Read a column of a CSV or TSV file that has a column ``item``, or PanNuke's ``types.npy``."""
        from segmetry.readers import read_table

        file, wanted = Path(path), column.strip().lower()
        labels: dict[str, Hashable] = {}
        if file.suffix == ".npy":
            return cls(column, {f"{at:05}": label for at, label in enumerate(_texts_of(file))})
        for line, cells in read_table(file, None):
            for needed in (ITEM, wanted):
                if needed not in cells:
                    raise FormatError(
                        f"{file}, line 1: there is no column {needed[:40]!r}; found {', '.join(cells)[:200]}"
                    )
            item = cells[ITEM]
            if labels.setdefault(item, cells[wanted]) != cells[wanted]:
                raise InputError(f"{file}, line {line}: a second row for item {item[:80]!r} says {cells[wanted]!r}")
        return cls(column, labels)

    @classmethod
    def of_empty_truth(cls, run: Run) -> ByItem:
        """Return which items have no true segment: the cases that most scores leave out.

        >>> import segmetry as sm
        >>> run = sm.evaluate({"a": [[0, 0]], "b": [[1, 0]]}, {"a": [[1, 0]], "b": [[1, 0]]}, metrics="n_pred")
        >>> [(row["truth"], row["items"], row["pred"]) for row in run.parts(ByItem.of_empty_truth(run))]
        [('empty', 1, 1), ('not empty', 1, 1)]
        """
        tables = run.tables_together
        found = {tables.items.names[at] for at in tables.true.item.tolist()}
        return cls("truth", {name: "not empty" if name in found else "empty" for name in tables.items.names})

    def groups(self, items: Iterable[str]) -> dict[Hashable, list[str]]:
        """Return the items of every label, sorted; an item without a label is an error."""
        groups: dict[Hashable, list[str]] = {}
        for item in items:
            if item not in self.labels:
                listed = ", ".join(map(repr, list(self.labels)[:5]))
                raise OptionError(f"item {item!r} has no {self.name}; expected a label for every item, found {listed}")
            groups.setdefault(self.labels[item], []).append(item)
        return {label: groups[label] for label in sorted(groups, key=str)}


def _texts_of(path: Path) -> list[str]:
    """Return the texts of a numpy file: one for each image of a stack."""
    import numpy as np

    from segmetry.storage import PlainFile

    with translate_errors(path, "numpy file"):
        texts = np.load(path, mmap_mode="r", allow_pickle=False)  # its length is compared with that of the file
    if texts.ndim != 1 or texts.dtype.kind != "U":
        raise FormatError(f"{path}: {texts.dtype} of shape {texts.shape}; expected a list of texts, one for each image")
    with translate_errors(path, "numpy file"):
        return list(map(str, PlainFile(path, texts.offset, texts.shape, texts.dtype).whole()))


COUNTS = ("items", "true", "pred")


def part_rows(run: Run, by: str | Breakdown | ByItem) -> Table:
    """Return one row per part; see :meth:`segmetry.Run.parts`."""
    rows = _of_items(run, by) if isinstance(by, ByItem) else _of_segments(run, as_breakdown(by))
    types: dict[str, ColumnType] = {
        f"{metric.key}{end}": "number" for metric in run.metrics for end in ("", "_by_item")
    }
    return Table("parts", rows, {**dict.fromkeys(COUNTS, "integer"), **types})


def _of_items(run: Run, by: ByItem) -> list[dict[str, Any]]:
    """Every group of items as a data set of its own, with all metrics of the run."""
    rows = []
    for label, names in by.groups(run.data.items).items():
        data = run.data.only(set(names))
        counts = segment_sums(data.segments, "all")
        rows.append(_part_row(by.name, label, (len(names), *_sides(counts, 0)), summarise(data).scores, usual=True))
    return rows


def _of_segments(run: Run, by: Breakdown) -> list[dict[str, Any]]:
    """The segments of every part over all items; only metrics that follow from counts of segments have a value."""
    keys = [metric.key for metric in run.metrics if metric.needs == "tally"]
    if not keys:
        raise OptionError(
            f"no metric of this run follows from counts of segments, which a breakdown by {by.name} needs; "
            "evaluate with metrics such as pq, rq or n_missed"
        )
    segments = parts_of_segments(run.tables_together, run.settings, by)
    sources = {key: replace(run.data.source(key), statistics=segments) for key in keys}
    data = replace(
        run.data, by=by.name, average="segments", count_segments=lambda: segments, sources=sources, groups={}
    )
    parts = summarise(data).parts
    sums = segment_sums(segments, "class")
    cells = segment_sums(segments, "cell")
    occurs = (cells["matched"] + cells["missed"] + cells["spurious"])[:, 0] > 0
    order = by.names if isinstance(by, BySize) else tuple(parts)
    return [
        _part_row(by.name, label, (int(occurs[cells.codes == at].sum()), *_sides(sums, at)), parts[label])
        for label in order
        if label in parts
        for at in [sums.names.index(label)]
    ]


def _sides(sums: Sums, at: int) -> tuple[int, int]:
    matched = sums["matched"][at, 0]
    return int(matched + sums["missed"][at, 0]), int(matched + sums["spurious"][at, 0])


def _part_row(
    name: str, label: Hashable, counts: tuple[int, int, int], scores: SummaryRowScores, *, usual: bool = False
) -> dict[str, Any]:
    """Return one row; ``usual``: in the averages of the run's table, which segments of some sizes do not have."""
    of_items = {
        key: next((score for average, score in averages.items() if average.startswith("by_item")), None)
        for key, averages in scores.items()
    }
    return {
        name: str(label),
        **dict(zip(COUNTS, counts, strict=True)),
        **{
            key: value_or_none(averages.usual if usual else averages.get("pooled", averages.usual))
            for key, averages in scores.items()
        },
        **{f"{key}_by_item": value_or_none(score) for key, score in of_items.items()},
    }


def item_class_rows(run: Run) -> Table:
    """Return one row per item and class; see :meth:`segmetry.Run.item_classes`."""
    data, names = run.data, run.class_names
    keys = [key for key, source in data.sources.items() if source.metric.statistics is not None and source.has_classes]
    values: dict[tuple[int, Hashable], dict[str, float | None]] = {}
    for key in keys:
        for item, name, value in data.reading(key).cell_values():
            values.setdefault((item, name), {})[key] = None if math.isnan(value) else value
    rows = [
        {
            "item": data.items[at],
            "class": name,
            **({"class_name": names.get(name)} if names else {}),
            **{key: values[at, name].get(key) for key in keys},
        }
        for at in range(len(data.items))
        for name in sorted_names({name for _, name in values})
        if (at, name) in values
    ]
    return Table("item_classes", rows, {"item": "text", "class_name": "text", **dict.fromkeys(keys, "number")})
