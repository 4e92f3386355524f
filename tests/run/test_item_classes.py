"""The table of items and classes agrees with the metrics of each item and with the means of the summary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.options.table_files import output_table


def test_values_of_items_and_classes() -> None:
    rng = np.random.default_rng(5)
    true, pred = ({f"{at}": rng.integers(0, 4, (4, 5)) for at in range(4)} for _ in range(2))
    true["3"] = np.where(true["3"] == 2, 0, true["3"])
    run = sm.evaluate(true, pred, metrics=["dice", "class_hausdorff"], read={"labels": "classes"}, engine="serial")
    rows = {(row["item"], row["class"]): row for row in run.item_classes()}
    for (item, label), row in rows.items():
        masks = [(side[item] == label).astype(int) for side in (true, pred)]
        assert row["dice"] == sm.dice(*masks).value
        distance = sm.class_hausdorff(*masks)
        assert row["class_hausdorff"] == (distance.value if distance.is_defined else None)
    for label in (1, 2, 3):
        values = [row["dice"] for (_, name), row in rows.items() if name == label and row["dice"] is not None]
        assert run.summary().classes[label]["dice"]["by_item"].value == pytest.approx(sum(values) / len(values))


def test_the_table_is_written_under_its_name(tmp_path: Path) -> None:
    sides = [{"a": np.array([[1, 1, 2]])}, {"a": np.array([[1, 1, 0]])}]
    sm.evaluate(*sides, metrics="dice", read={"labels": "classes"}, out=tmp_path / "run.segm")
    with sm.Run.open(tmp_path / "run.segm") as run:
        rows = [tuple(row.values()) for row in output_table([run], "item_classes")]
    assert rows == [("a", "theta_plus", 1, 1.0), ("a", "theta_plus", 2, 0.0)]
