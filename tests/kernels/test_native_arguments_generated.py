"""Every native function, called with arrays of any shape, dtype and layout, returns, or refuses with an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from tests.kernels.test_native_arguments import call, kernels
from tests.profiles import examples

pytestmark = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")

DTYPES = (
    "?",
    "u1",
    "u2",
    "u4",
    "u8",
    "i1",
    "i2",
    "i4",
    "i8",
    "f4",
    "f8",
    ">u2",
    ">i8",
    "c16",
    "O",
    "U3",
    "V3",
    "M8[s]",
)
EXTREME = (0, 1, -1, 2, 7, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
NAMES = sorted(set(kernels()) - {"stop_threads"})
MOST = 2**12
"""Numbers that say how much memory a function may take are not drawn beyond this; those beside it are of any size."""
SIZES = {"rows", "length", "height", "width", "most_stretches", "threads", "chunk", "slab", "size", "d", "radius"}


@st.composite
def arrays(draw: st.DrawFn) -> NDArray[Any]:
    """An array of up to four axes of any dtype, with strides that may be negative, zero or odd, or read-only."""
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    array: NDArray[Any] = np.zeros((*shape, 2), dtype)
    if dtype.kind in "iuf":
        values = [
            value for value in EXTREME if dtype.kind == "f" or np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
        ]
        array = np.array(draw(st.lists(st.sampled_from(values), min_size=array.size, max_size=array.size)), dtype)
        array = array.reshape((*shape, 2))
    array = array[..., draw(st.sampled_from((0, 1)))] if draw(st.booleans()) else np.ascontiguousarray(array[..., 0])
    if array.ndim:
        how = draw(st.sampled_from(("as it is", "reversed", "transposed", "repeated", "fortran")))
        if how == "reversed":
            array = array[::-1]
        elif how == "transposed":
            array = array.T
        elif how == "repeated":
            array = np.broadcast_to(array, (3, *array.shape))
        elif how == "fortran":
            array = np.asfortranarray(array)
    if draw(st.booleans()):
        array.flags.writeable = False
    return array


VALUES = st.one_of(
    arrays(),
    st.sampled_from(EXTREME),
    st.floats(),
    st.lists(st.sampled_from(EXTREME), max_size=3),
    st.binary(max_size=8),
    st.lists(st.binary(max_size=4), max_size=3),
    st.sampled_from([None, "", (), object(), [["a"], [1]], np.float64(1), {}]),
)


@pytest.mark.parametrize("name", NAMES)
@examples(1 / 2)
@given(data=st.data())
def test_wrong_arguments_never_crash(name: str, data: st.DataObject) -> None:
    arguments = dict(kernels()[name].arguments)
    for argument in data.draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=3, unique=True)):
        value = data.draw(VALUES, argument)
        if argument in SIZES and isinstance(value, int):
            value = data.draw(st.integers(-3, MOST), argument)
        arguments[argument] = value
    try:
        call(name, arguments)
    except (TypeError, ValueError, OverflowError):
        return


@pytest.mark.parametrize("name", NAMES)
@examples(1 / 4)
@given(data=st.data())
def test_right_types_of_any_length_and_content_never_crash(name: str, data: st.DataObject) -> None:
    """Arrays keep dtype, number of axes and layout; their lengths and numbers are any."""
    arguments: dict[str, Any] = {}
    for argument, value in kernels()[name].arguments.items():
        if not isinstance(value, np.ndarray) or data.draw(st.booleans()):
            arguments[argument] = value
            continue
        shape = tuple(data.draw(st.integers(0, 4)) for _ in range(value.ndim))
        bound = np.iinfo(value.dtype) if value.dtype.kind in "iu" else None
        numbers = [n for n in EXTREME if bound is None or bound.min <= n <= bound.max]
        content = data.draw(
            st.lists(st.sampled_from(numbers), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
        )
        arguments[argument] = np.array(content, dtype=value.dtype).reshape(shape)
    try:
        call(name, arguments)
    except (TypeError, ValueError, OverflowError):
        return
