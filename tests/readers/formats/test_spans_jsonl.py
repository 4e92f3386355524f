"""Spans in JSON lines."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from tests.readers.samples import plain, read_text_as


def test_numbers_stay_the_decimals_they_are(tmp_path: Path) -> None:
    text = '{"start": 0, "stop": 0.1}\n\n{"start": 0.1, "stop": 0.30000000000000001}\n'
    (item,) = read_text_as(tmp_path, None, text, most_elements=10**17)
    assert (item.tick, item.spans.n) == (Fraction(1, 10**17), 3 * 10**16 + 1)
    (item,) = read_text_as(tmp_path, None, '{"start": 0, "stop": 1e-1}')
    assert (plain(item), item.tick) == (([(0, 1)], 1), Fraction(1, 10))


def test_classes_may_be_numbers_and_items_empty(tmp_path: Path) -> None:
    text = '{"item": "a", "n": 5, "start": 0, "last": 1, "class": 7}\n{"item": "b", "n": 2}'
    first, second = read_text_as(tmp_path, None, text)
    assert (plain(first), first.spans.classes) == (([(0, 2)], 5), {1: "7"})
    assert plain(second) == ([], 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"start": 0, "stop": 1}\n{"start": 1 "stop": 2}', "line 2, column 13: not JSON"),
        ('{"start": 0, "stop": 1}\n{"start": 1, "start": 2}', "line 2, column 14: the key 'start' occurs twice"),
        ('{"start": 0, "stop": Infinity}', "line 1, column 22: NaN or Infinity"),
        ('{"start": 0, "stop": "1"}', "line 1: 'stop' is '1'; expected a number"),
        ('{"start": 0, "stop": true}', "line 1: 'stop' is 'True'; expected a number"),
        ('{"start": 0, "stop": 1e-999999999999999999999}', "line 1, 'stop': .* is not a number"),
        ('{"start": 0, "stop": 1, "kind": "x"}', "line 1: unknown key 'kind'"),
        ('{"start": 0, "stop": 1, "class": ["x"]}', "line 1: 'class' is .*; expected text"),
        ('{"start": 0, "stop": 1, "class": ""}', "line 1: the class is empty"),
        ('{"start": 0, "stop": 1, "item": null}', "line 1: the item is empty"),
        ('{"start": 0, "stop": null}', "line 1: 'stop' is empty"),
        ('{"start": 0}', "line 1: expected 'start' and one of"),
        ('{"start": 0, "end": 1}', "line 1: 'end' may be"),
        ("[0, 1]", "line 1: expected an object"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "spans-jsonl", text)
