"""Render the conda recipe and compare what it needs with pyproject.toml: ``python tools/check_recipe.py``.

Needs py-rattler-build (PyPI). Nothing is built or fetched: what conda-forge states beside a recipe is stated here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABSENT = {"deflate"}
"""Packages that conda-forge does not have; segmetry does without them."""
VARIANT = {"python": ["3.12.*"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]}


def bounds(requirements: Iterable[str]) -> dict[str, str]:
    """Return the lower bound by package.

    >>> bounds(["numpy >=2.0", "deflate>=0.7; platform_machine in 'x86_64'"])
    {'numpy': '2.0', 'deflate': '0.7'}
    """
    found = (re.match(r"([\w-]+) *>=([\w.]+)", need) for need in requirements)
    return {match[1]: match[2] for match in found if match}


def declared() -> dict[str, str]:
    """Return the lower bounds of Python and of every dependency, as pyproject.toml states them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    every = bounds([f"python{project['requires-python']}", *project["dependencies"]])
    return {name: bound for name, bound in every.items() if name not in ABSENT}


def main() -> int:
    """Print what is wrong and return the exit status."""
    from rattler_build import Stage0Recipe, VariantConfig

    recipe = Stage0Recipe.from_file(str(ROOT / "conda" / "recipe.yaml"))
    (rendered,) = recipe.render(VariantConfig(VARIANT))
    facts = rendered.recipe.to_dict()
    stated = bounds(map(str, facts["requirements"]["run"]))
    for name in sorted({*stated, *declared()}):
        if stated.get(name) != declared().get(name):
            print(f"{name}: the recipe says {stated.get(name)}, pyproject.toml {declared().get(name)}", file=sys.stderr)
    print(f"conda recipe: {facts['package']['name']} {facts['package']['version']}, needs {', '.join(stated)}")
    return 0 if stated == declared() else 1


if __name__ == "__main__":
    sys.exit(main())
