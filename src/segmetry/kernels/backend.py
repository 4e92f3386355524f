"""Which kernels are in use: the native extension module, or its numpy twins."""

from __future__ import annotations

import importlib
import os
from types import ModuleType


def _load_native() -> tuple[ModuleType | None, str]:
    """Return the extension module, or None, and why it is missing where it was required."""
    requested = os.environ.get("SEGMETRY_KERNELS", "auto")
    if requested not in ("auto", "native", "numpy"):
        raise ImportError(f"SEGMETRY_KERNELS is {requested!r}; expected 'auto', 'native' or 'numpy'")
    if requested == "numpy":
        return None, ""
    try:
        return importlib.import_module("segmetry.kernels._native"), ""
    except ImportError as problem:
        if requested == "native":
            raise
        return None, str(problem)


native: ModuleType | None
"""The extension module, or None when the numpy twins are in use."""

missing: str

native, missing = _load_native()


def in_use() -> str:
    """Return which kernels are used: ``"native"`` or ``"numpy"``.

    >>> in_use() in ("native", "numpy")
    True
    """
    return "numpy" if native is None else "native"


def why_not_native() -> str:
    """Return why the numpy twins are in use although nobody chose them; empty otherwise."""
    return missing
