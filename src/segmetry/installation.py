"""The installed version of segmetry, the kernels in use, and the versions of what it needs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from segmetry.kernels.backend import in_use


def about() -> dict[str, str]:
    """Return the facts to put into a bug report.

    Returns
    -------
    dict of str to str
        The versions of segmetry, Python, numpy and scipy, the machine, and which kernels run.

    Examples
    --------
    >>> about()["kernels"] in ("native", "numpy")
    True
    """
    facts = {
        "segmetry": version("segmetry"),
        "kernels": in_use(),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    for package in ("numpy", "scipy"):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts
