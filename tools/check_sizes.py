"""Reject large files, such as a package downloaded into the checkout: ``python tools/check_sizes.py FILE …``."""

from __future__ import annotations

import sys
from pathlib import Path

MOST = 200_000
ALLOWED = {"src/segmetry/samples/demo.zip": 1_500_000}
"""What may be larger: the data of ``segmetry demo``, which tools/make_demo.py computes."""


def main(names: list[str]) -> int:
    """Name the files that are larger than they may be; return the exit status."""
    sizes = {name: Path(name).stat().st_size for name in names}
    large = {name: size for name, size in sizes.items() if size > ALLOWED.get(name, MOST)}
    for name, size in large.items():
        print(f"{name}: {size:,} bytes; at most {MOST:,} are kept in the repository", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
