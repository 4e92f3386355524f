"""The ratios of every measured commit, one line of JSON each: ``python -m bench --history FILE``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from bench.report import machine
from bench.timing import Row


def commit() -> tuple[str, str]:
    """Return the short name of the commit that is checked out, with + if files have changed since, and its date."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()

    changed = "+" if git("status", "--porcelain", "--", "src", "native") else ""
    return git("rev-parse", "--short=8", "HEAD") + changed, git("show", "-s", "--format=%cs", "HEAD")


def remember(rows: list[Row], command: str, file: Path) -> None:
    """Add the ratios of this commit; those measured before by the same command are replaced."""
    name, date = commit()
    entry = {
        "commit": name,
        "date": date,
        "command": command,
        "machine": machine(),
        "ratios": _by_name([row for row in rows if not row.target.startswith("≤")]),
        "yardsticks": _by_name([row for row in rows if row.target.startswith("≤")]),
    }
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    kept = [line for line in lines if [json.loads(line)[key] for key in ("commit", "command")] != [name, command]]
    text = "".join(line + "\n" for line in (*kept, json.dumps(entry, ensure_ascii=False)))
    file.write_text(text, encoding="utf-8")


def _by_name(rows: list[Row]) -> dict[str, float]:
    return {f"{row.case} | {row.peer}": float(f"{row.ratio:.3g}") for row in rows if row.ratio is not None}
