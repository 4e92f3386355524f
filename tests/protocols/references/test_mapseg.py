"""The protocol ``mapseg`` on files, against the definition of its numbers over sets of pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import segmetry as sm
from segmetry.cli.main import cli
from segmetry.errors import FormatError
from tests.protocols.references.map_sheets import RANDOM, by_definition, data_sets, exception_of, write_sheets
from tests.protocols.references.table_values import same, shown

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.slow
def test_data_sets_in_files_have_the_values_of_the_definition(tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    seen: list[tuple[float, ...]] = []
    for at, sheets in enumerate(data_sets()):
        (folder := tmp_path / f"{at}").mkdir()
        run = sm.evaluate(*write_sheets(sheets, folder), engine="serial")
        assert run.protocol is not None and run.protocol.name == "mapseg" and run.modified == ()
        (row,) = shown(run).values()
        values = [by_definition(*sheet) for sheet in sheets]
        for heading, of_sheets in zip(("COCO PQ", "COCO SQ", "COCO RQ"), zip(*values, strict=True), strict=True):
            assert same(row[heading], sum(of_sheets) / len(of_sheets)), (heading, row, values)
        assert row["sheets"] == len(sheets)
        seen += values
    assert len(seen) > RANDOM >= 50
    assert sum(0 < value[0] < 1 for value in seen) > RANDOM, "most sheets are neither perfect nor lost"


def test_equal_values_count_once() -> None:
    """Two perfect blocks and one of 3/4 have the mean 7/8, where SQ is 11/12."""
    pair = [[1, 1, 2, 2, 3, 3, 3, 3]], [[1, 1, 2, 2, 3, 3, 3, 0]]
    scores = sm.score(*pair, ["distinct_sq", "distinct_pq", "sq", "rq"])
    assert {key: score.value for key, score in scores.items()} == pytest.approx(
        {"distinct_sq": 7 / 8, "distinct_pq": 7 / 8, "sq": 11 / 12, "rq": 1}
    )


def test_one_command_writes_curves_and_maps_of_every_sheet(tmp_path: Path) -> None:
    sides = write_sheets([next(data_sets())[0]] * 2, tmp_path)
    result = CliRunner().invoke(cli, ["maps", *map(str, sides), "-o", str(tmp_path / "out")], catch_exceptions=False)
    assert result.exit_code == 0
    written = sorted(file.relative_to(tmp_path / "out").as_posix() for file in (tmp_path / "out").rglob("*.*"))
    names = ("curves.svg", "precision.npy", "precision.png", "recall.npy", "recall.png", "segments.csv")
    assert written == [f"{sheet}/{name}" for sheet in (201, 202) for name in names]


def sheet_files(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        Image.fromarray(np.array([[255, 0, 255]], np.uint8)).save(folder / name)
    return folder


def test_a_folder_of_both_sides_gives_each_side_its_files(tmp_path: Path) -> None:
    both = sheet_files(tmp_path / "both", "301-OUTPUT-GT.png", "301-OUTPUT-PRED.png", "302-OUTPUT-GT.png")
    mine = sheet_files(tmp_path / "mine", "301-OUTPUT-GT.png", "302-OUTPUT-GT.png")
    run = sm.evaluate(both, mine, engine="serial")  # predictions that are named as the truth, as the program allows
    assert [row["item"] for row in run.items()] == ["301", "302"]
    assert run.summary()["distinct_pq"].usual == 1
    with pytest.raises(sm.SegmetryError, match="302"):
        sm.evaluate(both, both, engine="serial")


def test_one_image_of_any_name_and_a_folder_of_other_names(tmp_path: Path) -> None:
    folder = sheet_files(tmp_path / "set", "blocks.png")
    options = {"protocol": "mapseg", "metrics": "n_matched", "engine": "serial"}
    run = sm.evaluate(folder / "blocks.png", folder / "blocks.png", **options)
    assert run.summary()["n_matched"]["pooled"] == 2
    with pytest.raises(FormatError, match=r"expected 301-OUTPUT-GT.png, or say --format folder --components 4"):
        sm.evaluate(folder, folder, protocol="mapseg")
    told = sm.evaluate(folder, folder, **options, format="folder", read={"components": 4})
    assert told.summary()["n_matched"]["pooled"] == 2


@pytest.mark.parametrize(
    ("sheet", "exception", "values"),
    [
        (([[0, 0]], [[1, 0]]), "no true block", (0, 0, 0)),
        (([[1, 3, 0]], [[1, 1, 0]]), "numbers that no pixel has", (0, 0, 0)),
        (([[1, 1, 3, 0]], [[1, 1, 1, 0]]), "numbers that no pixel has", (4 / 9, 2 / 3, 2 / 3)),
        (([[1] * 9], [[1] + [0] * 8]), "outside as a partner", (0, 0, 0)),
    ],
)
def test_the_smallest_examples_of_the_exceptions(
    sheet: tuple[list[list[int]], ...], exception: str, values: tuple[float, ...]
) -> None:
    true, pred = (np.array(side, np.uint8) for side in sheet)
    assert exception_of(true, pred) == exception
    assert by_definition(true, pred) == pytest.approx(values)
