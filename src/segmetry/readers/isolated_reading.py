"""Read files by a reader in a child process: its items, their elements, and parts of arrays that stay in storage."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError
from segmetry.readers import child_process
from segmetry.readers.child_process import receive_message, send_message
from segmetry.readers.items import Item, OpenVideo, picklable_item
from segmetry.readers.reader import READERS, Isolation, Reader, ReadOptions
from segmetry.segmentation import LabelArray, Segmentation
from segmetry.storage import Edges, Region, StoredArray

T = TypeVar("T")


def read_by(reader: Reader, path: Path, options: ReadOptions) -> Iterable[Item]:
    """Return the items of a path, decoded in a child process if the user or the reader's declaration says so."""
    wanted = options.isolation.wanted
    if child_process.IS_CHILD or reader.files_alone or not (reader.isolated if wanted is None else wanted):
        return reader.read(path, options)
    items = _call_child(options.isolation, path, _read_items, reader.name, path, options)
    return (replace(item, content=_isolated_content(item.content, path, options.isolation)) for item in items)


def decoded_by(function: Callable[..., T], path: Path, options: ReadOptions) -> T:
    """Decode a file by native code of another package, in a child process unless the user forbids it."""
    if child_process.IS_CHILD or options.isolation.wanted is False:
        return function(path)
    result: T = _call_child(options.isolation, path, function, path)
    return result


def isolated_array(stored: StoredArray, path: Path, options: ReadOptions) -> StoredArray:
    """Return an array whose decoder was seen to crash, read in a child process unless the user forbids it."""
    if child_process.IS_CHILD or options.isolation.wanted is False:
        return stored
    return IsolatedArray(path, options.isolation, *_pickled_array(stored))


def _call_child(
    isolation: Isolation, path: Path, function: Callable[..., Any], *arguments: Any, n_bytes: int = -1
) -> Any:
    """Call a function on a file in a child process; ``n_bytes`` are those it reads, if not the file's."""
    if n_bytes < 0:
        n_bytes = 0
        with contextlib.suppress(OSError):  # the reader says what is wrong
            n_bytes = path.stat().st_size if path.is_file() else 0
    return call_isolated(isolation, str(path), n_bytes, function, *arguments)


def _read_items(format_: str, path: Path, options: ReadOptions) -> list[Item]:
    """Read all items; a loader that cannot be sent to another process is called here."""
    items = map(picklable_item, READERS[format_].read(path, options))
    return [item if item.is_lazy else replace(item, content=_with_sendable_labels(item.load())) for item in items]


def _with_sendable_labels(segmentation: Segmentation) -> Any:
    """Return a segmentation that can be sent; of one whose labels stay in storage, what is needed to read them."""
    if not isinstance(segmentation, LabelArray) or segmentation.stored is None:
        return segmentation
    stored = segmentation.stored
    template = segmentation.with_labels(np.zeros((1,) * stored.ndim, dtype=segmentation.dtype))
    return _StoredLabels(template, _pickled_array(stored))


def _pickled_array(stored: StoredArray) -> tuple[bytes, tuple[int, ...], np.dtype[Any], Edges]:
    return pickle.dumps(stored), stored.shape, np.dtype(stored.dtype), stored.edges


def _isolated_content(content: Any, path: Path, isolation: Isolation) -> Any:
    """Return the content of an item in this process: what is read later is read in a child process."""
    if isinstance(content, _StoredLabels):
        return content.template.with_labels(IsolatedArray(path, isolation, *content.array))
    if isinstance(content, Segmentation):
        return content
    if isinstance(content, OpenVideo):
        return replace(content, read=IsolatedLoader(content.read, path, isolation))
    return IsolatedLoader(content, path, isolation)


@frozen_dataclass(eq=False)
class IsolatedLoader:
    """A loader of an item that runs in a child process."""

    load: Callable[..., Segmentation]
    path: Path
    isolation: Isolation

    def __call__(self, *domain: tuple[int, ...]) -> Segmentation:
        content = _call_child(self.isolation, self.path, _load_sendable, self.load, *domain)
        segmentation: Segmentation = _isolated_content(content, self.path, self.isolation)
        return segmentation


def _load_sendable(load: Callable[..., Segmentation], *domain: tuple[int, ...]) -> Any:
    return _with_sendable_labels(load(*domain))


@frozen_dataclass(eq=False)
class _StoredLabels:
    """Labels that stay in storage, as they are sent: ``template`` has one element and everything but the labels."""

    template: LabelArray
    array: tuple[bytes, tuple[int, ...], np.dtype[Any], Edges]


@frozen_dataclass(eq=False)
class IsolatedArray(StoredArray):
    """A stored array whose parts are read in a child process."""

    path: Path
    isolation: Isolation
    pickled: bytes
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges

    def read(self, box: Region) -> NDArray[Any]:
        n_bytes = self.dtype.itemsize * math.prod(part.stop - part.start for part in box)
        places = [(part.start, part.stop) for part in box]
        elements: NDArray[Any] = _call_child(
            self.isolation, self.path, _read_box, self.pickled, places, n_bytes=n_bytes
        )
        return elements


def _read_box(pickled: bytes, box: list[tuple[int, int]]) -> NDArray[Any]:
    return np.ascontiguousarray(_unpickle_array(pickled).read(tuple(slice(*part) for part in box)))


@lru_cache(maxsize=8)
def _unpickle_array(pickled: bytes) -> StoredArray:
    """Return a stored array; what it has looked up of its chunks is kept between the parts."""
    array: StoredArray = pickle.loads(pickled)  # noqa: S301 - from the process that started this one
    return array


_START = "import sys; sys.path[:] = sys.argv[1:]; from segmetry.readers.child_process import serve; serve()"
_PIPE_BYTES = 2**20  # 64 kB, the default, would wake both processes 16 times as often
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ of Linux


def call_isolated(isolation: Isolation, what: str, n_bytes: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of a module returns in a child process; ``what`` names the file, for messages."""
    request = pickle.dumps((os.getcwd(), function, arguments), protocol=5)  # noqa: PTH109 - a name, no path
    worker = _POOL.take(isolation.memory_limit)
    seconds = isolation.seconds_for(n_bytes)
    try:
        outcome, value, messages = worker.call(seconds, request)
    except (EOFError, OSError):
        _raise_death(worker.end(), what, seconds)
    except BaseException:
        worker.end()  # an answer may be on its way, which nobody waits for any more
        raise
    _POOL.give_back(worker)
    for message in messages:
        warnings.warn(message, stacklevel=2)
    if outcome == "error":
        raise value
    if outcome == "memory":
        raise FormatError(
            f"{what}: decoding it needs more than the {isolation.memory_limit} bytes of memory that are allowed; "
            "allow more with --isolate-memory if the file is genuine"
        )
    return value


def _raise_death(code: int, what: str, seconds: float) -> NoReturn:
    if hasattr(signal, "SIGALRM") and code == -signal.SIGALRM:
        raise FormatError(
            f"{what}: decoding it did not end within {seconds:.0f} seconds; "
            "allow more with --isolate-seconds if the file is genuine"
        )
    names = {-number: number.name for number in signal.Signals}
    ending = f"died of {names[code]}" if code in names else f"ended with code {code}"
    hint = ", perhaps for want of memory" if code == -getattr(signal, "SIGKILL", 9) else ""
    raise FormatError(
        f"{what}: damaged: the process that decodes it {ending}{hint}; expected a file that its decoder can read: "
        "obtain it again, or leave it out"
    )


class _Worker:
    def __init__(self, memory: int) -> None:
        self.memory = memory
        python = getattr(sys, "_base_executable", None) if not sys.executable else sys.executable
        paths = [path or os.getcwd() for path in sys.path]  # noqa: PTH109 - an empty entry is the working directory
        import subprocess  # here and not above: most runs start no child process

        self.process = subprocess.Popen(  # noqa: S603 - this Python, and a program written above
            [str(python), "-c", _START, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._enlarge_pipes()
        send_message(self.process.stdin, memory)  # type: ignore[arg-type]

    def call(self, seconds: float, request: bytes) -> Any:
        send_message(self.process.stdin, (seconds, request))  # type: ignore[arg-type]
        return receive_message(self.process.stdout)  # type: ignore[arg-type]

    def end(self) -> int:
        """End the process, which may have ended by itself, and return its exit code."""
        import subprocess

        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05 if self.process.poll() is None else None)
        self.process.kill()
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return code

    def _enlarge_pipes(self) -> None:
        if sys.platform != "linux":
            return
        import fcntl

        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # more than the system allows
                fcntl.fcntl(pipe, _SET_PIPE_SIZE, _PIPE_BYTES)  # type: ignore[arg-type]


class _Pool:
    """Workers that are idle; a process that was forked from this one starts its own."""

    def __init__(self) -> None:
        self._lock, self._process, self._idle = threading.Lock(), os.getpid(), list[_Worker]()

    def take(self, memory: int) -> _Worker:
        """Return an idle worker with this limit, or a new one."""
        with self._lock:
            if self._process != os.getpid():
                self._process, self._idle = os.getpid(), []
            for number, worker in enumerate(self._idle):
                if worker.memory == memory and worker.process.poll() is None:
                    return self._idle.pop(number)
        return _Worker(memory)

    def give_back(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle if self._process == os.getpid() else ():
            worker.end()


_POOL = _Pool()
atexit.register(_POOL.close)
if hasattr(os, "register_at_fork"):
    # A thread of the parent may hold the lock at this moment; in the child no thread will ever release it.
    os.register_at_fork(after_in_child=lambda: setattr(_POOL, "_lock", threading.Lock()))
