"""One value of two systems side by side: the difference, how sure it is, and what this data set could have found."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.holm import holm
from segmetry.statistics.intervals import interval_row
from segmetry.statistics.outcomes import Outcomes


@dataclass(frozen=True)
class Difference:
    """The second system's value minus the first one's.

    ``p`` is that of the paired permutation test, ``p_holm`` the same corrected for all pairs of systems; ``exact``
    says whether every permutation was tried. ``detectable`` is the smallest difference that this data set finds with
    80 % power, ``items_needed`` about how many items the observed one would need.
    """

    first: str
    second: str
    level: str
    name: Hashable
    key: str
    aggregation: str
    first_value: float
    second_value: float
    interval: Interval
    p: float | None
    exact: bool
    n_permutations: int
    outcomes: Outcomes | None
    detectable: float | None
    items_needed: int | None
    p_holm: float | None = None

    @property
    def value(self) -> float:
        """The difference itself."""
        return self.interval.value

    def as_row(self) -> dict[str, Any]:
        """One plain row; undefined is None."""
        items = self.outcomes
        return {
            "first": self.first,
            "second": self.second,
            "level": self.level,
            "name": self.name,
            "key": self.key,
            "aggregation": self.aggregation,
            "first_value": _plain(self.first_value),
            "second_value": _plain(self.second_value),
            **{("difference" if key == "value" else key): one for key, one in interval_row(self.interval).items()},
            "p": self.p,
            "p_holm": self.p_holm,
            "exact": self.exact,
            "n_permutations": self.n_permutations,
            "won": items and items.won,
            "tied": items and items.tied,
            "lost": items and items.lost,
            "undefined_items": items and items.undefined,
            "detectable": self.detectable,
            "items_needed": self.items_needed,
        }


def corrected(found: Iterable[Difference]) -> list[Difference]:
    """The same differences with p-values corrected by Holm over all pairs of systems that are compared by one value."""
    listed = list(found)
    families: dict[tuple[Any, ...], list[int]] = {}
    for at, one in enumerate(listed):
        families.setdefault((one.level, one.name, one.key, one.aggregation), []).append(at)
    for places in families.values():
        for at, p in zip(places, holm([listed[at].p for at in places]), strict=True):
            listed[at] = replace(listed[at], p_holm=p)
    return listed


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
