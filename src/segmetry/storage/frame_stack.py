"""A video as a stored array: its frames are read one by one, when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, regular_edges


@dataclass(frozen=True, eq=False)
class FrameStack(StoredArray):
    """Images of one size along the first axis; ``load`` returns the image of one of the ``frames``.

    >>> stack = FrameStack((1, 2), lambda frame: np.full((2, 3), frame), (2, 2, 3), np.dtype(int))
    >>> stack.read((slice(1, 2), slice(0, 1), slice(0, 3))).tolist()
    [[[2, 2, 2]]]
    """

    frames: tuple[Any, ...]
    load: Callable[[Any], NDArray[Any]]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def edges(self) -> Edges:  # type: ignore[override]
        """One chunk per frame."""
        return regular_edges(self.shape, (1, *self.shape[1:]))

    def read(self, box: Region) -> NDArray[Any]:
        frames = [self._image(frame)[box[1:]].astype(self.dtype, copy=False) for frame in self.frames[box[0]]]
        if not frames:
            return np.zeros((0, *self.shape[1:]), dtype=self.dtype)
        if len(frames) == 1:
            return frames[0][None]
        if all(frame.flags.f_contiguous for frame in frames):  # run lengths of COCO go down the columns
            return np.stack([frame.T for frame in frames]).swapaxes(1, -1)
        return np.stack(frames)

    def _image(self, frame: Any) -> NDArray[Any]:
        image = self.load(frame)
        if image.shape != self.shape[1:]:
            raise FormatError(
                f"{frame}: has shape {image.shape}, the first frame of the video {self.shape[1:]}; expected frames of "
                "one size"
            )
        if not np.can_cast(image.dtype, self.dtype):
            raise FormatError(
                f"{frame}: is {image.dtype}, the first frame of the video {self.dtype}; expected one type"
            )
        return image
