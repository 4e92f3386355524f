"""Tables of the measurements kept in docs/measured, for the pages of speed and growth."""

from __future__ import annotations

import json
import math
from typing import Any

from _live import PROJECT

KEPT = PROJECT / "docs" / "measured"
Measured = dict[str, Any]
WHOLE_TASKS = (
    "png", "class_maps", "detections", "panoptic", "boundary", "medicine", "lesions", "surface", "videos", "linear",
    "entities", "diarization", "partitions", "stored", "small_calls", "intervals",
)  # fmt: skip
"""Subjects of the benchmark that people run as they are: from files or arrays to scores."""


def kept(name: str) -> Measured | None:
    """Return a measurement, or None where this copy has none."""
    file = KEPT / name
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


def origin(measured: Measured) -> str:
    """Say by which command and where something was measured."""
    machine = ", ".join(f"{key} {value}" for key, value in measured["machine"].items())
    versions = ", ".join(f"{key} {value}" for key, value in measured.get("versions", {}).items())
    return f"Measured with `{measured['command']}` on: {machine}." + (f" Versions: {versions}." if versions else "")


def _place(subject: str) -> tuple[int, str]:
    """Return the place of a subject in the table."""
    return (WHOLE_TASKS.index(subject) if subject in WHOLE_TASKS else len(WHOLE_TASKS)), subject


def peer_table(measured: Measured, *, from_files: bool = False) -> str:
    """Return how many times as fast segmetry is as each package, from files to numbers, or in parts; by subject.

    >>> row = {"case": "rle.decode", "words": "masks", "peer": "pycocotools", "target": "≥ 2×", "passed": True}
    >>> print(peer_table({"rows": [{**row, "ratio": 3}]}).splitlines()[-1])
    | rle | masks | pycocotools | **3×** | ≥ 2× |
    """
    rows = [row for row in measured["rows"] if not row["target"].startswith("≤") and row["ratio"] is not None]
    rows = [row for row in rows if row.get("from_files", False) == from_files]
    rows.sort(key=lambda row: (*_place(row["case"].partition(".")[0]), row["words"], -row["ratio"]))
    lines = ["| subject | task | against | times as fast | asked |", "|---|---|---|---|---|"]
    for row in rows:
        subject = row["case"].partition(".")[0].replace("_", " ")
        asked = "" if row["target"] == "none" else row["target"] + (" (missed)" if row["passed"] is False else "")
        lines.append(f"| {subject} | {row['words']} | {row['peer']} | **{row['ratio']:.3g}×** | {asked} |")
    return "\n".join(lines)


def yardstick_table(measured: Measured) -> str:
    """Return how many times the least possible time segmetry takes."""
    lines = ["| task | yardstick | times as long | asked |", "|---|---|---|---|"]
    for row in measured["rows"]:
        if row["target"].startswith("≤") and row["ratio"] is not None:
            missed = " (missed)" if row["passed"] is False else ""
            lines.append(f"| {row['words']} | {row['peer']} | {row['ratio']:.3g}× | {row['target']}{missed} |")
    return "\n".join(lines)


def history_table() -> str:
    """Return one line for each measured commit: the geometric mean of its ratios to packages."""
    file = KEPT / "history.jsonl"
    lines = ["| commit | date | command | comparisons | geometric mean of the ratios |", "|---|---|---|---|---|"]
    for text in file.read_text("utf-8").splitlines() if file.is_file() else []:
        entry = json.loads(text)
        ratios = [ratio for ratio in entry["ratios"].values() if ratio > 0]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
        lines.append(f"| {entry['commit']} | {entry['date']} | `{entry['command']}` | {len(ratios)} | {mean:.3g}× |")
    return "\n".join(lines)


def growth_table(measured: Measured, along: str) -> str:
    """Return the curves along one axis: the largest input measured, its time and memory, and both exponents."""
    lines = ["| what | largest | seconds | exponent | MB | exponent |", "|---|---|---|---|---|---|"]
    for curve in measured["curves"]:
        if curve["along"] == along:
            size, seconds, megabytes = curve["points"][-1]
            time, memory = (
                "–" if slope is None else f"{slope:.2f}" for slope in (curve["time_exponent"], curve["memory_exponent"])
            )
            lines.append(f"| {curve['words']} | {size:,} | {seconds:.3g} | {time} | {megabytes:.3g} | {memory} |")
    return "\n".join(lines)
