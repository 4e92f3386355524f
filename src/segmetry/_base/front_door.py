"""Front doors: the names of a package that other packages may import, found when they are asked for (PEP 562).

The ``__init__`` of a package lists them under ``if TYPE_CHECKING:``, where type checkers read them. Nothing of the
package is imported before one of its names is: ``import segmetry`` stays light, and packages may name each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any


def names_on_demand(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package."""

    def find_name(name: str) -> Any:
        module = None if name.startswith("__") and name != "__version__" else homes_of(package).get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        try:
            value = getattr(import_module(module), name)
        except AttributeError as problem:
            # The import statement would hide an AttributeError and only say that the name cannot be imported.
            raise ImportError(f"cannot import {name!r} from {module!r}: {problem}", name=module) from problem
        setattr(sys.modules[package], name, value)
        return value

    return find_name, lambda: sorted({*vars(sys.modules[package]), *homes_of(package)})


@cache
def homes_of(package: str) -> Mapping[str, str]:
    """Return the module of every name behind a front door: from the generated index, or as its ``__init__`` says."""
    from segmetry._base.index import FRONT_DOORS

    return FRONT_DOORS.get(package) or listed_homes(package)


def listed_homes(package: str) -> dict[str, str]:
    """Return the module of every name that a package lists under ``if TYPE_CHECKING:``."""
    import ast

    with open(str(import_module(package).__file__), encoding="utf-8") as file:  # noqa: PTH123 - without pathlib
        statements = ast.parse(file.read()).body
    conditional = [node.body for node in statements if isinstance(node, ast.If)]
    imports = [node for body in conditional for node in body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}
