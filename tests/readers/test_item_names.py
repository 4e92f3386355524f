"""Names of items that differ between the sides: stripped, searched by an expression, or listed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError, InputError, OptionError, SegmetryError
from segmetry.readers.item_names import Pairing, PairList, by_pairing_name
from segmetry.readers.items import Item
from segmetry.readers.pairing import how_to_pair, pair_items


def named(*names: str) -> list[Item]:
    return [Item(name, sm.LabelArray([1, 2]), named=True, file=f"{name}.png") for name in names]


def paired(true: list[Item], pred: list[Item], **pairing: Any) -> list[tuple[str, str | None, str | None]]:
    pairs = pair_items(true, pred, pairing=Pairing.of(pairing))
    return [(name, first.file, second.file) for name, first, second in pairs]


@pytest.mark.parametrize(
    ("strip", "name", "left"),
    [
        (["_gt"], "a_gt", "a"),
        (["_gt", "_gt_fine"], "a_gt_fine", "a"),  # the longest
        (["_p*"], "dir_p/a_p_17", "dir/a"),  # * does not stand for a slash
        (["_v?"], "a_v1_v2", "a"),
        (["."], "a.b", "ab"),  # a dot is a dot
        (["ab"], "aabb", "ab"),  # once, not again in what is left
        (["x", "y"], "xay", "a"),
    ],
)
def test_patterns_are_removed(strip: list[str], name: str, left: str) -> None:
    assert Pairing(strip=strip).name(name, "true") == left


@given(st.text("ab_", max_size=8), st.lists(st.text("ab_", min_size=1, max_size=3), min_size=1, max_size=3))
def test_texts_are_removed_from_left_to_right_the_longest_first(name: str, texts: list[str]) -> None:
    left, at = "", 0
    while at < len(name):
        fitting = [text for text in texts if name.startswith(text, at)]
        if fitting:
            at += len(max(fitting, key=len))
        else:
            left, at = left + name[at], at + 1
    assert Pairing(strip=texts).name(name, "pred") == left


def test_an_expression_gives_the_name() -> None:
    true, pred = named("scan 7 (gt)", "scan 12 (gt)"), named("out_12_b", "out_07_b")
    assert paired(true, pred, pair=(r"(\d+)", r"_0*(\d+)_")) == [
        ("7", "scan 7 (gt).png", "out_07_b.png"),
        ("12", "scan 12 (gt).png", "out_12_b.png"),
    ]
    assert Pairing(pair=r"(\w+) (\d+)").name("case a 7", "true") == "a_7"
    assert Pairing(pair=r"\d+").name("case 7", "true") == "7"
    assert Pairing(pair=(None, r"\d+")).name("case 7", "true") == "case 7"


@pytest.mark.parametrize(
    ("pairing", "words"),
    [
        (
            {"pair": r"x(\d+)"},
            r"true: the item 'a1' does not match --pair 'x\(\\\\d\+\)'; expected a match in every name",
        ),
        ({"pair": (r"(\d)", r"(\d)$")}, r"pred: the item 'b' does not match --pred-pair"),
        ({"pair": r"[ab]"}, r"true: 'a1' and 'a2' are both called 'a' after --strip or --pair"),
        ({"strip": "a1"}, r"true: --strip or --pair leaves nothing of the name 'a1'"),
        ({"pair": "("}, r"pair is '\(', which is not a regular expression: "),
        ({"pair": ("a", "b", "c")}, "expected a regular expression, or one for each side"),
        ({"strip": "**"}, r"strip is '\*\*'; expected texts such as '_gt'"),
        ({"stripp": "a"}, "pairing has no 'stripp'; did you mean 'strip'"),
        ({"strip": "a", "pairs": [("a1", "b")]}, "it excludes strip and pair"),
        ({"pairs": []}, "pairs: no pairs; expected at least one"),
        ({"pairs": [("a1",)]}, r"pairs\[0\] is \('a1',\); expected two names"),
        ({"pairs": [("a1", "")]}, r"pairs\[0\]: pred is empty; expected a name"),
        ({"pairs": [("a1", "../b")]}, r"pairs\[0\]: pred, .*leads out of its folder"),
        ({"pairs": [("a1", "b"), ("a1", "b1")]}, r"pairs\[1\]: a second pair is called 'a1'"),
        (
            {"pairs": [("a1", "c")]},
            r"pairs\[0\]: pred is 'c', but PRED has no such item or file; its items are 'b', 'b1'",
        ),
    ],
)
def test_what_cannot_be_paired_is_one_error(pairing: dict[str, Any], words: str) -> None:
    with pytest.raises(SegmetryError, match=words):
        paired(named("a1", "a2"), named("b", "b1"), **pairing)


def test_a_list_of_pairs_selects_names_and_repeats(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("name,pred,true\n,p1.png,t1\nagain,p2,t1.png\n", "utf-8")
    true, pred = named("t1", "t2"), named("p1", "p2", "p3")
    expected = [("t1", "t1.png", "p1.png"), ("again", "t1.png", "p2.png")]
    assert paired(true, pred, pairs=file) == expected
    plain = Pairing(pairs=file).as_plain()
    assert paired(true, pred, **plain) == expected
    file.write_text("true,pred\nt1,p3\n", "utf-8")
    with pytest.raises(InputError, match=r"pairs.csv: the list of pairs has changed since the run was made"):
        Pairing.of(plain)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("true,name\na,b\n", r"line 1: there is no column pred; expected the columns true, pred\[, name\]"),
        ("true,pred\n", "no pairs; expected the columns"),
        ("true,pred,score\na,b,1\n", "unknown column 'score'"),
        ("true,pred\na\n", "line 2: 1 cells; the header has 2"),
    ],
)
def test_a_damaged_list_is_named(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(text, "utf-8")
    with pytest.raises(FormatError, match=words):
        PairList.of(tmp_path / "pairs.csv")


def test_pairings_survive_json() -> None:
    for pairing in (
        Pairing(),
        Pairing(strip="_gt"),
        Pairing(strip=["a", "b"], pair=r"(\d+)"),
        Pairing(pair=(None, "x")),
        Pairing(pairs=[("a", "b"), ("a", "c", "second")]),
    ):
        assert Pairing.of(pairing.as_plain()).as_plain() == pairing.as_plain()
    with pytest.raises(OptionError, match="expected two names"):
        Pairing(pairs=[("a", 1)])


@pytest.mark.parametrize(
    ("true", "pred"),
    [
        (["1_gt", "2_gt", "3_gt"], ["1_pred", "2_pred", "3_pred"]),
        (["1_gt", "2_gt"], ["1", "2"]),
        (["gt 1", "gt 2"], ["1", "2"]),
        (["a_masks", "b_masks"], ["a_cp_masks", "b_cp_masks"]),
        (["case_001", "case_002"], ["img001.out", "img002.out"]),
        (["s_1_gt", "s_2_gt", "s_3_gt"], ["s_1_net", "s_2_net", "extra_net"]),
        (["it's 1", "it's 2"], ["1_$x", "2_$x"]),
    ],
)
def test_the_remedy_pairs_most_items(true: list[str], pred: list[str]) -> None:
    """The options that a message names are those that pair the items."""
    options, _, promise = how_to_pair(true, pred).partition(" would pair ")
    words = shlex.split(options)
    stated: dict[str, Any] = {"strip": [], "pair": None}
    for flag, value in zip(words[::2], words[1::2], strict=True):
        stated = {**stated, "pair": value} if flag == "--pair" else {**stated, "strip": [*stated["strip"], value]}
    sides = [set(by_pairing_name(((name, 0) for name in names), Pairing(**stated), "true")) for names in (true, pred)]
    count = len(sides[0] & sides[1])
    assert promise == ("all of them" if count == len(true) == len(pred) else f"{count} of them") and count


def test_names_without_relation_get_the_general_remedy() -> None:
    assert how_to_pair(["rock", "tree"], ["x", "y"]).startswith("say how the names relate with --strip or --pair")
    with pytest.raises(InputError, match=r"1 only in true: a; 1 only in pred: b; .*; say how the names relate"):
        list(pair_items(named("a", "c"), named("b", "c")))


def test_the_example_of_pair_list() -> None:
    assert PairList.of([("a_gt", "a_1"), ("a_gt", "a_2", "second")]).rows[1].name == "second"


def test_the_example_of_by_pairing_name() -> None:
    assert by_pairing_name([("a_gt", 1), ("b_gt", 2)], Pairing(strip="_gt"), "true") == {"a": 1, "b": 2}
