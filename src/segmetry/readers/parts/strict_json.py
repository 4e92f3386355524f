"""Strict JSON: duplicate keys, NaN, huge numbers and deep nesting are errors with line and column."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, NoReturn

from segmetry.errors import FormatError
from segmetry.readers.parts.text_file import line_and_column, read_text

JsonPath = tuple[str | int, ...]
_AFTER_SPACES, _AFTER_SCALAR = re.compile(r"[^ \t\n\r]"), re.compile(r"[,\]} \t\n\r]")
_STRINGS = json.JSONDecoder()
_HALF_PAIR = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
DEEPEST = 64
"""Deeper nesting is rejected before Python's recursion limit is reached."""


def load_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return parse_json(read_text(path), str(path))


class NumberText(str):
    """A number with a point or an exponent, kept as it was written."""

    __slots__ = ()


def parse_json(text: str, where: str, *, keep_decimals: bool = False, line: int = 1) -> Any:
    """Return the content of a JSON text; ``line`` is the number of its first line.

    With ``keep_decimals`` a number with a point is returned as :class:`NumberText`, as a float would round it.

    >>> parse_json('{"a": [1, 2]}', "example")
    {'a': [1, 2]}
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            raise _Rejected
        return members

    def reject(_word: str) -> NoReturn:
        raise _Rejected

    try:
        kinds: dict[str, Any] = {"parse_float": NumberText} if keep_decimals else {}
        value = json.loads(text, object_pairs_hook=unique, parse_constant=reject, **kinds)
    except json.JSONDecodeError as problem:
        raise FormatError(
            f"{where}, line {line + problem.lineno - 1}, column {problem.colno}: not JSON: {problem.msg}"
        ) from None
    except RecursionError:
        raise FormatError(f"{where}: nested deeper than any segmentation needs") from None
    except _Rejected:
        raise FormatError(f"{where}, {_first_fault(text, line)}") from None
    except ValueError as problem:  # an integer of thousands of digits
        raise FormatError(f"{where}: {str(problem).split(';')[0]}") from None
    half = _HALF_PAIR.search(text) if "\\u" in text else None
    if half is not None and not _is_text(value):
        place = line_and_column(text, half.start(), line)
        raise FormatError(f"{where}, {place}: half of a surrogate pair; expected text")
    return value


def _is_text(value: Any) -> bool:
    """Return whether all texts can be written; what looks like half of a pair may be an escaped backslash."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Rejected(Exception):  # noqa: N818
    """Something that Python's parser accepts and this one rejects."""


def locate(text: str, path: JsonPath) -> str:
    r"""Return line and column of a value in a JSON text, by the keys and indices that lead to it.

    >>> locate('{"a": [1,\n 2]}', ("a", 1))
    'line 2, column 2'
    """
    try:
        for value_path, at, _key in _walk_values(text):
            if value_path == path:
                return line_and_column(text, at)
    except RecursionError:  # an earlier value is nested too deeply to be searched
        pass
    return "line 1, column 1"


def _first_fault(text: str, line: int) -> str:
    """Return the position and description of the first repeated key or forbidden constant."""
    seen: set[JsonPath] = set()
    try:
        for path, at, key_at in _walk_values(text):
            if path in seen:
                return (
                    f"{line_and_column(text, key_at, line)}: the key {str(path[-1])[:80]!a} occurs twice in one object"
                )
            seen.add(path)
            if text.startswith(("NaN", "Infinity", "-Infinity"), at):
                return f"{line_and_column(text, at, line)}: NaN or Infinity, which is not JSON; expected a number"
    except RecursionError:
        return f"line {line}, column 1: nested deeper than any segmentation needs"
    return f"line {line}, column 1: a repeated key"


def _walk_values(
    text: str, at: int = 0, path: JsonPath = (), key_at: int = 0
) -> Generator[tuple[JsonPath, int, int], None, int]:
    """Yield the path of every value, its start and the start of its key; return the end of the value.

    The text is known to be JSON, except for repeated keys and constants. Slow: used only to report an error.
    """
    at = _skip_space(text, at)
    yield path, at, key_at
    if len(path) > DEEPEST:
        raise RecursionError
    if text[at] not in "{[":
        return _STRINGS.raw_decode(text, at)[1] if text[at] == '"' else _place_of(_AFTER_SCALAR, text, at)
    closing, is_object, index = "}" if text[at] == "{" else "]", text[at] == "{", 0
    at = _skip_space(text, at + 1)
    while text[at] != closing:
        if is_object:
            key_at = at
            key, at = _STRINGS.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)
            at = yield from _walk_values(text, at, (*path, key), key_at)
        else:
            at = yield from _walk_values(text, at, (*path, index), at)
            index += 1
        at = _skip_space(text, at)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    return at + 1


def _skip_space(text: str, at: int) -> int:
    return _place_of(_AFTER_SPACES, text, at)


def _place_of(expression: re.Pattern[str], text: str, at: int) -> int:
    match = expression.search(text, at)
    return len(text) if match is None else match.start()
