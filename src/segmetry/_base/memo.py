"""Results that several metrics of an item share, computed by the first of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class HasMemo(Protocol):
    """An item that keeps results, by function and options."""

    @property
    def memo(self) -> dict[Hashable, Any]: ...


T = TypeVar("T")
ItemT = TypeVar("ItemT", bound=HasMemo)
CheckedOptions = ParamSpec("CheckedOptions")


def computed_once(
    compute: Callable[Concatenate[ItemT, CheckedOptions], T],
) -> Callable[Concatenate[ItemT, CheckedOptions], T]:
    """Make a function of an item and checked options compute its result once, for all metrics that use it.

    >>> from types import SimpleNamespace
    >>> item = SimpleNamespace(memo={}, sizes=[1, 2])
    >>> larger = computed_once(lambda item, least: [size for size in item.sizes if size > least])
    >>> larger(item, 1) is larger(item, 1), larger(item, 0)
    (True, [1, 2])
    """

    @wraps(compute)
    def remembered(item: ItemT, /, *options: CheckedOptions.args, **named: CheckedOptions.kwargs) -> T:
        key = compute, options, tuple(named.items())
        if key not in item.memo:
            item.memo[key] = compute(item, *options, **named)
        result: T = item.memo[key]
        return result

    return remembered
