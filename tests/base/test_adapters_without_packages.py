"""An adapter whose package is missing says what to install."""

from __future__ import annotations

import importlib
import sys

import pytest

from segmetry.errors import MissingExtraError

NEEDED = {
    "ignite": ("ignite", "pytorch-ignite"),
    "item_widget": ("anywidget", "anywidget"),
    "mmengine": ("torch", "mmengine torch"),
    "monai": ("torch", "monai"),
    "torchmetrics": ("torch", r"'segmetry\[torch\]'"),
}


@pytest.mark.parametrize("adapter", NEEDED)
def test_the_remedy_is_stated(adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, installed = NEEDED[adapter]
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith("segmetry.adapters.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"^segmetry\.adapters\.{adapter} needs .*: pip install {installed}$"):
        importlib.import_module(f"segmetry.adapters.{adapter}")
