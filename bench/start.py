"""The time of ``import segmetry``, in fresh interpreters, against ``import numpy``."""

from __future__ import annotations

import subprocess
import sys

from bench.cases import Call, Contest, Limit, case

NUMPY = "import numpy alone"


def _import(modules: str) -> Call:
    def call() -> None:
        subprocess.run([sys.executable, "-c", f"import {modules}"], check=True)

    return call


@case("import numpy, segmetry in a new interpreter", Limit(NUMPY, at_most=1.5))
def imports() -> Contest:
    return Contest(_import("numpy, segmetry"), {NUMPY: _import("numpy")})
