"""The protocol ``mapseg`` against the program of the competition, on the files of the same data sets."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from tests.peers.protocols.single_modules import module_of
from tests.protocols.references.map_sheets import by_definition, data_sets, exception_of, write_sheets
from tests.protocols.references.table_values import same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

if importlib.util.find_spec("icdar21_mapseg_eval") is None:
    pytest.skip("icdar21-mapseg-eval is not installed: make .venv/stamps/peers", allow_module_level=True)

_IOU = module_of("icdar21_mapseg_eval", "iou.py", matplotlib={}, **{"matplotlib.pyplot": {}})
COCO = module_of("icdar21_mapseg_eval", "coco.py", icdar21_mapseg_eval={"iou": _IOU}).COCO


def read(file: Path) -> np.ndarray:
    import tifffile

    return np.asarray(Image.open(file)) if file.suffix == ".png" else tifffile.imread(file)


def test_equals_the_program(tmp_path: Path) -> None:
    seen = dict.fromkeys(("equal", "no true block", "numbers that no pixel has", "outside as a partner"), 0)
    for at, sheets in enumerate(data_sets()):
        (folder := tmp_path / f"{at}").mkdir()
        true, pred = write_sheets(sheets, folder)
        values = []
        for sheet, *files in zip(sheets, sorted(true.iterdir()), sorted(pred.iterdir()), strict=True):
            exception = exception_of(*sheet)
            seen[exception or "equal"] += 1
            values.append(by_definition(*sheet) if exception else COCO(*map(read, files)))
        (row,) = shown(sm.evaluate(true, pred, engine="serial")).values()
        for heading, of_sheets in zip(("COCO PQ", "COCO SQ", "COCO RQ"), zip(*values, strict=True), strict=True):
            assert same(row[heading], float(np.mean(of_sheets))), (heading, row, values)
    assert seen["equal"] > 100 and min(seen.values()) > 0, seen


@pytest.mark.parametrize(
    ("true", "pred"),
    [([[0, 0]], [[1, 0]]), ([[1, 1, 3, 0]], [[1, 1, 1, 0]]), ([[1] * 9], [[1] + [0] * 8])],
    ids=["no true block", "a number that no pixel has", "outside as a partner"],
)
def test_the_exceptions_are_the_ones_that_are_stated(true: list[list[int]], pred: list[list[int]]) -> None:
    arrays = np.array(true, np.uint16), np.array(pred, np.uint16)
    expected = by_definition(*arrays)
    try:
        found = COCO(*arrays)
    except (ValueError, AssertionError):
        return
    assert found != pytest.approx(expected)
