"""Check that a built wheel is what its file name says: ``python tools/check_wheel.py native|numpy WHEEL``.

A wheel with compiled code and the tag ``py3-none-any`` would install everywhere and fail on someone else's machine.
"""

from __future__ import annotations

import sys
from email.parser import Parser
from itertools import product
from pathlib import Path
from zipfile import ZipFile

SHIPPED = (
    "segmetry/__init__.py",
    "segmetry/__init__.pyi",
    "segmetry/_base/built_in.py",
    "segmetry/py.typed",
    "segmetry/_base/references.bib",
    "segmetry/report/style.css",
    "segmetry/report/js/main.js",
)


def expanded(tags: str) -> set[str]:
    """Return the single tags of a compressed one: auditwheel names a wheel for several platforms at once.

    >>> sorted(expanded("cp312-abi3-manylinux2014_x86_64.manylinux_2_17_x86_64"))
    ['cp312-abi3-manylinux2014_x86_64', 'cp312-abi3-manylinux_2_17_x86_64']
    """
    return {"-".join(parts) for parts in product(*(part.split(".") for part in tags.split("-")))}


def complaints(path: Path, kernels: str) -> list[str]:
    """What is wrong with the wheel, in sentences; empty when it is right."""
    plain = kernels == "numpy"
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        facts = Parser().parsestr(wheel.read(next(n for n in names if n.endswith(".dist-info/WHEEL"))).decode())
    tag = path.name.removesuffix(".whl").split("-", 2)[2]
    stated = set(facts.get_all("Tag", []))
    compiled = [name for name in names if name.endswith((".so", ".pyd", ".dylib"))]
    stray = [name for name in names if not name.startswith(("segmetry/", "segmetry-"))]
    checks = [
        (stated == expanded(tag), f"the WHEEL file says {', '.join(sorted(stated))}, the file name {tag}"),
        ((tag == "py3-none-any") == plain, f"the tag is {tag}, which is wrong for {kernels} kernels"),
        ((facts["Root-Is-Purelib"] == "true") == plain, f"Root-Is-Purelib is {facts['Root-Is-Purelib']}"),
        (bool(compiled) != plain, f"compiled files: {compiled or 'none'}"),
        (not stray, f"files outside the package: {stray}"),
        *((name in names, f"{name} is missing") for name in SHIPPED),
    ]
    return [sentence for right, sentence in checks if not right]


def main(arguments: list[str]) -> int:
    """Print the complaints and return the exit status."""
    if len(arguments) != 2 or arguments[0] not in ("native", "numpy"):
        print(__doc__, file=sys.stderr)
        return 2
    found = complaints(Path(arguments[1]), arguments[0])
    for sentence in found:
        print(f"{arguments[1]}: {sentence}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
