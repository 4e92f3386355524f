"""Run every command of README and quick start with an installed segmetry, in a folder where ``segmetry demo`` was run.

``python tools/check_examples.py PROGRAM FOLDER``: a command may fail only because an optional package is missing.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/quickstart.md")
COMMAND = re.compile(
    r"(?:^|`|^\$ )segmetry ((?:score|diagnose|compare|report|explain|export|plot)\b[^`\n|]*)", re.MULTILINE
)
PLACEHOLDER = re.compile("NAME|TRUE|…")


def commands() -> list[str]:
    """Return the arguments of every command that can be run as it stands."""
    texts = [(PROJECT / page).read_text("utf-8") for page in PAGES]
    found = {command.split("  #")[0].strip() for text in texts for command in COMMAND.findall(text)}
    return sorted(command for command in found if not PLACEHOLDER.search(command))


def main() -> None:
    """Run the commands; exit with 1 at the first that fails."""
    program, folder = sys.argv[1:]
    for command in commands():
        done = subprocess.run(
            [program, *shlex.split(command)], cwd=folder, capture_output=True, encoding="utf-8", check=False
        )
        needs_extra = done.returncode == 2 and "pip install 'segmetry[" in done.stderr
        if done.returncode and not needs_extra:
            raise SystemExit(f"segmetry {command}\n{done.stderr}exit code {done.returncode}")
    print(f"{len(commands())} commands of {' and '.join(PAGES)} run as they stand")


if __name__ == "__main__":
    main()
