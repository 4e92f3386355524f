"""Output of the benchmark: machine, versions and rows."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from pathlib import Path

from bench.timing import Row
from segmetry.kernels.backend import in_use

PEERS = ("numpy", *(Path(__file__).parent / "requirements.txt").read_text(encoding="utf-8").split())


def machine() -> dict[str, str]:
    """Describe the machine without identifying it."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "kernels": in_use(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def versions() -> dict[str, str]:
    """The versions of the peers that are installed."""
    installed = {}
    for name in PEERS:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed[name] = "not installed"
    return installed


def as_json(rows: list[Row], command: str) -> str:
    """Return all measurements as JSON."""
    document = {
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "rows": [row.to_dict() for row in rows],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_markdown(rows: list[Row], command: str) -> str:
    """Return a table of ratios, with the command and the machine."""
    described = ", ".join(f"{key} {value}" for key, value in {**machine(), **versions()}.items())
    lines = [
        "# Benchmark",
        "",
        f"`{command}`: {described}.",
        "",
        "A ratio with ≥ is the peer's time divided by ours. A ratio with ≤ is our time divided by that of a yardstick.",
        "Times are the shortest of all repeats, in processor time; ours and the peers' calls take turns.",
        "",
    ]
    for title, from_files in (("From files to the printed numbers", True), ("Kernels and other parts", False)):
        found = [table_line(row) for row in rows if row.from_files == from_files]
        lines += [f"## {title}", "", *_HEAD, *found, ""] if found else []
    return "\n".join(lines)


_HEAD = ("| case | against | target | ratio | | ours | peer | remark |", "|---|---|---|---|---|---|---|---|")


def table_line(row: Row) -> str:
    """Return one row of the table in Markdown."""
    verdict = {True: "pass", False: "FAIL", None: "–"}[row.passed]
    ratio = "–" if row.ratio is None else f"{row.ratio:.2f}×"
    peer = "–" if row.peer_ms is None else f"{row.peer_ms:.3g} ms"
    cells = [
        f"{row.case}: {row.words}",
        row.peer,
        row.target,
        ratio,
        verdict,
        f"{row.ours_ms:.3g} ms",
        peer,
        row.remark,
    ]
    return "| " + " | ".join(cells) + " |"
