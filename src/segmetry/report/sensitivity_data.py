"""The sensitivity for the page: how much a score changes when all predicted segments move by one element.

A run keeps no elements, so the page cannot have it from there: it is handed over, as :func:`segmetry.sensitivity`
returns it or as ``segmetry sensitivity … --json FILE`` wrote it. It belongs to a run if the same was counted in every
item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segmetry._base.json_fields import field, list_field
from segmetry.diagnosis.scored_state import KEYS
from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
from segmetry.errors import FormatError, InputError, KindError
from segmetry.evaluation.fingerprint import table_fingerprint
from segmetry.readers.parts.strict_json import load_json
from segmetry.report.run_data import LABELS
from segmetry.run.run import Run

COLUMNS = ("mean", "pooled", "change_mean", "change_pooled")
SETTINGS = ("policy", "classes", "undefined")
SHOWN = 3
WRITTEN = "expected what 'segmetry sensitivity TRUE PRED --json FILE' writes"


def sensitivity_by_run(runs: Sequence[Run], given: Any) -> dict[int, dict[str, Any]]:
    """What the page shows of each sensitivity, by the number of the run it belongs to.

    ``given`` is a ``Sensitivity``, the path of a file, or a list of them, in any
    order. One that belongs to none of the runs is an error.

    >>> import segmetry as sm
    >>> true, pred = {"a": [[1, 1, 1, 1, 2, 2, 0]]}, {"a": [[1, 1, 1, 1, 2, 2, 0]]}
    >>> found = sensitivity_by_run([sm.evaluate(true, pred, metrics="pq")], sm.sensitivity(true, pred))
    >>> found[0]["values"]["pq"]["theta_and"]["erode"][0][:2]
    [0.5, 0.5]
    """
    listed = [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
    counted = [{name: table_fingerprint(table) for name, table in run.tables()} for run in runs] if listed else []
    found: dict[int, dict[str, Any]] = {}
    for one in listed:
        where, data = _document(one)
        if not isinstance(data, dict) or "items" not in data:
            raise FormatError(f"{where}: has no field 'items'; {WRITTEN}")
        at = _owner(counted, data["items"], where)
        if at in found:
            raise InputError(f"{where}: is the second sensitivity of one run; expected one for each (--sensitivity)")
        _check_settings(runs[at], data, where)
        found[at] = _facts(data, where)
    return found


def _document(given: Any) -> tuple[str, Any]:
    """What to call it, and its content."""
    if isinstance(given, Sensitivity):
        return "sensitivity", given.as_dict()
    if isinstance(given, str | Path):
        return str(given), load_json(Path(given))
    raise KindError(
        f"sensitivity is a {type(given).__name__}; expected what segmetry.sensitivity returns, or the path of a JSON "
        "file that segmetry sensitivity has written"
    )


def _owner(counted: Sequence[Mapping[str, str]], items: Any, where: str) -> int:
    """The run in which the same was counted."""
    if not isinstance(items, dict) or not items:
        raise FormatError(f"{where}: items is no object with a fingerprint for every item; {WRITTEN}")
    for at, mine in enumerate(counted):
        if mine == items:
            return at
    word = "the run" if len(counted) == 1 else f"any of the {len(counted)} runs"
    raise InputError(
        f"{where}: was not made of the inputs of {word}: {_difference(counted[0], items)}; make it from the truth and "
        "the prediction of the run, read in the same way"
    )


def _difference(mine: Mapping[str, str], theirs: Mapping[str, Any]) -> str:
    for words, names in (
        ("the run has no item", [name for name in theirs if name not in mine]),
        ("it has no item", [name for name in mine if name not in theirs]),
        ("other segments or overlaps were counted in item", [name for name in mine if mine[name] != theirs.get(name)]),
    ):
        if names:
            more = f" … and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            return f"{words} {', '.join(names[:SHOWN])}{more}"
    raise AssertionError("two equal mappings were told to differ")


def _check_settings(run: Run, data: Any, where: str) -> None:
    wrong = [
        f"{name} is {field(data, name, where)!r} there and {getattr(run.settings, name)!r} in the run"
        for name in SETTINGS
        if field(data, name, where) != getattr(run.settings, name)
    ]
    if wrong:
        raise InputError(f"{where}: was not scored as the run was: {'; '.join(wrong)}; expected the same")


def _facts(data: Any, where: str) -> dict[str, Any]:
    rules, sizes = _texts(data, "rules", where), _texts(data, "sizes", where)
    moves = field(data, "moves", where)
    if not isinstance(moves, dict) or not rules or not moves:
        raise FormatError(f"{where}: holds no rules or no moves; {WRITTEN}")
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
        "rules": [[rule, LABELS.get(rule, rule)] for rule in rules],
        "moves": {move: _words(move) for move in moves},
        "sizes": sizes,
        "keys": list(KEYS),
        "values": {key: {rule: under(rule, key) for rule in rules} for key in KEYS},
    }


def _texts(data: Any, name: str, where: str) -> list[str]:
    found = list_field(data, name, where)
    if not all(isinstance(one, str) for one in found):
        raise FormatError(f"{where}: {name} holds something that is no text; {WRITTEN}")
    return found


def _place(row: Any, at: int, where: str) -> tuple[Any, ...]:
    """Where a row belongs: its rule, move, size and key."""
    place = tuple(field(row, name, f"{where}: rows[{at}]") for name in ("rule", "move", "size", "key"))
    if not all(one is None or isinstance(one, str) for one in place):
        raise FormatError(f"{where}: rows[{at}] does not say in words where it belongs; {WRITTEN}")
    return place


def _number(row: Any, name: str, where: str) -> float | None:
    found = field(row, name, f"{where}: a row of {row['key']}")
    if found is None or (isinstance(found, int | float) and not isinstance(found, bool) and -1 <= found <= 1):
        return found
    raise FormatError(
        f"{where}: {name} of {row['key']} is {str(found)[:40]!a}; expected a number from -1 to 1, or null"
    )


def _words(move: str) -> str:
    """What a move does, in a few words.

    >>> _words("dilate"), _words("shift_1-")
    ('each grows by one element', 'each moves by one element down axis 1')
    """
    if move.startswith("shift_"):
        way = "down" if move.endswith("-") else "up"
        return f"each moves by one element {way} axis {move.removeprefix('shift_')[:-1]}"
    return {"dilate": "each grows by one element", "erode": "each shrinks by one element"}.get(move, move)
