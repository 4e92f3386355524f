"""The parts of a run: a group of items is scored as a data set of its own, sizes as the breakdown of each item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, InputError, OptionError

CLASSES = {1: "car", 2: "sky", 3: "car", 4: "road"}
METRICS = "pq,sq,n_missed,mean_iou,dice,rand_index"


def sides(n: int = 8) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(5)
    true, pred = {}, {}
    for at in range(n):
        labels = np.kron(rng.integers(0, 5, (4, 4)), np.ones((2, 2), dtype=int))
        true[f"i{at}"] = sm.LabelArray(labels, classes=CLASSES)
        pred[f"i{at}"] = sm.LabelArray(np.where(rng.random(labels.shape) < 0.8, labels, 0), classes=CLASSES)
    return true, pred


@pytest.mark.parametrize("rule", ["theta_plus", "maximum_weight"])
def test_a_group_of_items_is_a_data_set_of_its_own(rule: str) -> None:
    true, pred = sides()
    run = sm.evaluate(true, pred, metrics=METRICS, rule=rule, resolve="keep", engine="serial")
    labels = {name: "even" if int(name[1:]) % 2 == 0 else "odd" for name in true}
    rows = {row["parity"]: row for row in run.parts(sm.ByItem("parity", labels))}
    assert list(rows) == ["even", "odd"]
    for label, row in rows.items():
        names = [name for name in true if labels[name] == label]
        alone = sm.evaluate(
            {name: true[name] for name in names},
            {name: pred[name] for name in names},
            metrics=METRICS,
            rule=rule,
            resolve="keep",
            engine="serial",
        ).summary()
        assert row["items"] == len(names)
        for key, aggregated in alone.scores.items():
            expected, of_items = aggregated.usual, aggregated.over_items
            assert row[key] == (expected.value if expected.is_defined else None), (label, key)
            assert of_items is not None and row[f"{key}_by_item"] == of_items.value, (label, key)


def test_sizes_are_those_of_the_segments_and_come_in_order() -> None:
    true, pred = sides()
    run = sm.evaluate(true, pred, metrics="pq,n_matched,rand_index", engine="serial")
    bins = sm.BySize((6, 12))
    table = run.parts(bins)
    assert table["size"] == [name for name in bins.names if name in table["size"]]
    alignments = [sm.align(sm.overlap(true[name], pred[name])) for name in true]
    for row in table:
        parts = [part for each in alignments for name, part in sm.break_down(each, bins).items() if name == row["size"]]
        pairs = [pair for part in parts for pair in part.pairs()]
        unmatched = sum(part.tally.n_unmatched_true + part.tally.n_unmatched_pred for part in parts)
        assert (row["n_matched"], row["true"]) == (len(pairs), sum(part.tally.n_true for part in parts))
        assert row["pq"] == pytest.approx(sum(pair.iou for pair in pairs) / (len(pairs) + unmatched / 2), abs=1e-15)
    assert "rand_index" not in table.columns, "it does not follow from the segments of a size"


def test_a_run_without_counts_of_segments_has_no_sizes() -> None:
    run = sm.evaluate({"a": [[1, 2]]}, {"a": [[1, 2]]}, metrics="rand_index")
    with pytest.raises(OptionError, match="a breakdown by size needs; evaluate with metrics such as pq"):
        run.parts("size")


def test_a_column_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "slides.csv"
    path.write_text("Item,Tissue\na,liver\nb,skin\na,liver\n")
    assert sm.ByItem.read(path, "Tissue").labels == {"a": "liver", "b": "skin"}
    with pytest.raises(FormatError, match=r"slides.csv, line 1: there is no column 'organ'; found item, tissue"):
        sm.ByItem.read(path, "organ")
    path.write_text("item,tissue\na,liver\na,skin\n")
    with pytest.raises(InputError, match="line 3: a second row for item 'a' says 'skin'"):
        sm.ByItem.read(path, "tissue")


def test_an_item_without_a_label_is_an_error() -> None:
    run = sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq")
    with pytest.raises(OptionError, match="item 'a' has no tissue; expected a label for every item, found 'b'"):
        run.parts(sm.ByItem("tissue", {"b": "skin"}))
