"""JSON as data and nothing else, with the place of every fault."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from segmetry._base.standard_json import json_text, lengths_field, settings_field
from segmetry.errors import FormatError
from segmetry.readers.parts import text_file
from segmetry.readers.parts.text_file import NumberText, column_of, line_and_column, locate, parse_json
from tests.profiles import examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\é{[,:', max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\[', max_size=2), inner, max_size=3),
    max_leaves=8,
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    """Every value inside a value, with the steps that lead to it."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value), *(found for step, inner in steps for found in paths(inner, (*path, step)))]


@given(VALUES, st.sampled_from([None, 1]))
def test_every_value_is_found_at_its_place(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert parse_json(text, "text") == value
    lines = text.split("\n")
    for path, inner in paths(value):
        line, column = (int(word.split()[1]) for word in locate(text, path).split(", "))
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert json.JSONDecoder().raw_decode(rest)[0] == inner


WORDS = r"""{ } [ ] , : "a" "b" "\n" "\u0041" "\ud800" "é" "\x" 0 -1 01 1.5 1e3 - .5 1. 1e999 true nul NaN Infinity"""
TOKENS = st.sampled_from([*WORDS.split(), " ", "\n", "\x00", "9" * 19, '{"a":1,"a":2}', '{"a":[1,{}]}'])


@given(VALUES.map(json.dumps) | st.lists(TOKENS, max_size=9).map("".join), st.booleans())
@examples(20)
def test_what_the_native_scan_lets_pass_is_read_as_ever(text: str, keep: bool) -> None:
    outcomes = []
    for scan in (text_file.native, None):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(text_file, "native", scan)
            try:
                outcomes.append(repr(parse_json(text, "text", keep_decimals=keep)))
            except FormatError as problem:
                outcomes.append(str(problem))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "a": 2}', "text, line 2, column 2: the key 'a' occurs twice in one object"),
        ('[{"a": 1}, {"b": {"c": 1, "c": 1}}]', "line 1, column 27: the key 'c' occurs twice"),
        ("[1, NaN]", "line 1, column 5: NaN or Infinity"),
        ("[1, -Infinity]", "line 1, column 5: NaN or Infinity"),
        ("[1, 2", "line 1, column 6: not JSON"),
        ("[" * 10_000 + "]" * 10_000, "nested deeper"),
        ("[" * 200 + '{"a": 1, "a": 1}' + "]" * 200, "nested deeper"),
        ("1" * 5000, "text: Exceeds the limit"),
    ],
)
def test_faults(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_json(text, "text")


def test_a_place_behind_deep_nesting_is_not_looked_for() -> None:
    text = '{"a": ' + "[" * 100 + "]" * 100 + ', "b": 1}'
    assert locate(text, ("b",)) == "line 1, column 1"


def test_decimals_can_be_kept_as_written() -> None:
    (found,) = parse_json("[0.10]", "text", keep_decimals=True)
    assert isinstance(found, NumberText) and found == "0.10"


def test_the_example_of_line_and_column() -> None:
    assert line_and_column("ab\ncd", 4) == "line 2, column 2"


def test_the_example_of_column_of() -> None:
    assert column_of("0.0  1.5 a", 1) == 6


def test_the_example_of_json_text() -> None:
    assert (
        repr((json_text({"value": math.inf, "text": "inf"}), json.loads("1e999")))
        == '(\'{"value": 1e999, "text": "inf"}\', inf)'
    )


def test_the_example_of_lengths_field() -> None:
    assert lengths_field({"size": [3, 2]}, "size", "info") == (3, 2)


def test_the_example_of_settings_field() -> None:
    assert settings_field({"name": "crc32c"}, "configuration", "codec 1") == {}
