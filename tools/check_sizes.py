"""Reject large files, such as a package downloaded into the checkout: ``python tools/check_sizes.py FILE …``."""

from __future__ import annotations

import sys
from pathlib import Path

MOST = 200_000


def main(names: list[str]) -> int:
    """Name the files that are larger than MOST bytes; return the exit status."""
    sizes = {name: Path(name).stat().st_size for name in names}
    large = {name: size for name, size in sizes.items() if size > MOST}
    for name, size in large.items():
        print(f"{name}: {size:,} bytes; at most {MOST:,} are kept in the repository", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
