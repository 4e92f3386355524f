"""Pairing items by name, and bringing two lines to the same ticks and length."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError, OptionError, ShapeMismatchError
from segmetry.readers.items import Item
from segmetry.readers.pairing import _common_ends, on_one_line, pair_items, read_pairs
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import find_sources
from segmetry.segmentation.spans import Spans
from tests.readers.samples import plain


def named(*names: str) -> list[Item]:
    return [Item(name, sm.LabelArray([1, 2])) for name in names]


def test_items_come_in_the_order_of_the_truth() -> None:
    assert [name for name, _, _ in pair_items(named("b", "a"), named("a", "b"))] == ["b", "a"]


def test_single_items_pair_whatever_their_names() -> None:
    assert [name for name, _, _ in pair_items(named("true"), named("pred"))] == ["true"]


def test_what_is_missing_is_listed() -> None:
    many = [f"n{at:02}" for at in range(12)]
    with pytest.raises(
        InputError, match=r"1 only in true: a; 12 only in pred: n00, .*, n09 …; expected the same names"
    ):
        list(pair_items(named("a", "b"), named("b", *many)))


@pytest.mark.parametrize(
    ("true", "pred", "words"),
    [(named("a", "a"), named("a"), "true: two items are called 'a'"), (named("a"), [], "pred: no items found")],
)
def test_names_are_unique_and_there_are_some(true: list[Item], pred: list[Item], words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(pair_items(true, pred))


def line(*spans: tuple[int, int], n: int, classes: list[str] | None = None, **facts: Any) -> Item:
    return Item("a", Spans.from_spans(spans, n, classes=classes), **facts)


def test_ticks_become_common() -> None:
    true, pred = line((0, 1), n=2, tick=Fraction(1, 4)), line((0, 3), n=5, tick=Fraction(1, 10))
    found = on_one_line(true, pred, ReadOptions())
    assert [plain(item) for item in found] == [([(0, 5)], 10), ([(0, 6)], 10)]
    assert {item.tick for item in found} == {Fraction(1, 20)}
    with pytest.raises(FormatError, match="item a in ticks of 1/20: declares 10 elements, more than the budget of 9"):
        on_one_line(true, pred, ReadOptions(most_elements=9))


def test_an_open_end_takes_the_length_of_the_other() -> None:
    opened, told = line((0, 2), n=2, open_end=True), line((0, 1), n=5)
    assert [item.spans.n for item in on_one_line(opened, told, ReadOptions())] == [5, 5]
    assert [item.spans.n for item in on_one_line(told, opened, ReadOptions())] == [5, 5]
    with pytest.raises(ShapeMismatchError, match="one side states a line of length 1, but the other extends to 2"):
        on_one_line(opened, line((0, 1), n=1), ReadOptions())


def test_two_open_ends_must_agree_or_be_told() -> None:
    true, pred = line((0, 2), n=2, open_end=True), line((0, 3), n=3, open_end=True)
    with pytest.raises(ShapeMismatchError, match=r"true ends at 2 and pred at 3.*--length longer"):
        on_one_line(true, pred, ReadOptions())
    assert [item.spans.n for item in on_one_line(true, pred, ReadOptions(length="longer"))] == [3, 3]


def test_stated_lengths_are_left_for_the_pair_to_reject() -> None:
    found = on_one_line(line((0, 2), n=2), line((0, 3), n=3), ReadOptions())
    assert [item.spans.n for item in found] == [2, 3]


def test_texts_must_be_the_same() -> None:
    one, other, untold = (line((0, 2), n=2, units=units) for units in (("a", "b"), ("a", "c"), None))
    on_one_line(one, one, ReadOptions())
    on_one_line(one, untold, ReadOptions())
    with pytest.raises(
        ShapeMismatchError, match="item a: unit 2 is 'b' in true and 'c' in pred; expected the same text"
    ):
        on_one_line(one, other, ReadOptions())


def test_an_item_without_spans_has_the_classes_of_the_other() -> None:
    """A sentence in which nothing was found is not a sentence without classes."""
    true, pred = on_one_line(line((0, 1), n=3, classes=["PER"]), line(n=3), ReadOptions())
    assert sm.score(true.load(), pred.load(), ["pq"])["pq"].to_dict()["value"] == 0.0


def test_options_must_mean_something_to_one_side(tmp_path: Path) -> None:
    bits, masses = tmp_path / "bits.json", tmp_path / "masses.json"
    bits.write_text('{"a": [0, 1, 0]}')
    masses.write_text('{"a": [1, 2]}')
    ((_, true, pred),) = read_pairs(*find_sources(masses, bits, None, ReadOptions(first="force")))
    assert plain(true) == plain(pred)
    with pytest.raises(OptionError, match="--first is not supported by format masses \\(it applies to bits\\)"):
        find_sources(masses, masses, None, ReadOptions(first="force"))
    with pytest.raises(OptionError, match="--first is not supported"):
        find_sources(masses, masses, None, ReadOptions(first="gap"))


def test_two_coders_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "coders.json"
    path.write_text('{"a": {"x": [1, 2], "y": [2, 1]}}')
    ((_, true, pred),) = read_pairs(*find_sources(path, path, None, ReadOptions(coder="x"), "y"))
    assert (true.spans.masses.tolist(), pred.spans.masses.tolist()) == ([1, 2], [2, 1])


def test_names_in_the_files_that_differ_are_reported(tmp_path: Path) -> None:
    monday, tuesday = tmp_path / "monday.json", tmp_path / "x.json"
    monday.write_text('{"monday": [5, 3]}')
    tuesday.write_text('{"tuesday": [4, 4]}')
    with pytest.warns(DataWarning, match=r"monday\.json calls its only item 'monday', .*x\.json calls it 'tuesday'"):
        ((name, _, _),) = read_pairs(*find_sources(monday, tuesday))
    assert name == "monday"


def test_items_called_by_their_files_need_no_note(tmp_path: Path) -> None:
    for name in ("truth", "prediction"):
        np.save(tmp_path / f"{name}.npy", np.array([[1, 2]]))
    assert len(list(read_pairs(*find_sources(tmp_path / "truth.npy", tmp_path / "prediction.npy")))) == 1


def test_the_example_of_on_one_line() -> None:
    short = Item("a", Spans.from_masses([1, 2]))
    fine = Item("a", Spans.from_masses([15, 15]), tick=Fraction(1, 10))
    assert [item.spans.masses.tolist() for item in on_one_line(short, fine, ReadOptions())] == [[10, 20], [15, 15]]


def test_the_example_of_common_ends() -> None:
    assert _common_ends(["a1_net_gt", "b1_net_gt"]) == ["", "_gt", "_net_gt"]
