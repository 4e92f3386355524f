"""Registries: metrics, rules, readers, engines and protocols by name, imported on first use.

The built-in ones are in a package with one subject per file (``segmetry.metrics``, ``segmetry.readers.formats``, …);
importing that package's modules declares them. Third parties declare theirs in a module named by an entry point
of the same group:

    [project.entry-points."segmetry.metrics"]
    my_metrics = "my_package.metrics"

With an ``index``, the module of every built-in name, a name is found by importing its module alone; without one, or
where it is not up to date, by importing all of them.

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

from segmetry.errors import PluginWarning, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import FrameType
import os
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_GROUP = b"[segmetry."
"""How a group of ours begins in ``entry_points.txt``."""


@cache
def installed_plugins() -> tuple[EntryPoint, ...]:
    """Return the entry points of all groups ``segmetry.…``, read once."""
    # importlib.metadata parses the entry points of every package; importing it and asking takes longer than a small
    # evaluation. Most installations have no plug-in of segmetry, which a look at the files shows.
    if not _may_have_plugins():
        return ()
    from importlib.metadata import entry_points

    points = entry_points()
    return tuple(
        point for group in points.groups if group.startswith("segmetry.") for point in points.select(group=group)
    )


def _may_have_plugins() -> bool:
    """Return whether some package on the path names a group of ours, or is stored in a way that is not looked into."""
    others = any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder)
    return others or any(map(_mentions_segmetry, dict.fromkeys(sys.path)))


def _mentions_segmetry(folder: str) -> bool:
    try:
        with os.scandir(folder or ".") as entries:
            paths = [entry.path for entry in entries]
    except NotADirectoryError:  # an archive
        return True
    except OSError:
        return False
    packages = (path for path in paths if path.endswith((".dist-info", ".egg-info")))
    return any(path.endswith(".egg") for path in paths) or any(map(_declares_group, packages))


def _declares_group(package: str) -> bool:
    try:
        with open(f"{package}/entry_points.txt", "rb", buffering=0) as file:  # noqa: PTH123 - a Path takes four times as long
            return _GROUP in file.read()
    except OSError:
        return False


Declared = TypeVar("Declared")

_OWN = "segmetry."
"""How the names of modules begin whose declarations are built in."""


class Registry(Mapping[str, Declared], Generic[Declared]):
    """A mapping from names to declarations, filled on first use; in the order of names, or of their ``order``."""

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
        home = module_in_execution()
        # A built-in name is taken, also if its module is not imported yet and nothing was declared under it so far.
        if name in self._declared or (name in self._index and not home.startswith(_OWN)):
            raise ValueError(f"the {self._noun} {name!r} is declared twice")
        self._declared[name] = thing
        self._homes[name] = home
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
        declared = (name for name in self._declared if name not in before and not self._is_built_in(name))
        self._origins.update(dict.fromkeys(declared, plugin))

    def snapshot(self) -> dict[str, Declared]:
        """Return what was declared by name, for :meth:`restore`."""
        return dict(self._declared)

    def restore(self, declared: dict[str, Declared]) -> None:
        """Forget everything that was declared after :meth:`snapshot`, except for what is built in."""
        built_in = {name: thing for name, thing in self._declared.items() if self._is_built_in(name)}
        self._declared, self._sorted = {**built_in, **declared}, None

    def _is_built_in(self, name: str) -> bool:
        return self._homes[name].startswith(_OWN)

    def _load_all(self) -> None:
        if not self._loaded:
            self._import_entries(everything=True)

    def _import_entries(self, *, everything: bool) -> None:
        """Import the plug-ins, and before them all that is built in if ``everything``."""
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
        for point in sorted(points, key=lambda point: (point.name, _distribution_name(point))):
            before = [(registry, registry.snapshot()) for registry in Registry._all]
            try:
                point.load()
            except Exception as problem:  # noqa: BLE001 - whatever it is, it must not stop the others
                for registry, declared in before:  # a module may declare things of several kinds
                    registry.restore(declared)
                left_out.append(_left_out(point, problem))
            else:
                for registry, declared in before:
                    registry.note_origin(declared, f"{point.name} = {point.value} of {_distribution_name(point)}")
        return left_out

    def __getitem__(self, name: str) -> Declared:
        if name not in self._declared and name in self._index:
            importlib.import_module(self._index[name])
        if name not in self._declared:
            self._load_all()
        try:
            return self._declared[name]
        except KeyError:
            raise UnknownNameError(self._unknown_name(name)) from None

    def only(self, names: Iterable[str]) -> dict[str, Declared]:
        """Return some declarations in order; others need not be imported."""
        return self._order_entries({name: self[name] for name in names})

    def with_plugins(self, names: Iterable[str]) -> dict[str, Declared]:
        """Return the given built-in declarations and those of all plug-ins, in order; everything without an index."""
        if not self._index:
            return dict(self.items())
        chosen = self.only(names)
        if not self._has_plugins:
            self._import_entries(everything=False)
        others = {name: thing for name, thing in self._declared.items() if name not in self._index}
        return self._order_entries(chosen | others)

    def __iter__(self) -> Iterator[str]:
        return iter(self._in_order())

    def __len__(self) -> int:
        self._load_all()
        return len(self._declared)

    def values(self) -> ValuesView[Declared]:
        """What was declared, without a search for each name."""
        return self._in_order().values()

    def items(self) -> ItemsView[str, Declared]:
        """The same with the names."""
        return self._in_order().items()

    def _in_order(self) -> dict[str, Declared]:
        self._load_all()
        if self._sorted is None:
            self._sorted = self._order_entries(self._declared)
        return self._sorted

    def _order_entries(self, entries: dict[str, Declared]) -> dict[str, Declared]:
        order = self._order
        key = (lambda entry: entry[0]) if order is None else (lambda entry: order(entry[1]))
        return dict(sorted(entries.items(), key=key))

    def __contains__(self, name: object) -> bool:
        if name in self._declared or name in self._index:
            return True
        self._load_all()
        return name in self._declared

    def _unknown_name(self, name: str) -> str:
        from difflib import get_close_matches

        longer = [known for known in sorted(self._declared) if known.startswith((f"{name}-", f"{name}_"))]
        near = longer or get_close_matches(name, self._declared, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(sorted(self._declared))}"
        return f"there is no {self._noun} {name!r}; {hint}"


def module_in_execution() -> str:
    """Return the name of the module that is being imported, or that called from its top level."""
    # A decorator may be called through helpers of other modules: the module body in execution is what declares.
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - what inspect.currentframe gives
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def _distribution_name(point: EntryPoint) -> str:
    return "an unnamed package" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _left_out(point: EntryPoint, problem: Exception) -> str:
    text = " ".join(str(problem).split())
    words = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return (
        f"the plug-in {point.name} = {point.value} of {_distribution_name(point)} (entry point group {point.group}) "
        f"is left out: {words}; everything else works"
    )
