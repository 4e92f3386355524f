"""The few functions of the CUDA driver that launch a kernel, through ctypes: torch owns the memory and the streams.

The kernel is compiled by NVRTC, NVIDIA's compiler as a library. CUDA builds of torch bring it, so nothing is compiled
at installation.

Not through NVIDIA's ``cuda-bindings``: its releases for CUDA 12 are under a proprietary licence (12.9.4; 13.5 is under
Apache 2.0), it takes 31 MB and has to match the CUDA version of torch, all for the dozen functions below.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any

from segmetry.errors import GpuError

_SHARED_WITHOUT_ASKING = 48 << 10
_MOST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


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
    """One kernel with its arguments and its grid, prepared once; arguments are changed by their ``value``.

    ``grid`` are blocks and threads of each, ``shared`` bytes of shared memory that are sized at the launch.
    """

    def __init__(
        self,
        module: ctypes.c_void_p,
        name: str,
        arguments: Sequence[Any],
        grid: tuple[int, int],
        stream: int,
        *,
        shared: int = 0,
    ) -> None:
        function = ctypes.c_void_p()
        blocks, threads = grid
        check(driver().cuModuleGetFunction(ctypes.byref(function), module, name.encode()), f"find {name}")
        if shared > _SHARED_WITHOUT_ASKING:
            check(driver().cuFuncSetAttribute(function, _MOST_SHARED, shared), "get shared memory")
        self._arguments = list(arguments)
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(argument) for argument in arguments))
        number = ctypes.c_uint
        self._call = (
            function,
            *(number(blocks), number(1), number(1)),
            *(number(threads), number(1), number(1)),
            number(shared),
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


@cache
def compiler() -> ctypes.CDLL:
    """Return the library: that of torch's packages, else that of the system."""
    for name in _compiler_paths():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise GpuError("the CUDA compiler library (libnvrtc) was not found; expected it next to torch or in the system")


def _compiler_paths() -> Iterator[str]:
    for folder in sys.path:
        found = sorted(Path(folder or ".").glob("nvidia/*/lib/libnvrtc.so.*"), reverse=True)
        yield from (str(path) for path in found if "builtins" not in path.name and "alt" not in path.name)
    yield from ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12")
    yield str(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "lib64" / "libnvrtc.so")


@cache
def loaded_module(device: int, name: str, macros: tuple[tuple[str, str | int], ...]) -> ctypes.c_void_p:
    """Return the compiled text of a file beside this one, with these macros; the device is current."""
    import torch

    text = files("segmetry.kernels.gpu").joinpath(name).read_text(encoding="utf-8")
    major, minor = torch.cuda.get_device_capability(device)
    return load_module(compile_text(text, dict(macros), f"sm_{major}{minor}"))


def compile_text(text: str, macros: Mapping[str, str | int], architecture: str) -> bytes:
    """Return machine code for an architecture such as ``sm_90``."""
    library, program = compiler(), ctypes.c_void_p()
    _check_compiler(
        library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None), "create"
    )
    try:
        words = [f"--gpu-architecture={architecture}", "--std=c++17", *(f"-D{name}={macros[name]}" for name in macros)]
        options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        if library.nvrtcCompileProgram(program, len(words), options):
            raise GpuError(f"the kernel does not compile: {_compiler_log(library, program)}")
        size = ctypes.c_size_t()
        _check_compiler(library.nvrtcGetCUBINSize(program, ctypes.byref(size)), "size")
        code = ctypes.create_string_buffer(size.value)
        _check_compiler(library.nvrtcGetCUBIN(program, code), "code")
        return code.raw
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _compiler_log(library: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, text)
    return text.value.decode(errors="replace").strip()


def _check_compiler(code: int, step: str) -> None:
    if code:
        raise GpuError(f"the CUDA compiler library failed ({step}): error {code}")
