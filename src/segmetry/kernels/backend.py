"""Which kernels are in use: the native extension module, or its numpy twins."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, ParamSpec, TypeVar


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


P = ParamSpec("P")
R = TypeVar("R")


def kernel(compiled: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function in numpy the twin of a native kernel: where that is in use, ``compiled(native, …)`` is called.

    The twin defines the result (:func:`numpy_twin`; tests compare the two), and serves where native code returns
    NotImplemented.
    """

    def with_native(twin: Callable[P, R]) -> Callable[P, R]:
        @wraps(twin)
        def run(*arguments: P.args, **options: P.kwargs) -> R:
            result: R = NotImplemented if native is None else compiled(native, *arguments, **options)
            return twin(*arguments, **options) if result is NotImplemented else result

        return run

    return with_native


def numpy_twin(function: Callable[P, R]) -> Callable[P, R]:
    """Return the numpy version of a function made by :func:`kernel`."""
    twin: Callable[P, R] = function.__wrapped__  # type: ignore[attr-defined]
    return twin


def in_use() -> str:
    """Return which kernels are used: ``"native"`` or ``"numpy"``."""
    return "numpy" if native is None else "native"


def why_not_native() -> str:
    """Return why the numpy twins are in use although nobody chose them; empty otherwise."""
    return missing
