"""What runs in a child process: it receives functions with arguments, calls them, and sends what they return.

Messages are pickles, with the elements of arrays beside them, uncopied. Both ends are processes of this program on this
machine; nothing that comes from a file is unpickled.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import warnings
from pathlib import Path
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")


def send_message(pipe: BinaryIO, message: Any) -> None:
    """Write a message: the number of its parts, their lengths, and the parts."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    pipe.write(_LENGTH.pack(len(parts)) + b"".join(_LENGTH.pack(part.nbytes) for part in parts))
    pipe.writelines(parts)
    pipe.flush()


def receive_message(pipe: BinaryIO) -> Any:
    """Read a message; EOFError if the other end is closed."""
    (n_parts,) = _LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))
    lengths = [_LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))[0] for _ in range(n_parts)]
    head, *buffers = [_read_exactly(pipe, length) for length in lengths]
    return pickle.loads(head, buffers=buffers)  # noqa: S301 - from a process that this one started


def _read_exactly(pipe: BinaryIO, length: int) -> bytearray:
    content = bytearray(length)
    view, at = memoryview(content), 0
    while at < length:
        got = pipe.readinto(view[at:])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        at += got
    return content


IS_CHILD = False
"""Whether this process is a child: it decodes files itself."""


def serve() -> None:
    """Answer requests until the parent closes the pipe or ends."""
    globals()["IS_CHILD"] = True
    requests, answers = _take_over_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    _limit_memory(receive_message(requests))
    while True:
        try:
            seconds, pickled = receive_message(requests)
        except EOFError:
            os._exit(0)
        # The signal ends the process, also within a decoder that never returns, and also after the parent has ended.
        _end_after(seconds)
        answer = _answer_request(pickled)
        _end_after(0)
        send_message(answers, answer)


def _take_over_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the parent; what a library prints goes nowhere."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    return requests, answers


def _answer_request(pickled: bytes) -> tuple[str, Any, list[Warning | str]]:
    """Return ("result", value) or ("error", exception), and the warnings in either case."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            folder, function, arguments = pickle.loads(pickled)  # noqa: S301 - from the process that started this one
            os.chdir(folder)  # names are relative to that of the caller, which may have changed since
            outcome, value = "result", function(*arguments)
        except MemoryError:
            outcome, value = "memory", None
        except Exception as problem:  # noqa: BLE001 - raised again in the parent
            outcome, value = "error", _picklable_error(problem)
    return outcome, value, [warning.message for warning in caught]


def _picklable_error(problem: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(problem))  # noqa: S301 - made a moment ago
    except Exception:  # noqa: BLE001 - an exception of another package that cannot be pickled
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem


def _end_after(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(extra: int) -> None:
    """Allow so many bytes more than the process has now."""
    if sys.platform == "win32":
        return
    import resource

    statm = Path("/proc/self/statm")
    now = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 2**30
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = now + extra if most == resource.RLIM_INFINITY else min(now + extra, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
