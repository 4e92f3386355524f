"""Which kernels are chosen, and whether their absence is reported."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from segmetry.kernels import backend


def no_library(name: str) -> ModuleType:
    raise ImportError(f"No module named {name!r}")


def test_a_missing_library_is_reported_unless_numpy_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", no_library)
    monkeypatch.delenv("SEGMETRY_KERNELS", raising=False)
    assert backend._load_native() == (None, "No module named 'segmetry.kernels._native'")
    monkeypatch.setenv("SEGMETRY_KERNELS", "numpy")
    assert backend._load_native() == (None, "")
    monkeypatch.setenv("SEGMETRY_KERNELS", "native")
    with pytest.raises(ImportError, match="_native"):
        backend._load_native()


def test_an_unknown_choice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEGMETRY_KERNELS", "fast")
    with pytest.raises(ImportError, match="expected 'auto', 'native' or 'numpy'"):
        backend._load_native()
