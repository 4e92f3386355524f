"""Modules of packages that are installed without their dependencies."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def module_of(package: str, path: str, **stubs: Any) -> ModuleType:
    """Execute one file of an installed package, without the package around it; ``stubs`` stand for what it imports."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    file = Path(spec.submodule_search_locations[0]) / path
    name = f"{package}.{Path(path).stem}"
    own = importlib.util.spec_from_file_location(name, file)
    assert own is not None and own.loader is not None
    module = importlib.util.module_from_spec(own)
    replaced = {stub: sys.modules.get(stub) for stub in stubs}
    sys.modules.update({stub: _stub(stub, values) for stub, values in stubs.items()})
    try:
        own.loader.exec_module(module)
    finally:
        for stub, before in replaced.items():
            if before is None:
                del sys.modules[stub]
            else:
                sys.modules[stub] = before
    return module


def _stub(name: str, values: dict[str, Any]) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(values)
    module.__path__ = []
    return module
