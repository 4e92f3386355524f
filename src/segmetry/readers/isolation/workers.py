"""Child processes that are kept between files: as many as files are decoded at once, started when they are needed."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from segmetry.errors import FormatError
from segmetry.readers.isolation.child_process import receive_message, send_message
from segmetry.readers.isolation.limits import Isolation

_START = "import sys; sys.path[:] = sys.argv[1:]; from segmetry.readers.isolation.child_process import serve; serve()"
_PIPE_BYTES = 2**20  # 64 kB, the default, would wake both processes 16 times as often
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ of Linux


def call_isolated(isolation: Isolation, what: str, n_bytes: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of a module returns in a child process; ``what`` names the file, for messages."""
    request = pickle.dumps((function, arguments), protocol=5)
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
    """One child process."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        python = getattr(sys, "_base_executable", None) if not sys.executable else sys.executable
        paths = [path or os.getcwd() for path in sys.path]  # noqa: PTH109 - an empty entry is the working directory
        self.process = subprocess.Popen(  # noqa: S603 - this Python, and a program written above
            [str(python), "-c", _START, *paths], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._enlarge_pipes()
        send_message(self.process.stdin, memory)  # type: ignore[arg-type]

    def call(self, seconds: float, request: bytes) -> Any:
        """Send a request and wait for its answer."""
        send_message(self.process.stdin, (seconds, request))  # type: ignore[arg-type]
        return receive_message(self.process.stdout)  # type: ignore[arg-type]

    def end(self) -> int:
        """End the process, which may have ended by itself, and return its exit code."""
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
        """Keep a worker for the next file."""
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """End all idle workers of this process."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle if self._process == os.getpid() else ():
            worker.end()


_POOL = _Pool()
atexit.register(_POOL.close)
if hasattr(os, "register_at_fork"):
    # A thread of the parent may hold the lock at this moment; in the child no thread will ever release it.
    os.register_at_fork(after_in_child=lambda: setattr(_POOL, "_lock", threading.Lock()))
