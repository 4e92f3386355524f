"""Boundary sensitivity for the page: the change of scores when all predicted segments move by one pixel.

A run contains no pixels, so the sensitivity is passed in, as :func:`segmetry.sensitivity` returns it or
``segmetry sensitivity … --json FILE`` writes it. It belongs to the run with the same fingerprint of every item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segmetry._base import field, list_field
from segmetry.alignments import rule_heading
from segmetry.diagnosis import AVERAGES, BASE, KEYS, Sensitivity
from segmetry.errors import FormatError, InputError, KindError
from segmetry.evaluation import table_fingerprint
from segmetry.readers import load_json
from segmetry.report.page_records import SensitivityData
from segmetry.run import Run

COLUMNS = (*AVERAGES, *(f"change_{average}" for average in AVERAGES))
SETTINGS = ("policy", "classes", "undefined")
SHOWN = 3
WRITTEN = "expected the output of 'segmetry sensitivity TRUE PRED --json FILE'"


def sensitivity_by_run(runs: Sequence[Run], source: Any) -> dict[int, SensitivityData]:
    """Return the data of each sensitivity by the index of its run.

    ``source`` is a ``Sensitivity``, the path of a file, or a list of them, in any order. One that belongs to no run is
    an error.
    """
    listed = [] if source is None else list(source) if isinstance(source, list | tuple) else [source]
    fingerprints = [{name: table_fingerprint(table) for name, table in run.tables()} for run in runs] if listed else []
    by_run: dict[int, SensitivityData] = {}
    for sensitivity in listed:
        where, data = _document(sensitivity)
        if not isinstance(data, dict) or "items" not in data:
            raise FormatError(f"{where}: has no field 'items'; {WRITTEN}")
        at = _owner(fingerprints, data["items"], where)
        if at in by_run:
            raise InputError(f"{where}: second sensitivity of the same run; expected one for each run (--sensitivity)")
        _check_settings(runs[at], data, where)
        by_run[at] = _facts(data, where)
    return by_run


def _document(source: Any) -> tuple[str, Any]:
    if isinstance(source, Sensitivity):
        return "sensitivity", source.to_dict()
    if isinstance(source, str | Path):
        return str(source), load_json(Path(source))
    raise KindError(
        f"sensitivity is a {type(source).__name__}; expected the result of segmetry.sensitivity, or the path of a "
        "JSON file written by segmetry sensitivity"
    )


def _owner(fingerprints: Sequence[Mapping[str, str]], items: Any, where: str) -> int:
    if not isinstance(items, dict) or not items:
        raise FormatError(f"{where}: items is not an object with a fingerprint for every item; {WRITTEN}")
    for at, mine in enumerate(fingerprints):
        if mine == items:
            return at
    word = "the run" if len(fingerprints) == 1 else f"any of the {len(fingerprints)} runs"
    raise InputError(
        f"{where}: not computed from the inputs of {word}: {_difference(fingerprints[0], items)}; compute it from the "
        "truth and the prediction of the run, read with the same options"
    )


def _difference(mine: Mapping[str, str], theirs: Mapping[str, Any]) -> str:
    for words, names in (
        ("the run has no item", [name for name in theirs if name not in mine]),
        ("it has no item", [name for name in mine if name not in theirs]),
        ("segments or overlaps differ in item", [name for name in mine if mine[name] != theirs.get(name)]),
    ):
        if names:
            more = f" … and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            return f"{words} {', '.join(names[:SHOWN])}{more}"
    raise AssertionError("no difference between equal mappings")


def _check_settings(run: Run, data: Any, where: str) -> None:
    wrong = [
        f"{name} is {field(data, name, where)!r} there and {getattr(run.settings, name)!r} in the run"
        for name in SETTINGS
        if field(data, name, where) != getattr(run.settings, name)
    ]
    if wrong:
        raise InputError(f"{where}: not scored with the settings of the run: {'; '.join(wrong)}; expected the same")


def _facts(data: Any, where: str) -> SensitivityData:
    rules, sizes = _texts(data, "rules", where), _texts(data, "sizes", where)
    moves = field(data, "moves", where)
    if not isinstance(moves, dict) or not rules or not moves:
        raise FormatError(f"{where}: contains no rules or no moves; {WRITTEN}")
    axes = len({move[:-1] for move in moves if move.startswith("shift_")})
    rows = {_place(row, at, where): row for at, row in enumerate(list_field(data, "rows", where))}

    def cells(rule: str, move: str, size: str | None, key: str) -> list[float | None]:
        row = rows.get((rule, move, size, key))
        if row is None:
            raise FormatError(
                f"{where}: rows lack {key} under {rule} after {move} for {size or 'all sizes'}; {WRITTEN}"
            )
        return [_number(row, name, where) for name in COLUMNS]

    def under(rule: str, key: str) -> dict[str, list[list[float | None]]]:
        return {move: [cells(rule, move, size, key) for size in (None, *sizes)] for move in (BASE, *moves)}

    return {
        "rules": [(rule, rule_heading(rule)) for rule in rules],
        "moves": {move: _description(move, axes) for move in moves},
        "sizes": sizes,
        "keys": list(KEYS),
        "values": {key: {rule: under(rule, key) for rule in rules} for key in KEYS},
    }


def _texts(data: Any, name: str, where: str) -> list[str]:
    texts = list_field(data, name, where)
    if not all(isinstance(text, str) for text in texts):
        raise FormatError(f"{where}: {name} contains a value that is not a string; {WRITTEN}")
    return texts


def _place(row: Any, at: int, where: str) -> tuple[Any, ...]:
    place = tuple(field(row, name, f"{where}: rows[{at}]") for name in ("rule", "move", "size", "key"))
    if not all(part is None or isinstance(part, str) for part in place):
        raise FormatError(f"{where}: rows[{at}] has a rule, move, size or key that is not a string; {WRITTEN}")
    return place


def _number(row: Any, name: str, where: str) -> float | None:
    value = field(row, name, f"{where}: a row of {row['key']}")
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= 1):
        return value
    raise FormatError(
        f"{where}: {name} of {row['key']} is {str(value)[:40]!a}; expected a number from -1 to 1, or null"
    )


def _description(move: str, axes: int) -> str:
    """Describe a move."""
    if move.startswith("shift_"):
        axis, sign = int(move.removeprefix("shift_")[:-1]), move[-1]
        words = {(0, "-"): "up", (0, "+"): "down", (1, "-"): "left", (1, "+"): "right"} if axes == 2 else {}
        way = "back" if sign == "-" else "forward"
        return f"{words.get((axis, sign), f'axis {axis}, {way}')} 1 px"
    return {"dilate": "grow 1 px", "erode": "shrink 1 px"}.get(move, move)
