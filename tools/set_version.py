"""Write a version where it is written: ``python tools/set_version.py VERSION``; without one, check that all agree.

``src/segmetry/_base/version.py`` is the source, which the package's metadata reads; citation and recipe repeat it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = {
    "src/segmetry/_base/version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "conda/recipe.yaml": r'^  version: "(.+)"$',
    "README.md": r"^  version = \{(.+)\},$",
}


def versions() -> dict[str, str]:
    """Return the version that each place names."""
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "no version"
    return found


def write(version: str) -> None:
    """Write the version into each place."""
    for name, pattern in PLACES.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        match = re.search(pattern, text, re.MULTILINE)
        if match is None:
            raise SystemExit(f"{name}: no line like {pattern}")
        path.write_text(text[: match.start(1)] + version + text[match.end(1) :], encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write or check; return the exit status."""
    if arguments:
        write(arguments[0])
    found = versions()
    if len(set(found.values())) == 1:
        return 0
    print("\n".join(f"{name}: {version}" for name, version in found.items()), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
