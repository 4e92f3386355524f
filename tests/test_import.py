"""``import segmetry`` costs numpy and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from segmetry.kernels.backend import native

HEAVY = ("scipy", "PIL", "rich", "click", "defusedxml", "hypothesis", "zarr", "h5py", "dask", "pyarrow", "torch")
MASKED = () if native is None else ("numpy.ma",)
"""The numpy kernels sort and compare sets, for which numpy imports its masked arrays."""


def test_importing_segmetry_imports_none_of_the_heavy_packages() -> None:
    program = f"import segmetry, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_test_of_the_test_sees_a_heavy_import() -> None:
    program = f"import segmetry, sys, click; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['click']"


SCORE = """
import sys
from segmetry.cli.main import main
main(["score", "true.npy", "pred.npy"])
"""


def _modules(program: str, folder: Path) -> set[str]:
    """Return the modules that are imported when a program ends."""
    program += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_a_first_metric_imports_what_it_needs(tmp_path: Path) -> None:
    modules = _modules("import segmetry as sm; sm.pq([[1]], [[1]])", tmp_path)
    assert modules.isdisjoint({*MASKED, "importlib.metadata", "segmetry.readers.reader", "html", "logging", "pathlib"})
    assert sum(name.startswith("segmetry.") for name in modules) <= 83
    before = _modules("import numpy", tmp_path)
    assert len(modules - before) <= 100


def test_scoring_two_files_imports_the_readers_of_their_format(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        np.save(tmp_path / f"{side}.npy", np.array([[1, 1, 2, 2]]))
    modules = _modules(SCORE, tmp_path)
    formats = {name for name in modules if name.startswith("segmetry.readers.formats.") and name.count(".") == 4}
    assert formats == {f"segmetry.readers.formats.{name}" for name in ("arrays.npy", "data_sets.nuclei")}
    assert modules.isdisjoint(
        {*MASKED, "importlib.metadata", "multiprocessing", "tomllib", "scipy", "dask", "rich", "concurrent.futures"}
    )
    assert modules.isdisjoint({"logging", "hashlib", "socket", "subprocess", "tempfile", "csv", "difflib"})
    assert "segmetry.evaluation.engines.dask.cluster" not in modules
    assert sum(name.startswith("segmetry.") for name in modules) <= 280
    before = _modules("import numpy", tmp_path)
    assert len(modules - before) <= 335
