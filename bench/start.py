"""The processor time of a first use, in fresh interpreters, against ``import numpy``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from bench.cases import Call, Contest, Limit, case

NUMPY = "import numpy alone"


def _program(source: str) -> Call:
    def call() -> None:
        subprocess.run([sys.executable, "-c", source], check=True, stdout=subprocess.DEVNULL)

    return call


@cache
def _files() -> tuple[str, str]:
    """Two label images of a few pixels."""
    folder = Path(tempfile.mkdtemp())
    for name in ("true", "pred"):
        np.save(folder / f"{name}.npy", np.array([[1, 1, 2, 2]]))
    return str(folder / "true.npy"), str(folder / "pred.npy")


@case("import numpy, segmetry in a new interpreter", Limit(NUMPY, at_most=1.5))
def imports() -> Contest:
    return Contest(_program("import numpy, segmetry"), {NUMPY: _program("import numpy")})


@case("a first sm.pq in a new interpreter", Limit(NUMPY, at_most=2.5))
def first_metric() -> Contest:
    return Contest(_program("import segmetry as sm; sm.pq([[1, 1]], [[1, 1]])"), {NUMPY: _program("import numpy")})


@case("segmetry score of two tiny files in a new interpreter", Limit(NUMPY, at_most=4.5))
def first_score() -> Contest:
    source = f"from segmetry.cli.main import main; main(['score', {', '.join(map(repr, _files()))}])"
    return Contest(_program(source), {NUMPY: _program("import numpy")})
