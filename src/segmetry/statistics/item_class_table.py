"""The table of items and classes: the value of each class in each item, as nnU-Net lists cases and labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from segmetry._base.result_table import ColumnType, Table
from segmetry.metrics.score import value_or_none
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.accumulated import AccumulatedColumns

TYPES: dict[str, ColumnType] = {"item": "text", "class_name": "text"}


def item_class_table(accumulated: Mapping[str, AccumulatedColumns], class_names: Mapping[Hashable, str]) -> Table:
    """Return one row per item and class, with the values of all metrics of classes; undefined is None.

    A class has a row in every item in which a metric has a value for it.
    """
    values: dict[tuple[int, Hashable], dict[str, Any]] = {}
    items: tuple[str, ...] = ()
    classes: set[Hashable] = set()
    for key, metric in accumulated.items():
        items = metric.items
        for at in range(len(items)):
            for name, score in metric.combined(metric.collected.item(at)).classes.items():
                values.setdefault((at, name), {})[key] = value_or_none(score)
                classes.add(name)
    rows = [
        {
            "item": items[at],
            "class": name,
            **({"class_name": class_names.get(name)} if class_names else {}),
            **{key: values[at, name].get(key) for key in accumulated},
        }
        for at in range(len(items))
        for name in sorted_names(classes)
        if (at, name) in values
    ]
    return Table("item_classes", rows, {**TYPES, **dict.fromkeys(accumulated, "number")})
