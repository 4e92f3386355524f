"""The processor time of a first use, in fresh interpreters, against ``import numpy``.

Modules are compiled once, as they are when a package is installed, wherever the compiled files may be written.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from bench.cases import Call, Contest, Limit, case

NUMPY = "import numpy alone"


def program(source: str) -> Call:
    """Return a call that runs a program; its modules are compiled beforehand."""

    def call() -> None:
        command = [sys.executable, "-c", source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_compiled_once())

    call()
    return call


@cache
def _compiled_once() -> dict[str, str]:
    """Return the environment with a folder for compiled modules."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": tempfile.mkdtemp()}


@cache
def _files() -> tuple[str, str]:
    """Two label images of a few pixels."""
    folder = Path(tempfile.mkdtemp())
    for name in ("true", "pred"):
        np.save(folder / f"{name}.npy", np.array([[1, 1, 2, 2]]))
    return str(folder / "true.npy"), str(folder / "pred.npy")


@case("import numpy, segmetry in a new interpreter", Limit(NUMPY, at_most=1.5))
def imports() -> Contest:
    return Contest(program("import numpy, segmetry"), {NUMPY: program("import numpy")})


@case("a first sm.pq in a new interpreter", Limit(NUMPY, at_most=1.5))
def first_metric() -> Contest:
    return Contest(program("import segmetry as sm; sm.pq([[1, 1]], [[1, 1]])"), {NUMPY: program("import numpy")})


@case("segmetry score of two tiny files in a new interpreter", Limit(NUMPY, at_most=2.4))
def first_score() -> Contest:
    arguments = ["segmetry", "score", *_files()]
    source = f"import sys; sys.argv = {arguments}; from segmetry.cli.main import main; sys.exit(main())"
    return Contest(program(source), {NUMPY: program("import numpy")})
