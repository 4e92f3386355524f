"""Registries: metrics, rules, readers, engines and protocols by name, imported on first use.

The built-in ones are in a package with one subject per file (``segmetry.metrics``, ``segmetry.readers.formats``, …);
importing that package's modules declares them. Third parties declare theirs in a module named by an entry point
of the same group:

    [project.entry-points."segmetry.metrics"]
    my_metrics = "my_package.metrics"

With an ``index``, the module of every built-in name, a name is found by importing its module alone.

A plug-in that fails, because its module cannot be imported or declares a name that is taken, is left out as a whole,
with a warning that names it; everything else works.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from segmetry._base.installed_plugins import installed_plugins
from segmetry.errors import PluginWarning, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import FrameType

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

    _all: ClassVar[list[Registry[Any]]] = []

    def __init__(
        self,
        noun: str,
        *,
        package: str | None,
        group: str,
        order: Callable[[Declared], Any] | None = None,
        index: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._noun = noun
        self._package = package
        self._group = group
        self._order = order
        self._index = index
        self._declared: dict[str, Declared] = {}
        self._sorted: dict[str, Declared] | None = None
        self._origins: dict[str, str] = {}
        self._homes: dict[str, str] = {}
        self._loaded = False
        self._has_plugins = False
        self._loading = False
        self._lock = RLock()
        Registry._all.append(self)

    def declare(self, name: str, thing: Declared) -> None:
        """Add a declaration; each name can be used once."""
        if name in self._declared or self._index.get(name, __name__) not in sys.modules:
            raise ValueError(f"the {self._noun} {name!r} is declared twice")
        self._declared[name] = thing
        self._homes[name] = _module_in_execution()
        self._sorted = None

    def declared_so_far(self) -> list[Declared]:
        """Return what was declared, without importing anything: for checks while a registry is filled."""
        return list(self._declared.values())

    def origin(self, name: str) -> str | None:
        """Return the plug-in that declared a name; None for what is built in."""
        return self._origins.get(name)

    def home(self, name: str) -> str:
        """Return the module whose import declared a name."""
        return self._homes[name]

    def note_origin(self, before: Mapping[str, Declared], plugin: str) -> None:
        """Record the plug-in that declared everything that was not there before."""
        self._origins.update(dict.fromkeys(self._declared.keys() - before.keys() - self._index.keys(), plugin))

    def snapshot(self) -> dict[str, Declared]:
        """Return what was declared by name, for :meth:`restore`."""
        return dict(self._declared)

    def restore(self, declared: dict[str, Declared]) -> None:
        """Forget everything that was declared after :meth:`snapshot`, except for what is built in."""
        built_in = {name: thing for name, thing in self._declared.items() if name in self._index}
        self._declared, self._sorted = {**built_in, **declared}, None

    def _load(self) -> None:
        if not self._loaded:
            self._fill(everything=True)

    def _fill(self, *, everything: bool) -> None:
        """Import the plug-ins, and before them all that is built in if ``everything`` is wanted."""
        left_out: list[str] = []
        with self._lock:  # another thread must not see a registry that is half full
            if self._loaded or self._loading:
                return
            self._loading = True
            try:
                if everything:
                    self._import_built_in()
                if not self._has_plugins:
                    left_out = self._import_plugins()
                self._has_plugins, self._loaded = True, everything
            finally:
                self._loading = False
        for message in left_out:  # after loading: where warnings are errors, the registry is still complete
            warnings.warn(message, PluginWarning, stacklevel=3)

    def _import_built_in(self) -> None:
        if self._package is not None:
            import pkgutil

            package = importlib.import_module(self._package)
            for module in sorted(info.name for info in pkgutil.walk_packages(package.__path__, f"{self._package}.")):
                importlib.import_module(module)

    def _import_plugins(self) -> list[str]:
        """Import the modules of all plug-ins in the order of their names; return a message for each that failed."""
        left_out = []
        points = [point for point in installed_plugins() if point.group == self._group]
        for point in sorted(points, key=lambda point: (point.name, _distribution(point))):
            before = [(registry, registry.snapshot()) for registry in Registry._all]
            try:
                point.load()
            except Exception as problem:  # noqa: BLE001 - whatever it is, it must not stop the others
                for registry, declared in before:  # a module may declare things of several kinds
                    registry.restore(declared)
                left_out.append(_left_out(point, problem))
            else:
                for registry, declared in before:
                    registry.note_origin(declared, f"{point.name} = {point.value} of {_distribution(point)}")
        return left_out

    def __getitem__(self, name: str) -> Declared:
        if name not in self._declared and name in self._index:
            importlib.import_module(self._index[name])
        elif name not in self._declared:
            self._load()
        try:
            return self._declared[name]
        except KeyError:
            raise UnknownNameError(self._unknown(name)) from None

    def only(self, names: Iterable[str]) -> dict[str, Declared]:
        """Return some declarations in order; others need not be imported."""
        return self._ordered({name: self[name] for name in names})

    def with_plugins(self, names: Iterable[str]) -> dict[str, Declared]:
        """Return some built-in declarations and those of all plug-ins, in order."""
        chosen = self.only(names)
        if not self._has_plugins:
            self._fill(everything=False)
        return self._ordered(chosen | {name: it for name, it in self._declared.items() if name not in self._index})

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
        if self._sorted is None:
            self._sorted = self._ordered(self._declared)
        return self._sorted

    def _ordered(self, entries: dict[str, Declared]) -> dict[str, Declared]:
        order = self._order
        key = (lambda entry: entry[0]) if order is None else (lambda entry: order(entry[1]))
        return dict(sorted(entries.items(), key=key))

    def __contains__(self, name: object) -> bool:
        if name in self._declared or name in self._index:
            return True
        self._load()
        return name in self._declared

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        longer = [known for known in sorted(self._declared) if known.startswith((f"{name}-", f"{name}_"))]
        near = longer or get_close_matches(name, self._declared, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(self._declared))}"
        return f"there is no {self._noun} {name!r}; {hint}"


def _module_in_execution() -> str:
    """Return the name of the module that is being imported, or that called from its top level."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - what inspect.currentframe gives
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def _distribution(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _left_out(point: EntryPoint, problem: Exception) -> str:
    text = " ".join(str(problem).split())
    words = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return (
        f"the plug-in {point.name} = {point.value} of {_distribution(point)} (entry point group {point.group}) is left "
        f"out: {words}; everything else works"
    )
