"""The few functions of the CUDA driver that launch a kernel, through ctypes: torch owns the memory and the streams."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import TracebackType
from typing import Any

from segmetry.errors import GpuError


@cache
def driver() -> ctypes.CDLL:
    """Return the driver library."""
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise GpuError("the CUDA driver library was not found")


def check(code: int, step: str) -> None:
    """Raise an error for a code other than 0."""
    if code:
        text = ctypes.c_char_p()
        driver().cuGetErrorString(code, ctypes.byref(text))
        raise GpuError(f"CUDA failed to {step}: {text.value.decode() if text.value else f'error {code}'}")


@cache
def primary_context(device: int) -> ctypes.c_void_p:
    """Return the context of a device that torch uses."""
    context = ctypes.c_void_p()
    check(driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "find the context of the device")
    return context


class OnDevice(AbstractContextManager[None]):
    """Makes a device current for the thread, which may not have used it before."""

    def __init__(self, device: int) -> None:
        self._context = primary_context(device)

    def __enter__(self) -> None:
        check(driver().cuCtxPushCurrent_v2(self._context), "enter the device")

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        driver().cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def load_module(code: bytes) -> ctypes.c_void_p:
    """Load machine code into the current device."""
    module = ctypes.c_void_p()
    check(driver().cuModuleLoadData(ctypes.byref(module), code), "load the kernel")
    return module


class Launch:
    """One kernel with its arguments and its grid, prepared once; arguments are changed by their ``value``."""

    def __init__(
        self, module: ctypes.c_void_p, name: str, arguments: Sequence[Any], blocks: int, threads: int, stream: int
    ) -> None:
        function = ctypes.c_void_p()
        check(driver().cuModuleGetFunction(ctypes.byref(function), module, name.encode()), f"find {name}")
        self._arguments = list(arguments)
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(argument) for argument in arguments))
        number = ctypes.c_uint
        self._call = (
            function,
            *(number(blocks), number(1), number(1)),
            *(number(threads), number(1), number(1)),
            number(0),
            ctypes.c_void_p(stream),
            pointers,
            None,
        )
        self._launch = driver().cuLaunchKernel

    def __call__(self) -> None:
        """Put the kernel into the queue of its stream."""
        code = self._launch(*self._call)
        if code:
            check(code, "start the kernel")


def wait_for(stream: ctypes.c_void_p) -> None:
    """Wait until everything in a stream has been done; other threads run on."""
    check(driver().cuStreamSynchronize(stream), "finish the kernel")
