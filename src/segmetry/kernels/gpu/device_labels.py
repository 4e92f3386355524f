"""Labels in the memory of a device, such as a CUDA tensor: counted there, copied only for who needs the elements."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import DataWarning, LabelTypeError, MissingExtraError

_HOST_DEVICES = (1, 3, 11)
"""DLPack's codes of memory that the processor reads: ordinary, page-locked for CUDA, page-locked for ROCm."""
# Device types of DLPack; 13 is CUDA memory that host and device share.
_NAMES = {2: "cuda", 8: "mps", 10: "rocm", 13: "cuda", 14: "xpu"}


def device_of(labels: Any) -> str | None:
    """Return the name of the device that holds an array, such as ``cuda:0``; None for the memory of this machine."""
    device_function = getattr(labels, "__dlpack_device__", None)
    if device_function is None or isinstance(labels, np.ndarray):
        return None
    with _readable(labels):  # not a tensor without elements (device meta), a sparse one, or a deleted array of jax
        code, number = device_function()
    return None if int(code) in _HOST_DEVICES else f"{_NAMES.get(int(code), f'device {int(code)}')}:{number}"


@contextmanager
def _readable(labels: Any) -> Iterator[None]:
    try:
        yield
    except (ValueError, BufferError, TypeError, RuntimeError) as problem:
        words = " ".join(str(problem).split())[:120]
        raise LabelTypeError(f"labels are a {type(labels).__name__} that cannot be read: {words}") from None


@frozen_dataclass(eq=False)
class DeviceLabels:
    """Integer labels on a device, as a torch tensor that shares the memory of what was passed."""

    tensor: Any
    device: str

    @classmethod
    def of(cls, labels: Any) -> DeviceLabels | None:
        """Return labels that are on a device; None for those on this machine. Nothing is copied."""
        device = device_of(labels)
        if device is None:
            return None
        try:
            import torch
        except ImportError as problem:
            raise MissingExtraError(f"labels on {device}", "gpu") from problem
        with _readable(labels):
            tensor = labels.detach() if isinstance(labels, torch.Tensor) else torch.from_dlpack(labels)
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            name = str(tensor.dtype).removeprefix("torch.")
            raise LabelTypeError(
                f"labels on {device} have dtype {name}; expected integers or bool: convert them on the device first, "
                "labels.long(), if their values are integers"
            )
        return cls(tensor, device)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(int, self.tensor.shape))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(str(self.tensor.dtype).removeprefix("torch."))

    def whole(self) -> NDArray[Any]:
        """Copy all labels to this machine; a warning says so and why."""
        warnings.warn(
            f"labels on {self.device} are copied to this machine: distances, pictures and the fingerprints of a run "
            "file need every element; overlaps are counted on the device",
            DataWarning,
            stacklevel=2,
        )
        labels: NDArray[Any] = self.tensor.cpu().numpy()
        return labels
