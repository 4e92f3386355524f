"""Registries: metrics, rules, readers, engines and protocols by name, imported on first use.

The built-in ones are in a package with one subject per file (``segmetry.metrics``, ``segmetry.readers.formats``, …);
importing that package's modules declares them. Third parties declare theirs in a module named by an entry point
of the same group:

    [project.entry-points."segmetry.metrics"]
    my_metrics = "my_package.metrics"
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from importlib.metadata import entry_points
from threading import RLock
from typing import Any, Generic, TypeVar

from segmetry.errors import UnknownNameError

Declared = TypeVar("Declared")


class Registry(Mapping[str, Declared], Generic[Declared]):
    """A mapping from names to declarations, filled on first use.

    Keys, values and items come in one order, whatever was imported first: by name, or by ``order`` of the declaration.

    >>> colours = Registry[int]("colour", package=None, group="segmetry.colours")
    >>> colours.declare("blue", 3)
    >>> colours.declare("azure", 5)
    >>> colours["blue"], list(colours)
    (3, ['azure', 'blue'])
    >>> list(colours.values())
    [5, 3]
    """

    def __init__(
        self, noun: str, *, package: str | None, group: str, order: Callable[[Declared], Any] | None = None
    ) -> None:
        self._noun = noun
        self._package = package
        self._group = group
        self._order = order
        self._declared: dict[str, Declared] = {}
        self._sorted: dict[str, Declared] | None = None
        self._loaded = False
        self._loading = False
        self._lock = RLock()

    def declare(self, name: str, thing: Declared) -> None:
        """Add a declaration; each name can be used once."""
        if name in self._declared:
            raise ValueError(f"the {self._noun} {name!r} is declared twice")
        self._declared[name] = thing
        self._sorted = None

    def _load(self) -> None:
        if self._loaded:
            return
        with self._lock:  # another thread must not see a registry that is half full
            if self._is_filled_or_filling():
                return
            self._loading = True
            try:
                self._import_all()
                self._loaded = True
            finally:
                self._loading = False

    def _is_filled_or_filling(self) -> bool:
        return self._loaded or self._loading

    def _import_all(self) -> None:
        if self._package is not None:
            package = importlib.import_module(self._package)
            for module in sorted(info.name for info in pkgutil.walk_packages(package.__path__, f"{self._package}.")):
                importlib.import_module(module)
        for point in sorted(entry_points(group=self._group), key=lambda point: point.name):
            point.load()

    def __getitem__(self, name: str) -> Declared:
        self._load()
        try:
            return self._declared[name]
        except KeyError:
            raise UnknownNameError(self._unknown(name)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._in_order())

    def __len__(self) -> int:
        self._load()
        return len(self._declared)

    def values(self) -> ValuesView[Declared]:
        """What was declared, without a search for each name."""
        return self._in_order().values()

    def items(self) -> ItemsView[str, Declared]:
        """The same with the names."""
        return self._in_order().items()

    def _in_order(self) -> dict[str, Declared]:
        self._load()
        entries = self._sorted
        if entries is None:
            order = self._order
            key = (lambda entry: entry[0]) if order is None else (lambda entry: order(entry[1]))
            self._sorted = entries = dict(sorted(self._declared.items(), key=key))
        return entries

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._declared

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self._declared, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(self._declared))}"
        return f"there is no {self._noun} {name!r}; {hint}"
