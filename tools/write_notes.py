"""Write the fragments of changelog.d into CHANGELOG.md: ``python tools/write_notes.py VERSION``.

A section ``## VERSION (unreleased)`` is a text written by hand for a first release, whose readers have seen nothing
before. It takes what fragments say was added, as further points; those of changes, fixes and removals tell of what no
release had, and are dropped. Any other version gets a section of its own, written by towncrier.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADING = "### Also"


def with_points(changelog: str, version: str, points: list[str]) -> str:
    r"""Return the changelog with points at the end of the section of an unreleased version.

    >>> changelog = "## 1.0 (unreleased)\n\nNew.\n\n## 0.9 (2026-01-01)\n"
    >>> print(with_points(changelog, "1.0", ["A thing\nof use."]))
    ## 1.0 (unreleased)
    <BLANKLINE>
    New.
    <BLANKLINE>
    ### Also
    <BLANKLINE>
    - A thing
      of use.
    <BLANKLINE>
    ## 0.9 (2026-01-01)
    <BLANKLINE>
    """
    begin = changelog.index(f"## {version} (unreleased)")
    later = re.search(r"^## ", changelog[begin + 3 :], re.MULTILINE)
    end = begin + 3 + later.start() if later else len(changelog)
    section, rest = changelog[begin:end].rstrip(), changelog[end:]
    if HEADING not in section:
        section += f"\n\n{HEADING}\n"
    listed = "".join("\n- " + point.strip().replace("\n", "\n  ") for point in points)
    return changelog[:begin] + section + listed + "\n" + ("\n" + rest if rest else "")


def main(arguments: list[str]) -> int:
    """Write the notes, remove the fragments and say which were dropped; return the exit status."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    (version,) = arguments
    path = ROOT / "CHANGELOG.md"
    text = path.read_text(encoding="utf-8")
    fragments = sorted((ROOT / "changelog.d").glob("*.md"))
    if f"## {version} (unreleased)" not in text:
        if fragments:
            towncrier = Path(sys.executable).with_name("towncrier")
            subprocess.run([towncrier, "build", "--yes", "--version", version], cwd=ROOT, check=True)
        return 0
    added = [fragment for fragment in fragments if fragment.name.endswith(".added.md")]
    if added:
        text = with_points(text, version, [fragment.read_text(encoding="utf-8") for fragment in added])
        path.write_text(text, encoding="utf-8")
    for fragment in fragments:
        print(f"{'added' if fragment in added else 'dropped'}: {fragment.name}")
        fragment.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
