"""Merged parts of a run: the content of a run that was never divided, whatever the order, however often."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.evaluation import schedule
from segmetry.run.run import Run
from segmetry.runfile.merge import Shard
from tests.run.remains import copied_after

N_ITEMS = 10


def data(seed: int = 3) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    numbers = np.random.default_rng(seed)
    classes = {label: ("car", 5)[label % 2] for label in range(1, 6)}
    true, pred = (
        {f"item {at}": sm.LabelArray(numbers.integers(0, 6, (5, 6)), classes=classes) for at in range(N_ITEMS)}
        for _ in range(2)
    )
    return true, pred


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"part{number}.segm" for number in (1, 2, 3)]
    for number, path in enumerate(paths, 1):
        sm.evaluate(*data(), out=path, shard=f"{number}/3", engine="serial")
    return paths


def whole(tmp_path: Path, **options: Any) -> str:
    return sm.evaluate(*data(), out=tmp_path / "whole.segm", engine="serial", **options).content_digest()


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_parts_make_the_whole_in_any_order(parts: list[Path], order: tuple[int, ...], tmp_path: Path) -> None:
    merged = sm.merge_runs([parts[at] for at in order], tmp_path / "all.segm")
    assert merged.is_complete and merged.content_digest() == whole(tmp_path)
    assert merged.summary().to_dict() == Run.open(tmp_path / "whole.segm").summary().to_dict()


def test_merging_again_changes_nothing(parts: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all.segm"
    first = sm.merge_runs([parts[0], parts[0], parts[1]], out)
    assert (first.n_done, first.is_complete) == (7, False)
    again = sm.merge_runs([parts[1], parts[2]], out)
    assert again.is_complete and again.content_digest() == whole(tmp_path)
    assert sm.merge_runs([out, *parts], out).content_digest() == again.content_digest()
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_parts_may_write_the_paths_of_their_inputs_differently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("t.npz", a=[[1, 2]], b=[[1, 1]])
    for number, path in ((1, "t.npz"), (2, str(tmp_path / "t.npz"))):
        sm.evaluate(path, "t.npz", out=f"{number}.segm", shard=f"{number}/2", metrics="pq")
    digests = [
        sm.merge_runs(order, f"{order[0]}-first").content_digest() for order in permutations(["1.segm", "2.segm"])
    ]
    assert digests[0] == digests[1] == sm.merge_runs(["2.segm"], "1.segm-first").content_digest()


def test_what_is_missing_is_evaluated_by_resuming(parts: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all.segm"
    sm.merge_runs(parts[:2], out)
    done = sm.evaluate(*data(), out=out, resume=True)
    assert done.content_digest() == whole(tmp_path)


def test_a_part_says_what_it_is(parts: list[Path]) -> None:
    with Run.open(parts[0]) as part:
        assert (part.n_done, part.facts["shard"]) == (4, "1/3")
        with pytest.raises(InputError, match=r"is the part 1/3 of a run; merge the parts"):
            part.summary()
        assert part.summary(partial=True).n_items == 4


def test_parts_cover_every_item_once() -> None:
    for count in range(1, 8):
        taken = [item for number in range(1, count + 1) for item in range(1, 20) if Shard(number, count).takes(item)]
        assert sorted(taken) == list(range(1, 20))


def test_a_part_of_no_items_is_a_part(tmp_path: Path) -> None:
    empty = sm.evaluate(*data(), out=tmp_path / "part.segm", shard=f"{N_ITEMS + 1}/{N_ITEMS + 5}")
    assert empty.n_done == 0


@pytest.mark.parametrize("shard", ["0/4", "5/4", "3", "a/b", "1/0", "-1/4", "1/4/2", ""])
def test_a_shard_is_a_number_of_a_count(shard: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"expected NUMBER/COUNT"):
        sm.evaluate(*data(), out=tmp_path / "part.segm", shard=shard)
    assert not (tmp_path / "part.segm").exists()


def test_a_shard_needs_a_file() -> None:
    with pytest.raises(OptionError, match="out names no file"):
        sm.evaluate(*data(), shard="1/2")


def test_a_part_resumes_as_the_same_part(parts: list[Path]) -> None:
    before = Run.open(parts[0]).content_digest()
    assert sm.evaluate(*data(), out=parts[0], shard="1/3", resume=True).content_digest() == before
    for other, words in (("2/3", "this is the part 2/3"), (None, "this is a whole run")):
        with pytest.raises(InputError, match=f"was started as the part 1/3, {words}"):
            sm.evaluate(*data(), out=parts[0], shard=other, resume=True)


def changed(path: Path, statement: str) -> Path:
    copy = path.with_name("changed.segm")
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(statement)
    connection.close()
    return copy


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE counts SET sizes = substr(sizes, 2) WHERE item = 4", "item 'item 3' has another overlap table"),
        ("INSERT INTO score (item, key, rule, value) VALUES (7, 'covering', '', 1)", "item 'item 6' has another score"),
        ("UPDATE counts SET class_list = '[\"5\"]' WHERE item = 1", "item 'item 0' has another overlap table"),
        ("UPDATE item SET n_elements = 31 WHERE item = 10", "item 'item 9' has another item"),
        ("UPDATE input SET sha256 = 'x' WHERE name = 'item 5' AND side = 'pred'", "has another input item 5 of pred"),
        ("UPDATE item SET name = 'other' WHERE item = 2", "has other items than"),
        ("UPDATE fact SET value = '99' WHERE name = 'segmetry'", "expected parts of one version"),
    ],
)  # fmt: skip
def test_parts_that_contradict_each_other_are_rejected(
    parts: list[Path], statement: str, words: str, tmp_path: Path
) -> None:
    other = changed(parts[0], statement)
    for order in ([parts[0], other], [other, parts[0]]):
        with pytest.raises(InputError, match=words):
            sm.merge_runs([*order, parts[1]], tmp_path / "all.segm")
    assert not (tmp_path / "all.segm").exists()


def test_parts_of_other_settings_are_rejected(parts: list[Path], tmp_path: Path) -> None:
    sm.evaluate(*data(), out=tmp_path / "other.segm", shard="2/3", rule="theta_and")
    with pytest.raises(InputError, match=r"other.segm: has other settings than .*rule was 'theta_plus'"):
        sm.merge_runs([parts[0], tmp_path / "other.segm"], tmp_path / "all.segm")


def test_what_is_not_a_run_is_rejected(parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "text.segm").write_text("nothing")
    for wrong, words in (
        (tmp_path / "text.segm", "not an SQLite database"),
        (tmp_path / "absent.segm", "no such file"),
    ):
        with pytest.raises(FormatError, match=words):
            sm.merge_runs([parts[0], wrong], tmp_path / "all.segm")
    with pytest.raises(OptionError, match="no parts to merge"):
        sm.merge_runs([], tmp_path / "all.segm")
    assert not (tmp_path / "all.segm").exists()


def test_what_a_killed_run_left_beside_the_target_is_a_part_of_it(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "LABEL_ITEMS", 1)
    out, copy = tmp_path / "run.segm", tmp_path / "killed.segm"
    sm.evaluate(*data(), out=out, engine="serial", progress=copied_after(4, out, copy))
    assert copy.with_name("killed.segm-wal").stat().st_size
    assert sm.merge_runs(parts[:2], copy).n_done == 8  # items 1 to 4; 1, 4, 7, 10; 2, 5, 8
    assert sm.merge_runs(parts, copy).content_digest() == whole(tmp_path)
    assert not list(tmp_path.glob("killed.segm-*"))


def test_a_killed_part_gives_what_it_has(parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "LABEL_ITEMS", 1)
    out, copy = tmp_path / "run.segm", tmp_path / "killed.segm"
    sm.evaluate(*data(), out=out, engine="serial", shard="1/3", progress=copied_after(2, out, copy))
    assert sm.merge_runs([copy, *parts[1:]], tmp_path / "all.segm").n_done == N_ITEMS - 2
