"""A scheduler and workers that are killed and started again, at the same address."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cluster.conftest import _address, _dask, _end

WORKERS = 2


class KilledCluster:
    """A scheduler and two workers on loopback."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start_scheduler("0")
        self.address = _address(self.file)
        self.mend()

    def _start_scheduler(self, port: str) -> subprocess.Popen[bytes]:
        self.file.unlink(missing_ok=True)
        place = ["--host", "127.0.0.1", "--port", port, "--no-dashboard", "--scheduler-file", str(self.file)]
        return _dask("scheduler", *place)

    def processes(self) -> dict[int, str]:
        """The process ids of the scheduler and of the workers, and which they are."""
        return {self.scheduler.pid: "scheduler", **{worker.pid: "worker" for worker in self.workers}}

    def mend(self) -> None:
        """Start again what was killed; workers whose scheduler is gone are of no use."""
        if self.scheduler.poll() is not None:
            self._end_all(self.workers)
            self.workers = []
            self.scheduler = self._start_scheduler(self.address.rpartition(":")[2])
            _address(self.file)
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < WORKERS:
            self.workers.append(_dask("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"))

    def end(self) -> None:
        """Kill what is left."""
        self._end_all([*self.workers, self.scheduler])

    @staticmethod
    def _end_all(programs: list[subprocess.Popen[bytes]]) -> None:
        for program in programs:
            program.kill()
            _end(program)
