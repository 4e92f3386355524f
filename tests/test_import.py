"""``import segmetry`` costs numpy and nothing else."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("scipy", "PIL", "rich", "click", "defusedxml", "hypothesis", "zarr", "h5py", "dask", "pyarrow", "torch")


def test_importing_segmetry_imports_none_of_the_heavy_packages() -> None:
    program = f"import segmetry, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_test_of_the_test_sees_a_heavy_import() -> None:
    program = f"import segmetry, sys, click; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['click']"
