"""The table of items and classes agrees with the metrics of each item and with the means of the summary."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.cli.options.table_files import output_table
from segmetry.protocols.protocol_cells import protocol_table


def test_values_of_items_and_classes() -> None:
    rng = np.random.default_rng(5)
    true, pred = ({f"{at}": rng.integers(0, 4, (4, 5)) for at in range(4)} for _ in range(2))
    true["3"] = np.where(true["3"] == 2, 0, true["3"])
    read = {"labels": "classes", "outside": 0}
    run = sm.evaluate(true, pred, metrics=["dice", "class_hausdorff"], read=read, engine="serial")
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


def test_the_table_of_classes_seeks_each_class_once() -> None:
    """It sought each of n classes among all n."""

    class Names(dict[Hashable, str]):
        sought = 0

        def get(self, key: Hashable, default: Any = None) -> Any:
            self.sought += 1
            return super().get(key, default)

    counts = []
    for n in (20, 40):
        labels = sm.LabelArray(np.arange(1, n + 1)[None], classes={at: at for at in range(1, n + 1)})
        run = sm.evaluate({"a": labels}, {"a": labels}, protocol="coco-panoptic")
        names = Names({at: f"class {at}" for at in range(1, n + 1)})
        assert run.protocol is not None
        cells = run.protocol.class_cells
        table = protocol_table(run.protocol, run.data, cells=cells, class_names=names)
        assert len(table.rows) >= n
        counts.append(names.sought)
    assert counts[1] <= 2 * counts[0]


def test_the_table_of_classes_takes_calls_in_proportion_to_them() -> None:
    """Four times as many classes take about four times as many calls of functions, not sixteen times."""

    def n_calls(n: int) -> int:
        labels, classes = np.arange(1, n + 1).reshape(1, -1), {at: at for at in range(1, n + 1)}
        true, pred = (sm.LabelArray(np.roll(labels, shift), classes=classes) for shift in (0, 1))
        run, count = sm.evaluate({"a": true}, {"a": pred}, protocol="coco-panoptic"), 0

        def profile(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            table = run.protocol_table(classes=True)
        finally:
            sys.setprofile(before)
        assert table is not None and len(table.rows) == n
        return count

    assert n_calls(800) < 4.5 * n_calls(200)
