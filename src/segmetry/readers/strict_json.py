"""JSON as data and nothing else: duplicate keys, NaN, huge numbers and deep nesting are errors that name the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from segmetry.errors import FormatError


def load_json(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise FormatError(f"{path}: not UTF-8 text at byte {problem.start}") from None
    return parse_json(text, str(path))


def parse_json(text: str, where: str) -> Any:
    """The content of a JSON text.

    >>> parse_json('{"a": [1, 2]}', "example")
    {'a': [1, 2]}
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
            raise FormatError(f"{where}: the key {twice[:80]!r} occurs twice in one object")
        return found

    def refuse(word: str) -> NoReturn:
        raise FormatError(f"{where}: holds {word}, which is not JSON; expected a number")

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as problem:
        raise FormatError(
            f"{where}: not JSON at line {problem.lineno}, column {problem.colno}: {problem.msg}"
        ) from None
    except RecursionError:
        raise FormatError(f"{where}: nested deeper than any segmentation needs") from None
    except FormatError:
        raise
    except ValueError as problem:  # an integer of thousands of digits
        raise FormatError(f"{where}: {str(problem).split(';')[0]}") from None
