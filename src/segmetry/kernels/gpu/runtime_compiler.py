"""NVRTC, NVIDIA's compiler as a library. CUDA builds of torch bring it, so nothing is compiled at installation."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from segmetry.errors import GpuError


@cache
def compiler() -> ctypes.CDLL:
    """Return the library: that of torch's packages, else that of the system."""
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise GpuError("the CUDA compiler library (libnvrtc) was not found; expected it beside torch or in the system")


def _candidates() -> Iterator[str]:
    for folder in sys.path:
        found = sorted(Path(folder or ".").glob("nvidia/*/lib/libnvrtc.so.*"), reverse=True)
        yield from (str(path) for path in found if "builtins" not in path.name and "alt" not in path.name)
    yield from ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12")
    yield str(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "lib64" / "libnvrtc.so")


def compile_text(text: str, macros: Mapping[str, str | int], architecture: str) -> bytes:
    """Return machine code for an architecture such as ``sm_90``."""
    library, program = compiler(), ctypes.c_void_p()
    _check(library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"count_pairs.cu", 0, None, None), "create")
    try:
        words = [f"--gpu-architecture={architecture}", "--std=c++17", *(f"-D{name}={macros[name]}" for name in macros)]
        options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        if library.nvrtcCompileProgram(program, len(words), options):
            raise GpuError(f"the kernel does not compile: {_log(library, program)}")
        size = ctypes.c_size_t()
        _check(library.nvrtcGetCUBINSize(program, ctypes.byref(size)), "size")
        code = ctypes.create_string_buffer(size.value)
        _check(library.nvrtcGetCUBIN(program, code), "code")
        return code.raw
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _log(library: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, text)
    return text.value.decode(errors="replace").strip()


def _check(code: int, step: str) -> None:
    if code:
        raise GpuError(f"the CUDA compiler library failed ({step}): error {code}")
