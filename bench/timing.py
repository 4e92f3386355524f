"""Time the calls of a case in turn and compare the shortest times.

Times are CPU times of all threads of the process: unlike wall-clock times they do not include waiting for other
programs on the machine.
"""

from __future__ import annotations

import gc
import resource
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cases import Call, Case, Limit


@dataclass(frozen=True)
class Effort:
    """How often calls are repeated: for ``budget`` seconds, at least ``fewest`` times, or ``fewest_slow`` times where a
    call takes more than ``slow`` seconds."""

    budget: float
    fewest: int
    slow: float
    fewest_slow: int


SHORTEST = 1e-3
"""Seconds that are measured at least."""
THOROUGH = Effort(budget=1.0, fewest=7, slow=2.0, fewest_slow=2)
QUICK = Effort(budget=0.1, fewest=3, slow=0.3, fewest_slow=1)


@dataclass(frozen=True)
class Row:
    """One comparison. ``ratio`` is peer / ours for peers, ours / yardstick where the limit is an upper one."""

    case: str
    words: str
    peer: str
    target: str
    ratio: float | None
    passed: bool | None
    ours_ms: float
    peer_ms: float | None
    ours_repeats: int
    peer_repeats: int
    remark: str
    from_files: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def _processor_seconds() -> float:
    """Return the CPU time so far of this process and of the processes it started, finished or not."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime + _living_children()


def _living_children() -> float:
    """Return the CPU time so far of the processes that this one started and that run; 0 where Linux does not say."""
    seconds = 0.0
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            with suppress(OSError):  # it has ended meanwhile
                seconds += int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) / 1e9
    return seconds


class _Clock:
    """The shortest CPU time of one call so far; of quick calls, the shortest mean of as many as take a millisecond.

    Clocks of processors are read in steps of a microsecond, and the shortest of many readings of ten is too short.
    """

    def __init__(self, call: Call) -> None:
        self.call = call
        self.best = float("inf")
        self.repeats = 0
        self.together = 1

    def run(self) -> None:
        seconds = self._seconds()
        while seconds < SHORTEST:
            self.together *= 4
            seconds = self._seconds()
        self.best = min(self.best, seconds / self.together)

    def _seconds(self) -> float:
        start = _processor_seconds()
        for _ in range(self.together):
            self.call()
        self.repeats += self.together
        return _processor_seconds() - start

    def wants_more(self, spent: float, effort: Effort) -> bool:
        if self.best < float("inf") and self.best > effort.slow:
            return self.repeats < effort.fewest_slow
        return self.repeats < effort.fewest or spent < effort.budget


def measure(case: Case, effort: Effort = THOROUGH) -> list[Row]:
    """Time the calls of a case in turns, so that load on the machine affects all equally."""
    contest = case.build()
    clocks = {name: _Clock(call) for name, call in contest.peers.items() if call is not None}
    ours = _Clock(contest.ours)
    everyone = [ours, *clocks.values()]
    spent = dict.fromkeys(map(id, everyone), 0.0)
    gc.collect()
    gc.disable()
    try:
        while active := [c for c in everyone if c.wants_more(spent[id(c)], effort)]:
            for clock in active:
                start = time.perf_counter()
                for _ in range(effort.fewest if clock.best < 0.05 else 1):
                    clock.run()
                spent[id(clock)] += time.perf_counter() - start
    finally:
        gc.enable()
    return [_row(case, limit, ours, clocks.get(limit.peer)) for limit in case.limits]


def _row(case: Case, limit: Limit, ours: _Clock, peer: _Clock | None) -> Row:
    target = "none"
    if limit.at_least is not None:
        target = f"≥ {limit.at_least:g}×"
    elif limit.at_most is not None:
        target = f"≤ {limit.at_most:g}×"
    common: dict[str, Any] = {"case": case.name, "words": case.words, "peer": limit.peer, "target": target}
    common["from_files"] = case.from_files
    ours_ms = ours.best * 1e3
    if peer is None:
        missing = {"ratio": None, "passed": None, "peer_ms": None, "peer_repeats": 0, "remark": "peer is not installed"}
        return Row(**common, **missing, ours_ms=ours_ms, ours_repeats=ours.repeats)  # type: ignore[arg-type]
    passed: bool | None = None
    if limit.at_most is not None:
        ratio = ours.best / peer.best
        passed = ratio <= limit.at_most
    else:
        ratio = peer.best / ours.best
        passed = None if limit.at_least is None else ratio >= limit.at_least
    few = [
        f"{name} repeated {c.repeats} times only"
        for name, c in (("ours", ours), ("peer", peer))
        if c.repeats < THOROUGH.fewest
    ]
    return Row(
        **common,
        ratio=ratio,
        passed=passed,
        ours_ms=ours_ms,
        peer_ms=peer.best * 1e3,
        ours_repeats=ours.repeats,
        peer_repeats=peer.repeats,
        remark="; ".join(few),
    )
