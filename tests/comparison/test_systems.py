"""What cannot be compared is refused, and the message says which run, which item, which setting."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.comparison.comparison_tables import labels
from segmetry.errors import DataWarning, FormatError, InputError, KindError, OptionError
from tests.comparison.made import blurred, run, truth

TRUE = truth(14)


def changed(**arrays: Any) -> dict[str, Any]:
    return {**TRUE, **arrays}


def without(*names: str) -> dict[str, Any]:
    return {name: labels for name, labels in TRUE.items() if name not in names}


def stored(folder: Path, name: str, seed: int, true: dict[str, Any] | None = None, **options: Any) -> Path:
    own = TRUE if true is None else true
    path = folder / f"{name}.segm"
    run(own, blurred(own, 0.2, seed), path, **options).close()
    return path


def test_the_same_truth_from_other_folders_is_fine(tmp_path: Path) -> None:
    runs = []
    for folder, side, seed in (("one", "truth", 1), ("two", "reference", 2)):
        (tmp_path / folder).mkdir()
        paths = tmp_path / folder / f"{side}.npz", tmp_path / folder / "pred.npz"
        for path, arrays in zip(paths, (TRUE, blurred(TRUE, 0.2, seed)), strict=True):
            np.savez(path, **arrays)
        runs.append(sm.evaluate(*paths, metrics="pq", read={"labels": "instances"}, out=tmp_path / f"{folder}.segm"))
    assert sm.compare(*runs, resamples=100).systems == ("one", "two")


def test_other_files_with_the_same_segments_need_a_word(tmp_path: Path) -> None:
    np.savez(tmp_path / "t1.npz", **TRUE)
    np.savez_compressed(tmp_path / "t2.npz", **TRUE)
    runs = []
    for at, true in enumerate(("t1", "t2")):
        np.savez(tmp_path / f"p{at}.npz", **blurred(TRUE, 0.2, at))
        out = tmp_path / f"{at}.segm"
        runs.append(
            sm.evaluate(
                tmp_path / f"{true}.npz", tmp_path / f"p{at}.npz", metrics="pq", read={"labels": "instances"}, out=out
            )
        )
    with pytest.raises(InputError, match=r"different true files: t1.npz, t2.npz; .*truth='segments'"):
        sm.compare(*runs)
    assert sm.compare(*runs, truth="segments", resamples=100).truth == "segments"


def refused(*runs: Any, **options: Any) -> str:
    with pytest.raises((InputError, KindError, OptionError)) as error:
        sm.compare(*runs, **options)
    return str(error.value)


def test_items_and_truth_must_be_the_same(tmp_path: Path) -> None:
    first = stored(tmp_path, "first", 1)
    assert refused(first, stored(tmp_path, "fewer", 2, without("002", "005"))) == (
        "first and fewer contain different items: only first has 2 items: 002, 005"
    )
    many = {f"x{at}": labels for at, labels in enumerate(TRUE.values())}
    message = refused(first, stored(tmp_path, "other", 2, many))
    assert "only first has 14 items: 000, 001" in message and "… and 4 more; only other has 14 items: x0" in message
    message = refused(first, stored(tmp_path, "moved", 2, changed(**{"003": TRUE["004"]})))
    assert "evaluated on different true files: 003" in message
    message = refused(first, tmp_path / "moved.segm", truth="segments")
    assert message.startswith("first and moved have different true segments in 1 items: 003; expected")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "theta_and"}, "rule is 'theta_plus' in first and 'theta_and' in other; rule= (--rule)"),
        ({"policy": "strict-void"}, "policy is 'none' in first and 'strict-void' in other"),
        ({"undefined": 0}, "undefined is None in first and 0.0 in other"),
    ],
)
def test_settings_must_be_the_same(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    runs = stored(tmp_path, "first", 1), stored(tmp_path, "other", 2, **options)
    assert message in refused(*runs)
    if "rule" in options:
        assert sm.compare(*runs, rule="theta_plus", resamples=100).rule == "theta_plus"
    else:
        assert message in refused(*runs, rule="theta_plus")


def test_options_of_what_is_compared_must_be_the_same(tmp_path: Path) -> None:
    runs = [
        stored(tmp_path, "first", 1, options={"npq": {"alpha": 0.25}}),
        stored(tmp_path, "other", 2, options={"npq": {"alpha": 0.5}}),
    ]
    assert "npq has the options {'alpha': 0.25} in first and {'alpha': 0.5} in other" in refused(*runs)
    assert sm.compare(*runs, metrics="pq", resamples=100).n_items == len(TRUE)
    with pytest.raises(InputError, match="npq has the options"):
        sm.rule_sensitivity(*runs, key="npq", rules=["theta_and"], resamples=100)


def test_duplicates_and_lone_runs_are_rejected(tmp_path: Path) -> None:
    first = stored(tmp_path, "first", 1)
    copy = tmp_path / "copy.segm"
    shutil.copy(first, copy)
    assert "first and copy contain the same results in every item" in refused(first, copy)
    again = stored(tmp_path, "again", 1)
    assert "first and again contain the same results" in refused(first, again)
    assert "first.segm is listed twice; expected runs of different systems" in refused(first, first)
    opened = run(TRUE, blurred(TRUE, 0.2, 1))
    assert "one run is listed twice" in refused({"one": opened, "two": opened})
    assert "two runs are called 'one'" in refused(first, stored(tmp_path, "second", 2), names=["one", "one"])
    assert "contains an empty name: 'one', ' '" in refused(first, tmp_path / "second.segm", names=["one", " "])
    assert refused(first) == "1 run to compare; expected at least 2"
    assert "a dict" not in refused({"one": first, "two": 3})
    assert "names= has 1 names for 2 runs" in refused(first, copy, names=["one"])
    assert "names= is for a list of runs" in refused({"one": first, "two": copy}, names=["one", "two"])
    assert "truth is 'maybe'" in refused(first, copy, truth="maybe")


def test_classes_on_one_run_only_are_rejected() -> None:
    first = run(TRUE, blurred(TRUE, 0.2, 1))
    plain = run(TRUE, blurred(TRUE, 0.2, 2), classes=False)
    assert "different true segments" in refused(first, plain)


def test_unfinished_runs_are_rejected(tmp_path: Path) -> None:
    first, second = stored(tmp_path, "first", 1), stored(tmp_path, "second", 2)
    with closing(sqlite3.connect(second)) as connection, connection:
        connection.execute("UPDATE item SET status = 'pending' WHERE name = '003'")
        connection.execute("DELETE FROM counts WHERE item = 4")
    assert "the run is not finished: 13 of 14 items are done" in refused(first, second)


def test_schema_versions_and_versions_of_segmetry(tmp_path: Path) -> None:
    first, second = stored(tmp_path, "first", 1), stored(tmp_path, "second", 2)
    with closing(sqlite3.connect(second)) as connection, connection:
        connection.execute("UPDATE fact SET value = '0.0.1' WHERE name = 'segmetry'")
    with pytest.warns(DataWarning, match="first by .*, second by 0.0.1"):
        sm.compare(first, second, resamples=100)
    with closing(sqlite3.connect(second)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(FormatError, match=r"second\.segm: a run file of schema version 99"):
        sm.compare(first, second)


def test_the_example_of_labels() -> None:
    assert (labels(["base", "new"]), labels(["base", "a much longer name"])) == (["base", "new"], ["A", "B"])
