"""Build the wheel and run the light suite on it, installed, under every interpreter: ``python tools/test_wheel.py``.

Interpreters are found on PATH as python3.11 … python3.14, python3.13t and python3.14t, by pyenv, and in ``PYTHONS``,
programs divided by colons; those not found are named. One wheel with the stable ABI is built for Python 3.12 and later,
by the oldest of them, and checked by abi3audit; 3.11 gets a wheel of its own, and interpreters without a global lock
that without compiled code.

--pure      the wheel without compiled code, where zlib takes the place of deflate, as in Pyodide
--oldest    with the oldest versions of all dependencies that pyproject.toml allows, under the oldest interpreter
--only 3.12 under these interpreters only; may be repeated
--newest-other  under the newest of them only that is not this one; none is no error
--quick     the tests of kernels, readers and the command line only
Further arguments, after ``--``, go to pytest.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "test-wheel"
STABLE_FROM = (3, 12)
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t")
PURE = ("--config-settings=wheel.cmake=false", "--config-settings=wheel.py-api=py3")
LIGHT = "not peers and not browser and not cluster and not faults and not napari and not dvc and not gpu and not slow"
HOW = ("-q", "-n", "auto", "--dist", "worksteal", "-p", "no:cacheprovider", "-m", LIGHT, "--ignore-glob=*/adapters/*")
PAGES = ("README.md", "docs/quickstart.md", "docs/linear.md", "docs/panoptic.md", "docs/diagnose.md")
SUITE = ("--pyargs", "segmetry", "tests", *PAGES)
QUICK = ("tests/kernels", "tests/readers/parts", "tests/cli/test_demo.py", "tests/cli/test_score.py")
ABOUT = (
    "import sys, sysconfig; lock = sysconfig.get_config_var('Py_GIL_DISABLED'); "
    "print('%d.%d%s' % (*sys.version_info[:2], 't' if lock else ''))"
)


def interpreters() -> dict[str, str]:
    """Return the program of every version that was found."""
    named = [program for program in os.environ.get("PYTHONS", "").split(os.pathsep) if program]
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip()
        named += sorted(map(str, Path(root).glob("versions/3.*/bin/python3")))
    found: dict[str, str] = {}
    for program in [*named, *(f"python{version}" for version in VERSIONS), sys.executable]:
        path = shutil.which(program)
        if path is None:
            continue
        asked = subprocess.run([path, "-c", ABOUT], capture_output=True, text=True, check=False)
        if asked.returncode == 0 and asked.stdout.strip() in VERSIONS:
            found.setdefault(asked.stdout.strip(), path)
    return dict(sorted(found.items(), key=lambda item: VERSIONS.index(item[0])))


def run(*command: str | Path, **environment: str) -> None:
    """Run a command; a failure ends the script."""
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, check=True)


def new_environment(version: str, program: str) -> Path:
    """Return the Python of a new virtual environment with a pip that knows dependency groups."""
    folder = FOLDER / version
    shutil.rmtree(folder, ignore_errors=True)
    run(program, "-m", "venv", folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
    return python


def is_stable(version: str) -> bool:
    """Whether the wheel with the stable ABI fits: from 3.12 on."""
    return tuple(map(int, version.split("."))) >= STABLE_FROM


def wheel_for(version: str, python: Path, *, pure: bool) -> Path:
    """Return the wheel for an interpreter: built the first time, and for all later versions if its ABI is stable."""
    folder = FOLDER / ("wheel-pure" if pure else "wheel-abi3" if is_stable(version) else f"wheel-{version}")
    if not list(folder.glob("*.whl")):
        settings = PURE if pure else ()
        run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, *settings, ".")
    (wheel,) = folder.glob("*.whl")
    run(sys.executable, "tools/check_wheel.py", "numpy" if pure else "native", wheel)
    return wheel


def oldest(requirements: list[str]) -> list[str]:
    """Return requirements with every lower bound as the only version.

    >>> oldest(["numpy>=1.26", "dask[distributed]>=2024.8; python_version > '3'"])
    ['numpy==1.26', "dask[distributed]==2024.8; python_version > '3'"]
    """
    return [re.sub(r">=([\w.]+)", r"==\1", requirement, count=1) for requirement in requirements]


def dependencies() -> list[str]:
    """Return what segmetry and its extras for users need, as pyproject.toml says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = re.findall(r"[\w]+", extras["all"][0].split("[")[1])
    return [*project["dependencies"], *(need for extra in users for need in extras[extra])]


def check_under(version: str, program: str, options: argparse.Namespace) -> None:
    """Install the wheel in a new environment of an interpreter and run the suite."""
    python = new_environment(version, program)
    pure = options.pure or version.endswith("t")
    wheel = wheel_for(version, python, pure=pure)
    bounds = oldest(dependencies()) if options.oldest else []
    run(python, "-m", "pip", "install", "--quiet", "--group", "test", f"{wheel}[all]", *bounds)
    if options.pure:
        run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "deflate")
    if wheel.match("*-abi3-*"):
        run(python, "-m", "pip", "install", "--quiet", "abi3audit>=0.0.26")
        run(python, "-m", "abi3audit", "--strict", "--summary", wheel)
    run(python, "-c", "import segmetry, sys; assert segmetry.__file__.startswith(sys.prefix), segmetry.__file__")
    suite = QUICK if options.quick else SUITE
    run(python, "-m", "pytest", *HOW, *options.pytest, *suite, SEGMETRY_KERNELS="numpy" if pure else "native")


def main() -> int:
    """Build, install and test; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oldest", action="store_true")
    parser.add_argument("--pure", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--newest-other", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="VERSION")
    parser.add_argument("pytest", nargs="*")
    options = parser.parse_args()
    found = interpreters()
    chosen = {version: found[version] for version in (options.only or found) if version in found}
    if options.oldest or options.pure:
        chosen = dict(list(chosen.items())[:1])
    if options.newest_other:
        this = "{}.{}".format(*sys.version_info)
        chosen = dict([item for item in chosen.items() if item[0] != this][-1:])
    for old in FOLDER.glob("wheel-*"):
        shutil.rmtree(old)
    ended: dict[str, str] = {}
    for version, program in chosen.items():
        print(f"\n=== Python {version}: {program}", flush=True)
        try:
            check_under(version, program, options)
        except subprocess.CalledProcessError as problem:
            ended[version] = f"failed: {' '.join(map(str, problem.cmd))[:200]}"
        else:
            ended[version] = "passed"
    missing = [version for version in (options.only or VERSIONS) if version not in chosen]
    print("\n" + "\n".join(f"Python {version}: {outcome}" for version, outcome in ended.items()))
    print(f"not run: {', '.join(missing) or 'none'}")
    failed = any(outcome != "passed" for outcome in ended.values())
    return 1 if failed or not (chosen or options.newest_other) else 0


if __name__ == "__main__":
    sys.exit(main())
