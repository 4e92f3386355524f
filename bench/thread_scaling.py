"""How much threads help: ``python -m bench.thread_scaling`` compares wall-clock times, so nothing else must run.

COCO panoptic pairs from the files to PQ by class, and one large pair of arrays, each in 1, 2, 4, … threads, up to the
number of cores. The rest of the benchmark compares processor times, in which threads never help.
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
    counts = sorted({min(2**at, cores) for at in range(cores.bit_length() + 1)})
    true = coarse_volume(256, 500, seed=2)
    pred = shifted(true, 3)
    work: dict[str, list[Callable[[], object]]] = {
        "200 COCO panoptic pairs": [partial(ours, groups={}, engine="threads", jobs=n) for n in counts],
        "256³ uint32": [partial(count_pairs, true, pred, threads=n) for n in counts],
    }
    print(f"| work | {' | '.join(f'{n} threads' for n in counts)} |\n|---|{'---|' * len(counts)}")
    for words, calls in work.items():
        times = _best(calls)
        print(f"| {words} | {' | '.join(f'{seconds * 1e3:.1f} ms, {times[0] / seconds:.2f} ×' for seconds in times)} |")


if __name__ == "__main__":
    main()
