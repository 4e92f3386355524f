"""Which values of a metric are better, in words."""

from __future__ import annotations

from collections.abc import Iterable

from segmetry.metrics.declare import METRICS


def better_word(key: str) -> str:
    """Return which values are better: higher, lower, or nothing where neither is.

    >>> better_word("pq"), better_word("n_missed"), better_word("sq_rvd")
    ('higher', 'lower', '')
    """
    better = METRICS[key].better
    return "" if better == "neither" else better


def lower_is_better(keys: Iterable[str]) -> str:
    """Return a line that names the metrics of which less is better; nothing where there are none.

    >>> lower_is_better(["pq", "n_missed", "n_spurious"]), lower_is_better(["pq"])
    ('Lower is better: n_missed, n_spurious.', '')
    """
    lower = [key for key in keys if METRICS[key].better == "lower"]
    return f"Lower is better: {', '.join(lower)}." if lower else ""
