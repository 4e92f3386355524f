"""Ctrl-C ends the program at once, whatever it is doing: a run that is written can be continued.

Python runs the handler of a signal between two steps of the main thread, so a long step delays it. Our kernels look for
signals themselves; for the steps of other packages a thread is told of the signal by the operating system. If the main
thread has not begun to stop within :data:`PATIENCE`, or has not stopped :data:`TIME_TO_STOP` later, that thread ends
the process. Nothing is lost by that: a run file is complete after every item, and outputs appear whole or not at all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
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
    begun = threading.Event()
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda number, frame: _interrupt(begun, number, frame))
    # The thread holds both ends: the one that is written to must not be collected and closed while the watch goes on.
    threading.Thread(target=_watch, args=(ours, theirs, begun), daemon=True).start()
    is_finished = False
    try:
        yield
        is_finished = True  # also by an interrupt, if that is how a command ends, as a server does
    finally:
        # After an interrupt that breaks off the watch goes on: closing pools and clusters may take too long as well.
        if is_finished or not begun.is_set():
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(before)
            theirs.close()


def _interrupt(begun: threading.Event, number: int, frame: FrameType | None) -> None:
    begun.set()
    signal.default_int_handler(number, frame)


def _watch(signals: socket.socket, written: socket.socket, begun: threading.Event) -> None:
    with signals, written:
        while received := signals.recv(1):
            if received[0] == signal.SIGINT:
                _end(signals, begun)


def _end(signals: socket.socket, begun: threading.Event) -> None:
    if begun.wait(PATIENCE):
        signals.settimeout(TIME_TO_STOP)
        with contextlib.suppress(TimeoutError):
            if not signals.recv(1):  # a second Ctrl-C does not wait any longer
                return  # closed: the program has finished
    with contextlib.suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), MESSAGE.encode())
    os._exit(130)
