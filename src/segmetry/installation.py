"""The installed version of segmetry, the kernels in use, and the versions of what it needs."""

from __future__ import annotations

from segmetry.kernels import in_use, why_not_native

FREE_THREADED_NOTE = (
    "this interpreter has no global lock (free-threaded), which segmetry does not support: the numpy kernels give the "
    "same numbers, but caches are filled without locks, so call segmetry from one thread at a time, or use processes"
)


def about() -> dict[str, str]:
    """Return the facts to put into a bug report.

    Returns
    -------
    dict of str to str
        The versions of segmetry, Python, numpy and scipy, the machine, and which kernels run; ``kernels_note`` says
        why the numpy kernels run where nobody chose them, ``interpreter_note`` that an interpreter without a global
        lock is not supported.

    Examples
    --------
    >>> about()["kernels"] in ("native", "numpy")
    True
    """
    import platform
    import sysconfig
    from importlib.metadata import PackageNotFoundError, version

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
    if why_not_native():
        facts["kernels_note"] = slow_kernels_note()
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        facts["interpreter_note"] = FREE_THREADED_NOTE
    return facts


def slow_kernels_note() -> str:
    """Return why the compiled kernels are missing and what to do; empty where they run or numpy's were chosen."""
    if not why_not_native():
        return ""
    return (
        f"the compiled kernels are missing ({why_not_native()}): numpy counts the same numbers, slower. With a C++17 "
        "compiler, 'pip install --force-reinstall --no-deps --no-binary segmetry segmetry' builds them; "
        "SEGMETRY_KERNELS=numpy silences this note"
    )
