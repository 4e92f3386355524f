"""Reading files from Python: ``sm.read``, paths where segmentations are expected, sequences and batches."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError, KindError, OptionError, UnknownNameError

TRUE, PRED = np.array([[1, 1, 2, 2]]), np.array([[1, 1, 1, 2]])


@pytest.fixture
def files(tmp_path: Path) -> SimpleNamespace:
    for side, labels in (("true", TRUE), ("pred", PRED)):
        np.save(tmp_path / f"{side}.npy", labels)
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            np.save(tmp_path / side / f"{name}.npy", labels)
        np.savez(tmp_path / f"{side}.npz", a=labels, b=labels)
    (tmp_path / "one").mkdir()
    np.save(tmp_path / "one" / "a.npy", TRUE)
    return SimpleNamespace(folder=tmp_path, true=tmp_path / "true.npy", pred=tmp_path / "pred.npy")


def test_one_item_is_its_segmentation(files: SimpleNamespace):
    labels = sm.read(files.true)
    assert isinstance(labels, sm.LabelArray)
    assert labels.labels.tolist() == TRUE.tolist()
    assert sm.read(str(files.true), void=2, format="npy").void == (2,)


@pytest.mark.parametrize("name", ["true", "true.npz"])
def test_a_data_set_is_a_mapping_that_reads_on_demand(files: SimpleNamespace, name: str):
    items = sm.read(files.folder / name, void=1)
    assert list(items) == ["a", "b"]
    assert items["b"].labels.tolist() == TRUE.tolist()
    assert items["a"].void == (1,)
    assert repr(items) == f"ReadItems(2 items of {files.folder / name})"
    with pytest.raises(UnknownNameError, match="has no item 'c'; found a, b"):
        items["c"]


def test_a_folder_of_one_file_is_still_a_data_set(files: SimpleNamespace):
    assert list(sm.read(files.folder / "one")) == ["a"]


def test_what_cannot_be_read_is_one_error(files: SimpleNamespace):
    with pytest.raises(FormatError, match="no such file"):
        sm.read(files.folder / "none.npy")
    with pytest.raises(OptionError, match="not supported by format npy"):
        sm.read(files.true, tick=2)
    with pytest.raises(UnknownNameError, match="no reading option 'viod'"):
        sm.read(files.true, viod=2)
    with pytest.raises(FormatError, match="more than the budget of 2"):
        sm.read(files.true, max_elements=2)


def test_metrics_scores_and_overlaps_take_paths(files: SimpleNamespace):
    expected = sm.pq(TRUE, PRED)
    assert sm.pq(files.true, files.pred).to_dict() == expected.to_dict()
    assert sm.pq(str(files.true), str(files.pred)) == expected
    assert sm.pq(files.true, PRED) == expected
    assert sm.pq(TRUE, files.pred) == expected
    assert sm.score(files.true, files.pred, "pq")["pq"] == expected
    assert sm.overlap(files.true, files.pred) == sm.overlap(TRUE, PRED)


def test_paths_of_lines_are_put_on_one_line(tmp_path: Path):
    (tmp_path / "a.lab").write_text("0.0 1.0 x\n1.0 2.5 y\n")
    (tmp_path / "b.lab").write_text("0.00 1.25 x\n1.25 2.50 y\n")
    run = sm.evaluate(tmp_path / "a.lab", tmp_path / "b.lab", metrics="pq")
    scores = sm.score(tmp_path / "a.lab", tmp_path / "b.lab", "pq")
    assert scores["pq"] == run.items()[0]["pq"]


def test_a_file_of_several_items_is_no_pair_and_the_advice_works(files: SimpleNamespace):
    paths = files.folder / "true.npz", files.folder / "pred.npz"
    with pytest.raises(InputError, match=r"contains 2 items; a metric compares one pair: evaluate\(true, pred\)"):
        sm.pq(*paths)
    assert sm.evaluate(*paths, metrics="pq").n_done == 2
    assert sm.pq(*(sm.read(path)["a"] for path in paths)) == sm.pq(TRUE, PRED)


def test_what_was_read_can_be_evaluated(files: SimpleNamespace):
    run = sm.evaluate(sm.read(files.folder / "true"), sm.read(files.folder / "pred", side="pred"), metrics="pq")
    assert run.items()["item"] == ["a", "b"]
    assert run.items()["pq"] == [sm.pq(TRUE, PRED)] * 2


@pytest.mark.parametrize("kind", [list, tuple])
def test_sequences_are_named_by_position(kind, files: SimpleNamespace):
    run = sm.evaluate(
        kind([TRUE, sm.LabelArray(TRUE + 7), files.true]), kind([PRED, TRUE + 9, files.pred]), metrics="pq"
    )
    assert run.items()["item"] == ["0", "1", "2"]
    assert run.items()["pq"] == [sm.pq(TRUE, PRED), 1.0, sm.pq(TRUE, PRED)]


def test_sequences_of_different_lengths_and_nested_lists_are_rejected():
    with pytest.raises(InputError, match="true has 2 items and pred 1"):
        sm.evaluate([TRUE, TRUE], [PRED])
    with pytest.raises(KindError, match=r"true\[0\] is a list; .* use segmetry.score\(true, pred\)"):
        sm.evaluate([[1, 1, 2]], [[1, 1, 1]])
    with pytest.raises(KindError, match="expected two paths, two mappings"):
        sm.evaluate([TRUE], {"0": PRED})


def test_a_batch_is_taken_apart_only_when_asked():
    true, pred = np.stack([TRUE, TRUE]), np.stack([PRED, TRUE])
    run = sm.evaluate(true, pred, metrics="pq", batch=True)
    assert run.items()["item"] == ["0", "1"]
    assert run.items()["pq"] == [sm.pq(TRUE, PRED), 1.0]
    with pytest.raises(KindError, match=r"of shape \(2, 1, 4\); evaluate takes a data set: .* batch=True"):
        sm.evaluate(true, pred, metrics="pq")
    with pytest.raises(KindError, match="expected an array whose first axis is the batch"):
        sm.evaluate({"a": TRUE}, {"a": PRED}, batch=True)
    with pytest.raises(KindError, match="expected an array whose first axis is the batch"):
        sm.evaluate(TRUE[0], PRED[0], batch=True)
    with pytest.raises(InputError, match="true has 2 items and pred 1"):
        sm.evaluate(true, pred[:1], batch=True)


class _Tensor:
    """Looks like a tensor of torch."""

    __module__ = "torch"

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.shape, self.ndim = array, array.shape, array.ndim

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self.array

    def __getitem__(self, at: int) -> _Tensor:
        return _Tensor(self.array[at])


def test_a_tensor_that_may_be_a_batch_gets_a_note_whose_advice_works():
    true, pred = _Tensor(np.stack([TRUE, TRUE])), _Tensor(np.stack([PRED, TRUE]))
    with pytest.warns(DataWarning, match="a _Tensor with 3 axes is compared as one item") as noted:
        sm.pq(true, pred)
    assert Path(noted[0].filename) == Path(__file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sm.evaluate(true, pred, metrics="pq", batch=True).items()["pq"] == [sm.pq(TRUE, PRED), 1.0]
        sm.pq(sm.LabelArray(true), sm.LabelArray(pred))
        sm.pq(_Tensor(TRUE), _Tensor(PRED))
