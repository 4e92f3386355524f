"""Preloaded by dask workers that are started for an evaluation: a terminal sends an interrupt to all its processes.

The process that started the workers ends them; on their own they would each die with a traceback and lose their counts.
"""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:  # noqa: ARG001 - dask calls it with the worker
    """Leave interrupts to the process that started the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
