"""Build the kernels for other compilers, systems and machines: ``python tools/portable.py TARGET [TARGET …]``.

plain     this machine's c++, without vector instructions and compilers' own functions; the kernels' tests run
clang     this machine's clang++; the kernels' tests run
windows   x86-64, compiled and linked by zig (GNU ABI)
macos     arm64, compiled and linked by zig
aarch64   Linux on aarch64, compiled and linked by zig against Debian's Python; the kernels' tests run under qemu-user

Needs nanobind and ziglang (PyPI); aarch64 also apt-get, dpkg-deb and qemu-user-static (Debian). A target that lacks a
program is not run, and the last line says so; the exit status is 1 where a target fails or none was run. Everything
goes into build/portable. Arguments after ``--`` go to pytest.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "portable"
LIMITED_FROM = (3, 12)
FLAGS = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-fno-strict-aliasing", "-DNDEBUG"]
FLAGS += ["-ffp-contract=off"]  # no fused multiply-add: the bits of the numpy twins
DEBIAN = ["python3", "libpython3-dev", "libstdc++6"]  # the last is what numpy's wheel needs
NEEDED = ["numpy", "scipy", "pillow", "click", "rich", "defusedxml", "latex2mathml", "pytest>=9", "hypothesis"]


class NotRunError(Exception):
    """A target cannot be built here, for the reason stated."""


def run(*command: str | Path, **environment: str) -> None:
    """Run a command; a failure ends the script."""
    subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, check=True)


def nanobind() -> Path:
    """Return the folder of the installed nanobind."""
    found = find_spec("nanobind")
    if found is None or not found.submodule_search_locations:
        raise NotRunError("nanobind is missing: pip install nanobind")
    return Path(next(iter(found.submodule_search_locations)))


def need(program: str, remedy: str) -> str:
    """Return the path of a program, or say how it is installed."""
    path = shutil.which(program)
    if path is None:
        raise NotRunError(f"{program} is missing: {remedy}")
    return path


def zig(target: str) -> list[str]:
    """Return the command of zig's C++ compiler for another machine."""
    if find_spec("ziglang") is None:
        raise NotRunError("zig is missing: pip install ziglang")
    return [sys.executable, "-m", "ziglang", "c++", "-target", target]


def sources() -> list[Path]:
    """Return every source of the extension, nanobind's own last."""
    ours = re.findall(r"^  (native/\w+\.cpp)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    return [*(ROOT / name for name in ours), nanobind() / "src" / "nb_combined.cpp"]


def headers(folder: Path, pyconfig: Path | None) -> Path:
    """Return a copy of Python's headers, where pyconfig.h may be that of another system."""
    copied = folder / "include"
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), copied)
    if pyconfig is not None:
        shutil.copy(pyconfig, copied / "pyconfig.h")
    return copied


def compiled(name: str, compiler: list[str], include: Path, *, limited: bool) -> list[Path]:
    """Compile every source and return the objects; a warning about our own code is an error."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    home = nanobind()
    paths = [f"-isystem{include}", f"-isystem{home}/include", f"-isystem{home}/ext/robin_map/include"]
    stable = ["-DPy_LIMITED_API=0x030C0000"] if limited else []

    newest = max(path.stat().st_mtime for path in (ROOT / "native").iterdir())

    def compile_one(source: Path) -> Path:
        target = folder / f"{source.stem}.o"
        if target.exists() and target.stat().st_mtime > newest:
            return target
        own = ["-Werror"] if source.parent.name == "native" else ["-DNB_BUILD", "-DNB_COMPACT_ASSERTIONS", "-w"]
        run(*compiler, *FLAGS, *stable, *own, *paths, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_one, sources()))


def check_without_python(name: str, compiler: list[str], runner: list[str]) -> None:
    """Compare vector instructions and compilers' own functions with plain loops, in a program that needs no Python."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "portable_check"
    vectors = [f"native/{stem}.cpp" for stem in ("joint_ends", "joint_ends_avx2", "joint_ends_avx512")]
    run(*compiler, *FLAGS, "-Inative", "tests/kernels/portable_check.cpp", *vectors, "-o", program)
    run(*runner, program)


def windows() -> None:
    """Link against an import library made from the names in Python's headers."""
    folder = FOLDER / "windows"
    include = headers(folder, ROOT / "tools" / "pyconfig_windows.h")
    compiler = zig("x86_64-windows-gnu")
    objects = compiled("windows", compiler, include, limited=sys.version_info >= LIMITED_FROM)
    text = "\n".join(path.read_text(errors="replace") for path in include.rglob("*.h"))
    functions = set(re.findall(r"PyAPI_FUNC\([^)]*\)\s*\*?(\w+)", text))
    data = set(re.findall(r"PyAPI_DATA\([^)]*\)\s*(\w+)", text))
    names = [*sorted(functions - data), *(f"{name} DATA" for name in sorted(data))]
    (folder / "python3.def").write_text("LIBRARY python3.dll\nEXPORTS\n" + "\n".join(names) + "\n")
    library = folder / "libpython3.a"
    run(sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", folder / "python3.def", "-l", library)
    run(*compiler, "-shared", *objects, library, "-o", folder / "_native.pyd")


def macos() -> None:
    """Link with the names of Python left to be found when the module is loaded."""
    folder = FOLDER / "macos"
    compiler = zig("aarch64-macos")
    objects = compiled("macos", compiler, headers(folder, None), limited=sys.version_info >= LIMITED_FROM)
    run(*compiler, "-shared", "-Wl,-undefined,dynamic_lookup", *objects, "-o", folder / "_native.abi3.so")


def debian_root(folder: Path) -> Path:
    """Return a folder with Debian's Python for aarch64 and its headers, unpacked; the system is not touched."""
    root, state = folder / "root", folder / "apt"
    if (root / "usr/bin/python3").exists():
        return root
    for part in ("lists/partial", "archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Debug::NoLocking": "true",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    run(*apt, "update")
    run(*apt, "install", "--yes", "--download-only", "--no-install-recommends", *DEBIAN)
    for package in (state / "archives").glob("*.deb"):
        run("dpkg-deb", "--extract", package, root)
    return root


def aarch64(arguments: list[str]) -> None:
    """Compile for Debian's Python for aarch64, and run the kernels' tests with it under qemu."""
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None:
        raise NotRunError("qemu-aarch64 is missing: apt-get install qemu-user-static")
    for program in ("apt-get", "dpkg-deb"):
        need(program, "Debian's Python for aarch64 is fetched by it")
    check_without_python("aarch64", [*zig("aarch64-linux-musl"), "-static"], [qemu])
    folder = FOLDER / "aarch64"
    root = debian_root(folder)
    (include,) = (root / "usr/include").glob("python3.*")
    version = include.name.removeprefix("python")
    shutil.copy(root / f"usr/include/aarch64-linux-gnu/python{version}/pyconfig.h", include / "pyconfig.h")
    compiler = [*zig("aarch64-linux-gnu.2.28"), "-fPIC"]
    library = folder / "_native.abi3.so"
    run(*compiler, "-shared", *compiled("aarch64", compiler, include, limited=False), "-o", library)
    packages = folder / "packages"
    if not packages.exists():
        where: list[str | Path] = [
            "--target",
            packages,
            "--platform",
            "manylinux_2_28_aarch64",
            "--python-version",
            version,
        ]
        run(sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *where, *NEEDED)
    python: list[str | Path] = [qemu, "-L", root, root / "usr/bin" / f"python{version}"]
    home = {"PYTHONHOME": str(root / "usr"), "PYTHONPATH": f"{copy_of_sources(library)}{os.pathsep}{packages}"}
    # Those of the GPU's source compile it with this machine's compiler.
    run_tests(python, ["-m", "not slow", "--ignore=tests/kernels/gpu", *arguments], **home)


def copy_of_sources(library: Path) -> Path:
    """Return a copy of src whose kernels are the given library."""
    copy = library.parent / "src"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(library, copy / "segmetry" / "kernels" / "_native.abi3.so")
    return copy


def run_tests(python: list[str | Path], arguments: list[str], **environment: str) -> None:
    """Run the kernels' tests with the kernels that were just built, and make sure that they are the ones used."""
    asked = "from segmetry.kernels.backend import native; import platform; print(native.__file__, platform.machine())"
    environment |= {"SEGMETRY_KERNELS": "native", "HYPOTHESIS_PROFILE": "dev", "PYTHONDONTWRITEBYTECODE": "1"}
    run(*python, "-c", asked, **environment)
    run(*python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/kernels", *arguments, **environment)


def host(name: str, compiler: list[str], arguments: list[str]) -> None:
    """Build for this machine and run the kernels' tests."""
    need(compiler[0], "apt-get install g++ clang")
    check_without_python(name, compiler, [])
    objects = compiled(name, [*compiler, "-fPIC"], Path(sysconfig.get_path("include")), limited=False)
    library = FOLDER / name / "_native.so"
    run(compiler[0], "-shared", *objects, "-o", library, "-pthread")
    run_tests([sys.executable], arguments, PYTHONPATH=str(copy_of_sources(library)))


def main(arguments: list[str]) -> int:
    """Build the named targets; return the exit status."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    targets, more = arguments[:split], arguments[split + 1 :]
    known: dict[str, Callable[[], None]] = {
        "plain": lambda: host("plain", ["c++", "-DSEGMETRY_PORTABLE"], more),
        "clang": lambda: host("clang", ["clang++"], more),
        "windows": windows,
        "macos": macos,
        "aarch64": lambda: aarch64(more),
    }
    if not targets or not set(targets) <= set(known):
        print(__doc__, file=sys.stderr)
        return 2
    ended: dict[str, str] = {}
    for target in targets:
        print(f"=== {target}", flush=True)
        try:
            known[target]()
        except NotRunError as reason:
            ended[target] = f"not run, {reason}"
        except subprocess.CalledProcessError as problem:
            ended[target] = f"failed: {' '.join(map(str, problem.cmd))[:200]}"
        else:
            ended[target] = "passed"
        print(f"{target}: {ended[target]}", flush=True)
    print("\n" + "\n".join(f"{target}: {outcome}" for target, outcome in ended.items()))
    failed = any(outcome.startswith("failed") for outcome in ended.values())
    return 1 if failed or "passed" not in ended.values() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
