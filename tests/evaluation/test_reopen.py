"""The inputs of a run are read again as they were read first, or it is said why they cannot be."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, InputError
from segmetry.evaluation.reopen import loaders_of
from segmetry.overlaps.count import count_overlaps
from segmetry.readers.formats.map_polygons import MapGrid
from segmetry.readers.label_reading import LABEL_OPTIONS
from segmetry.readers.reader import ReadOptions, known_options
from segmetry.run.run import Run
from segmetry.segmentation.pair import SegmentationPair


def written(folder: Path) -> tuple[Path, Path]:
    numbers = np.random.default_rng(7)
    for side in ("t", "p"):
        np.savez(folder / f"{side}.npz", a=numbers.integers(0, 5, (6, 8)), b=numbers.integers(0, 5, (3, 4)))
    return folder / "t.npz", folder / "p.npz"


def assert_same_tables(run: Run, true: object = None, pred: object = None) -> None:
    for name, load in loaders_of(run, true, pred).items():
        assert count_overlaps(SegmentationPair.of(*load())) == run.table(name)


@pytest.mark.parametrize(
    "read",
    [
        ReadOptions(),
        ReadOptions(void=(3, 4)),
        ReadOptions(outside=None),
        ReadOptions(outside=(1,), void=(0,), labels="instances"),
        ReadOptions(labels="classes", pred_outside=3, true_void=2),
    ],
)
def test_labels_are_read_with_the_same_options(tmp_path: Path, read: ReadOptions) -> None:
    true, pred = written(tmp_path)
    sm.evaluate(true, pred, out=tmp_path / "run.segm", read=read, metrics="pq")
    assert_same_tables(Run.open(tmp_path / "run.segm"))


def test_a_line_is_read_with_the_same_options(tmp_path: Path) -> None:
    true, pred = tmp_path / "true.json", tmp_path / "pred.json"
    true.write_text('{"a": [1, 0, 0, 1], "b": [1, 0, 1]}')
    pred.write_text('{"a": [0, 0, 1, 1], "b": [1, 0, 0]}')
    read = ReadOptions(first="force")
    sm.evaluate(true, pred, out=tmp_path / "run.segm", read=read, metrics="pq")
    run = Run.open(tmp_path / "run.segm")
    assert run.settings.reading == {"first": "force"}
    assert_same_tables(run)


def test_two_annotators_of_one_file(tmp_path: Path) -> None:
    file = tmp_path / "coders.json"
    file.write_text('{"items": {"text": {"1": [2, 3, 3], "2": [8], "3": [4, 4]}}, "segmentation_type": "linear"}')
    read = ReadOptions(coder="1")
    sm.evaluate(file, file, out=tmp_path / "run.segm", read=read, pred_coder="3", metrics="pq")
    assert_same_tables(Run.open(tmp_path / "run.segm"))


def test_a_format_for_each_side(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([[1, 1, 2]]))
    np.savez(tmp_path / "p.npz", p=np.array([[1, 2, 2]]))
    sm.evaluate(tmp_path / "t.npy", tmp_path / "p.npz", out=tmp_path / "run.segm", format=("npy", "npz"), metrics="pq")
    run = Run.open(tmp_path / "run.segm")
    assert run.settings.reading == {"format": ["npy", "npz"]}
    assert_same_tables(run)


STATED: dict[str, object] = {
    "colours": "rgb",
    "first": "force",
    "coder": "an1",
    "tick": Fraction(1, 100),
    "length": Fraction(5, 2),
    "ends": "closed",
    "sentences": "line",
    "tags": "loose",
    "column": 3,
    "tier": "words",
    "separator": "|",
    "unit": "word",
    "blank": "skip",
    "class_field": "crop",
    "layer": "fields",
    "crs": "EPSG:3857",
    "precision": Fraction(1, 8),
    "project": Fraction(48),
    "grid": MapGrid.parse("0,0,3,2,1/2"),
    "missing_chunks": "refuse",
    "glob": "*_mask.png",
    "folder": "images",
    "sequences": "val.txt",
    "scenes": "scenes.json",
    "uem": "all.uem",
    "scheme": "iobes",
    "outside_class": ("background",),
    "split": "test.txt",
    "cityscapes_ids": "labelTrainIds",
    "remote": True,
    "array": "a",
}


def test_no_option_is_forgotten() -> None:
    assert STATED.keys() == known_options().keys() - {option.name for option in LABEL_OPTIONS}


@pytest.mark.parametrize(
    "options",
    [
        *(ReadOptions(**{name: value}) for name, value in STATED.items()),
        ReadOptions(first="gap", length="longer"),
        ReadOptions(outside=None, void=(3, 255), allow_float=True),
    ],
    ids=lambda options: ",".join(sorted(options.stated)),
)
def test_options_survive_json(options: ReadOptions) -> None:
    assert ReadOptions(**json.loads(json.dumps(options.as_plain()))) == options


def test_inputs_that_moved_with_the_run_or_were_named_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.mkdir()
    written(first)
    monkeypatch.chdir(first)
    sm.evaluate("t.npz", "p.npz", out="run.segm", metrics="pq")
    monkeypatch.chdir(tmp_path)
    first.rename(second)
    assert_same_tables(Run.open(second / "run.segm"))  # beside the run file
    third.mkdir()
    for name in ("t.npz", "p.npz"):
        (second / name).rename(third / name)
    run = Run.open(second / "run.segm")
    with pytest.raises(InputError, match=r"t\.npz is not there any more"):
        loaders_of(run)
    assert_same_tables(run, third / "t.npz", third / "p.npz")


def test_inputs_that_changed_are_rejected(tmp_path: Path) -> None:
    true, pred = written(tmp_path)
    sm.evaluate(true, pred, out=tmp_path / "run.segm", metrics="pq")
    np.savez(pred, a=np.ones((6, 8), dtype=int), b=np.ones((3, 4), dtype=int))
    with pytest.raises(InputError, match=r"the input p\.npz of pred has changed since the run started"):
        loaders_of(Run.open(tmp_path / "run.segm"))


def test_a_run_of_objects_keeps_them_while_it_lives(tmp_path: Path) -> None:
    true, pred = {"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}
    run = sm.evaluate(true, pred, out=tmp_path / "run.segm", metrics="pq")
    assert_same_tables(run.rescore("theta_plus"))
    later = Run.open(tmp_path / "run.segm")
    with pytest.raises(InputError, match="made of objects"):
        loaders_of(later)
    assert_same_tables(later, true, pred)
    with pytest.raises(InputError, match="the input a of pred has changed"):
        loaders_of(later, true, {"a": [[1, 2, 1]]})


def test_damaged_options_are_one_error(tmp_path: Path) -> None:
    true, pred = written(tmp_path)
    sm.evaluate(true, pred, out=tmp_path / "run.segm", metrics="pq")
    with closing(sqlite3.connect(tmp_path / "run.segm")) as connection, connection:
        (text,) = connection.execute("SELECT value FROM fact WHERE name = 'settings'").fetchone()
        damaged = json.dumps({**json.loads(text), "reading": {"tick": "soon"}})
        connection.execute("UPDATE fact SET value = ? WHERE name = 'settings'", (damaged,))
    connection.close()
    with pytest.raises(FormatError, match="the options its inputs were read with cannot be used: tick is 'soon'"):
        loaders_of(Run.open(tmp_path / "run.segm"))
