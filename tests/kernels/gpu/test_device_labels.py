"""Labels on a device are recognised without its library, and never moved to meet labels elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DeviceMismatchError
from segmetry.kernels.gpu.device_labels import DeviceLabels, device_of
from segmetry.overlaps.count import on_one_device


class Elsewhere:
    """An array in the memory of some device."""

    def __init__(self, code: int, number: int = 0) -> None:
        self.place = (code, number)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.place


class Tensor:
    """What the checks ask of a tensor."""

    shape = (2, 3)
    dtype = "torch.int32"


@pytest.mark.parametrize(
    ("code", "name"), [(1, None), (3, None), (2, "cuda:0"), (10, "rocm:0"), (8, "mps:0"), (99, "device 99:0")]
)
def test_devices_have_names_and_host_memory_is_none(code: int, name: str | None) -> None:
    assert device_of(Elsewhere(code)) == name


def labels_on(device: str) -> sm.LabelArray:
    array = sm.LabelArray(np.ones((2, 3), dtype=np.int32))
    array.__dict__.update(on_device=DeviceLabels(Tensor(), device), _array=None)
    return array


def test_labels_on_two_devices_are_an_error_that_names_both() -> None:
    here = sm.LabelArray(np.ones((2, 3), dtype=np.int32))
    with pytest.raises(DeviceMismatchError, match="true is on cuda:0 and pred on this machine"):
        sm.overlap(labels_on("cuda:0"), here)
    with pytest.raises(DeviceMismatchError, match="true is on cuda:0 and pred on cuda:1"):
        sm.overlap_batch(labels_on("cuda:0"), labels_on("cuda:1"))
    assert len(on_one_device(labels_on("cuda:1"), labels_on("cuda:1"))) == 2


def test_facts_of_a_tensor_are_known_without_reading_it() -> None:
    labels = DeviceLabels(Tensor(), "cuda:0")
    assert (labels.shape, labels.ndim, labels.size, labels.dtype) == ((2, 3), 2, 6, np.dtype(np.int32))
