"""Loaded by the dask workers that are started for a run: an interrupt of the terminal goes to all of its processes.

The process that started the workers ends them; by themselves they would each die with a traceback, and what they have
counted with them.
"""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:  # noqa: ARG001 - dask calls it with the worker
    """Leave interrupts to the process that started the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
