"""Ctrl-C ends the program at once, whatever it is doing: a run that is written can be continued.

Python runs the handler of a signal between two steps of the main thread, so a long step delays it. Our kernels look for
signals themselves; for the steps of other packages a thread is told of the signal by the operating system. If the main
thread has not started to stop within :data:`PATIENCE`, or has not stopped :data:`TIME_TO_STOP` later, that thread ends
the process. Nothing is lost by that: a run file is complete after every item, and outputs appear whole or not at all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from io import FileIO
from types import FrameType

PATIENCE = 0.15
TIME_TO_STOP = 1.0
MESSAGE = "segmetry: interrupted; if it was writing a run (--out), --resume continues it\n"


@contextlib.contextmanager
def end_when_interrupted() -> Iterator[None]:
    """End the process with exit code 130 if an interrupt is not answered in time."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # a program that calls this one has its own way
        return
    started = threading.Event()
    received, written = os.pipe()
    if os.name == "posix":
        os.set_blocking(written, False)
    before = signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda number, frame: _interrupt(started, number, frame))
    threading.Thread(target=_watch, args=(received, started), daemon=True).start()
    is_finished = False
    try:
        yield
        is_finished = True  # also by an interrupt, if that is how a command ends, as a server does
    finally:
        # After an interrupt that breaks off the watch goes on: closing pools and clusters may take too long as well.
        if is_finished or not started.is_set():
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(before)
            os.close(written)


def _interrupt(started: threading.Event, number: int, frame: FrameType | None) -> None:
    started.set()
    signal.default_int_handler(number, frame)


def _watch(signals: int, started: threading.Event) -> None:
    """Read the numbers of signals until the pipe is closed, as it is when the program has finished."""
    with open(signals, "rb", buffering=0) as pipe:
        while received := pipe.read(1):
            if received[0] == signal.SIGINT:
                _end(pipe, started)


def _end(pipe: FileIO, started: threading.Event) -> None:
    if started.wait(PATIENCE):
        too_late = threading.Timer(TIME_TO_STOP, _exit)
        too_late.daemon = True
        too_late.start()
        if not pipe.read(1):  # a second Ctrl-C does not wait any longer
            too_late.cancel()
            return
    _exit()


def _exit() -> None:
    with contextlib.suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), MESSAGE.encode())
    os._exit(130)
