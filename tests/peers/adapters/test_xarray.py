"""Label arrays of xarray: the spacing follows from their coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

import segmetry as sm
from segmetry.errors import DataWarning

TRUE = np.array([[1, 1, 0, 0], [1, 1, 0, 2], [0, 0, 0, 2]])
PRED = np.roll(TRUE, 1, axis=1)


def data_array(labels: Any, **coordinates: Any) -> Any:
    return xr.DataArray(labels, dims=("y", "x"), coords=coordinates)


def test_distances_are_in_the_unit_of_the_coordinates() -> None:
    places = {
        "y": xr.DataArray([10.0, 7.5, 5.0], dims="y", attrs={"units": "mm"}),
        "x": xr.DataArray([0.5, 1.0, 1.5, 2.0], dims="x", attrs={"units": "millimeter"}),
    }
    true, pred = data_array(TRUE, **places), data_array(PRED, **places)
    array = sm.LabelArray(true)
    assert array.spacing == (2.5, 0.5) and array.spacing.unit == "mm"
    plain = [sm.LabelArray(labels, spacing=(2.5, 0.5)) for labels in (TRUE, PRED)]
    assert sm.hausdorff(true, pred, rule="iou(above=0)") == sm.hausdorff(*plain, rule="iou(above=0)")
    run = sm.evaluate([true], [pred], metrics="hausdorff", read={"map": "2:1"}, rule="iou(above=0)")
    mapped = [sm.LabelArray(np.minimum(labels, 1), spacing=(2.5, 0.5)) for labels in (TRUE, PRED)]
    assert run.summary()["hausdorff"].over_items.value == sm.hausdorff(*mapped, rule="iou(above=0)").value
    stated = sm.LabelArray(true, spacing=(1, 1))
    assert stated.spacing == (1, 1)
    assert sm.pq(true, pred) == sm.pq(TRUE, PRED)


def test_axes_without_coordinates_and_batches() -> None:
    assert not sm.LabelArray(data_array(TRUE)).spacing.stated
    assert not sm.LabelArray(data_array(TRUE, y=[0, 1, 2])).spacing.stated
    assert not sm.LabelArray(data_array(TRUE, y=[0, 1, 2], x=list("abcd"))).spacing.stated
    batch = xr.DataArray(np.stack([TRUE, TRUE]), dims=("item", "y", "x"), coords={"y": [0, 2, 4], "x": [0, 3, 6, 9]})
    run = sm.evaluate(batch, batch, batch=True, metrics="pq,hausdorff")
    assert run.summary()["pq"].over_items == 1
    assert sm.LabelArray(batch[0]).spacing == (2, 3)
    with pytest.warns(DataWarning, match="the coordinates x of the labels are not evenly spaced"):
        assert not sm.LabelArray(data_array(TRUE, y=[0, 1, 2], x=[0, 1, 2, 4])).spacing.stated


def test_lazy_arrays_stay_lazy() -> None:
    dask = pytest.importorskip("dask.array")
    lazy = data_array(dask.from_array(TRUE, chunks=2), y=[0, 1, 2], x=[0, 2, 4, 6])
    assert sm.LabelArray(lazy).spacing == (1, 2)
    assert sm.pq(lazy, data_array(PRED)) == sm.pq(TRUE, PRED)
