"""How an epoch is evaluated: the options that all metrics of training frameworks take, and the values they return."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from segmetry.adapters.counted_items import (
    COLUMNS,
    CountedItems,
    check_follows_from_tables,
    count_items,
    run_of_items,
)
from segmetry.errors import InputError, OptionError
from segmetry.run.run import Run

SCORING = ("rule", "policy", "resolve", "classes", "background", "undefined", "average", "groups", "options")
"""Options of :func:`segmetry.evaluate` that say how is scored."""


class EpochSettings:
    """What is computed from the counted items of an epoch.

    Parameters
    ----------
    metrics, protocol, read
        As for :func:`segmetry.evaluate`; metrics, also those of the protocol, must follow from overlap tables.
    category_maps
        Maps have category and instance in their last axis; the category of an element is its class.
    stuff
        Categories of ``category_maps`` whose instances are one segment.
    per_class
        Return the values of single classes, too.
    class_names
        How classes are called, by label; names of values have them in place of the labels.
    scoring
        Options of :data:`SCORING`.
    """

    def __init__(
        self,
        metrics: Iterable[Any] | str | None = None,
        *,
        protocol: Any = None,
        read: Mapping[str, Any] | None = None,
        category_maps: bool = False,
        stuff: Collection[int] = (),
        per_class: bool = False,
        class_names: Mapping[Hashable, str] | None = None,
        **scoring: Any,
    ) -> None:
        unknown = sorted(set(scoring) - set(SCORING))
        if unknown:
            raise OptionError(f"there is no option {unknown[0]}; expected one of {', '.join(SCORING)}")
        self.options: dict[str, Any] = {"metrics": metrics, "protocol": protocol, "read": read, **scoring}
        chosen = check_follows_from_tables(self.options)
        if metrics is None and protocol is None:
            self.options["metrics"] = chosen
        self.category_maps, self.stuff, self.per_class = category_maps, tuple(stuff), per_class
        self.class_names = class_names
        self._is_tried = False

    def count(self, true: Any, pred: Any, item_ids: Sequence[Hashable] | None = None) -> CountedItems:
        """Count a batch; the first one is also scored: a setting that does not suit it is an error at once."""
        counted = count_items(true, pred, item_ids, categories=self.category_maps, stuff=self.stuff)
        if not self._is_tried and len(counted.rows):
            self.run(counted).summary()
            self._is_tried = True
        return counted

    def run(self, counted: CountedItems, **others: Any) -> Run:
        """Return the run of all items; ``others`` are further options of :func:`segmetry.evaluate`."""
        if not len(counted.rows):
            raise InputError("no item has been seen; expected at least one batch before the values are computed")
        options = {**self.options, "class_names": self.class_names}
        return run_of_items(counted, options, categories=self.category_maps, **others)

    def values(self, counted: CountedItems) -> dict[str, float]:
        """Return every value of the summary under a flat name; NaN where it is undefined."""
        scalars = self.run(counted).scalars()
        return {name: value for name, value in scalars.items() if self.per_class or not name.startswith("class/")}


def joined(parts: Iterable[CountedItems]) -> CountedItems:
    """Return the items of all parts."""
    every = list(parts)
    rows = [part.rows for part in every] or [np.zeros((0, COLUMNS), dtype=np.int64)]
    names = [part.names for part in every] or [np.zeros(0, dtype=np.int64)]
    return CountedItems(np.concatenate(rows), np.concatenate(names))
