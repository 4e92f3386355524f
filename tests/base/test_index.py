"""The generated index makes lookups import less; without it, or where it is out of date, the answers are the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from segmetry._base import index

ANSWERS = """
import sys
if len(sys.argv) > 1:
    sys.modules["segmetry._base.built_in"] = None  # as if the file were missing
import segmetry as sm
from segmetry._base import index
from segmetry.metrics.declare import metrics_of_family
from segmetry.metrics.metric_names import find_metric
from segmetry.protocols.protocol import protocol_of_format
from segmetry.readers.reader import ReadOptions
assert bool(index.METRIC_MODULES) == (len(sys.argv) == 1)
print([metric.key for metric in metrics_of_family("windows")], find_metric("HD95").metric.key)
print(protocol_of_format("coco-panoptic").name, protocol_of_format("png"))
print(ReadOptions(tick="0.01", pred_void=3).as_plain())
print(sm.pq([[1, 1, 2]], [[1, 2, 2]], rule="theta_and"), sm.__all__)
"""


def answers(*arguments: str) -> str:
    program = [sys.executable, "-c", ANSWERS, *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_the_answers_without_an_index_are_the_same() -> None:
    assert answers() == answers("without")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one module that may declare something."""
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "src" / "segmetry"
    (package / "metrics" / "new").mkdir(parents=True)
    (package / "metrics" / "first.py").touch()
    monkeypatch.setattr(index, "_PACKAGE", str(package))
    monkeypatch.setattr(index, "_CHECKOUT", str(tmp_path))
    monkeypatch.setattr("segmetry._base.built_in.MODULES_DIGEST", index.modules_digest())
    return package


@pytest.mark.parametrize(
    "added", ["metrics/new/second.py", "protocols/mine.py", "readers/formats/__init__.py", "cli/__init__.py"]
)
def test_a_checkout_with_a_new_module_does_without_the_index(added: str, package: Path) -> None:
    assert index._generated_tables()
    (package / added).parent.mkdir(parents=True, exist_ok=True)
    (package / added).write_text('"""A package, or a module."""')
    assert not index._generated_tables()
    (package.parents[1] / "pyproject.toml").unlink()  # an installed package is not searched
    assert index._generated_tables()


def test_files_that_declare_nothing_change_nothing(package: Path) -> None:
    (package / "metrics" / "notes.txt").touch()
    (package / "cli.py").touch()
    assert index._generated_tables()


def test_a_metric_that_moved_to_another_module_is_found() -> None:
    program = (
        "from segmetry._base import built_in;"
        "built_in.METRIC_MODULES['panoptic']['pq'] = 'segmetry.metrics.windows.window_metrics';"
        "built_in.METRIC_ALIASES['hd95'] = 'pk'; from segmetry.metrics.metric_names import find_metric;"
        "print(find_metric('pq').metric.key, find_metric('hd95').metric.key)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pq", "hausdorff95"]
