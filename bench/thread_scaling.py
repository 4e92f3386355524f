"""How much threads help: ``python -m bench.thread_scaling`` compares wall-clock times, so nothing else must run.

COCO panoptic pairs from the files to PQ by class, and one large pair of arrays, each in one thread and in as many as
there are cores. The rest of the benchmark compares processor times, in which threads never help.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from bench.png import ours
from bench.shapes import coarse_volume, shifted
from segmetry.evaluation.engines.engine import available_cores
from segmetry.kernels.pairs import count_pairs

REPEATS = 15


def _best(calls: list[Callable[[], object]]) -> list[float]:
    """Return the shortest time of every call in seconds, all of them called in turn."""
    shortest = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for at, call in enumerate(calls):
            start = time.perf_counter()
            call()
            shortest[at] = min(shortest[at], time.perf_counter() - start)
    return shortest


def main() -> None:
    """Print one line for each kind of work."""
    cores = available_cores()
    true = coarse_volume(256, 500, seed=2)
    pred = shifted(true, 3)
    work: dict[str, list[Callable[[], object]]] = {
        "200 COCO panoptic pairs": [partial(ours, groups={}, engine=engine) for engine in ("serial", "threads")],
        "256³ uint32": [partial(count_pairs, true, pred, threads=threads) for threads in (1, cores)],
    }
    for words, calls in work.items():
        alone, together = _best(calls)
        print(f"{words}: {alone * 1e3:.1f} ms in one thread, {together * 1e3:.1f} in {cores}: {alone / together:.2f} ×")


if __name__ == "__main__":
    main()
