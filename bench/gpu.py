"""Counting on a GPU against the time to read both arrays once: ``python -m bench.gpu [-o FILE.json]``.

Run it on a machine with a CUDA device and torch; it is no part of ``python -m bench``. Times on the device are those of
CUDA events around both kernels, with the queue filled beforehand; times end to end are those of a call in Python with
everything it waits for.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.kernels.backend import in_use
from segmetry.kernels.gpu import cuda_classes, cuda_pairs, device_pairs

REPEATS = 40
MOST_SECONDS = 5.0
"""After this time a call that was made five times is not made again."""
BATCHES = 20
"""Batches of an epoch."""
QUEUE_CYCLES = 200_000
"""How long the device waits before a measurement, so that the host is ahead."""


def main(arguments: list[str] | None = None) -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("-o", metavar="FILE", dest="file", type=Path, help="save the rows as JSON")
    options = parser.parse_args(arguments)
    rows = [*on_device(), *end_to_end()]
    for row in rows:
        print("  ".join(f"{name}: {value}" for name, value in row.items()), flush=True)
    if options.file is not None:
        import torch

        facts = {
            "command": "python -m bench.gpu",
            "device": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "python": platform.python_version(),
            "kernels": in_use(),
        }
        text = json.dumps({**facts, "rows": rows}, indent=1, ensure_ascii=False)
        options.file.write_text(text + "\n", encoding="utf-8")


def on_device() -> list[dict[str, Any]]:
    """Return the times of the kernels, and how often they take the time to read both arrays once."""
    import torch

    rate = read_rate()
    volume = cells((512, 512, 512), 2000, 1)
    generator = torch.Generator(device="cuda").manual_seed(0)
    two = [torch.randint(0, 2, (512,) * 3, device="cuda", dtype=torch.uint8, generator=generator) for _ in range(2)]
    large_ids = torch.randint(0, 2**62, (4000,), device="cuda", generator=generator)
    image, batch = cells((1024, 2048), 100, 2), panoptic_batch()
    cases: list[tuple[str, Any, int]] = [
        ("512³ int32", volume, 1),
        ("512³ int64", [side.long() for side in volume], 1),
        ("512³ int64, ids to 2⁶²", [large_ids[side.long()] for side in volume], 1),
        ("512³ int16", [side.short() for side in volume], 1),
        ("512³ uint8", [(side % 256).to(torch.uint8) for side in volume], 1),
        ("512³ uint8, two labels at random", two, 1),
        ("1024 × 2048 int32", image, 1),
        ("32 × 480 × 640 int32, a table each", batch, 32),
    ]
    rows = []
    for name, (true, pred), items in cases:
        limit = (true.nbytes + pred.nbytes) / rate * 1e6
        found = device_microseconds(true, pred, items)
        rows.append(ratio_row(name, limit, found))
    for dtype, share in product(("int64", "int32", "int16", "uint8"), (0, 10, 100)):
        true, pred = class_maps(dtype, share)
        for items in (1, 16):
            limit = (true.nbytes + pred.nbytes) / rate * 1e6
            plan = cuda_classes.plan_of(device_pairs.task_of(true, pred, items), cuda_classes.ClassLayout(20))
            found = event_microseconds(lambda: plan.queue(true, pred))  # noqa: B023
            name = f"class maps 16 × 1024 × 2048 {dtype}, 19 classes, {share} % noise, {items} tables"
            rows.append(
                {"case": name, "limit_us": round(limit, 1), "device_us": found, "ratio": round(found / limit, 2)}
            )
    for labels in (2, 40, 64, 100, 150, 256):
        generator = torch.Generator(device="cuda").manual_seed(labels)
        true, pred = (
            torch.randint(0, labels, (16, 1024, 2048), device="cuda", dtype=torch.uint8, generator=generator)
            for _ in range(2)
        )
        limit = (true.nbytes + pred.nbytes) / rate * 1e6
        plan = cuda_classes.plan_of(device_pairs.task_of(true, pred), cuda_classes.ClassLayout(labels))
        found = event_microseconds(lambda: plan.queue(true, pred))  # noqa: B023
        name = f"16 × 1024 × 2048 uint8, {labels} labels at random"
        rows.append(ratio_row(name, limit, found))
    return rows


def ratio_row(name: str, limit: float, found: float) -> dict[str, Any]:
    """Return a row of the time on the device and how often it takes the limit, in microseconds."""
    return {"case": name, "limit_us": round(limit, 1), "device_us": found, "ratio": round(found / limit, 2)}


def end_to_end() -> list[dict[str, Any]]:
    """Return the times of calls in Python, waiting included."""
    image, volume, batch = cells((1024, 2048), 100, 2), cells((512, 512, 512), 2000, 1), panoptic_batch()
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("1024 × 2048: sorted rows on the host", lambda: device_pairs.count_device_pairs(*image)),
        ("1024 × 2048: sm.overlap", lambda: sm.overlap(*image)),
        ("1024 × 2048: sm.pq", lambda: sm.pq(*image)),
        ("512³: sorted rows on the host", lambda: device_pairs.count_device_pairs(*volume)),
        ("32 × 480 × 640: sm.overlap_batch", lambda: sm.overlap_batch(*batch)),
        *adapters(batch),
        *class_updates(),
    ]
    return [{"case": name, "wall_us": wall_microseconds(call)} for name, call in calls]


def adapters(batch: tuple[Any, Any]) -> list[tuple[str, Callable[[], Any]]]:
    """Return a batch and an epoch with our torchmetrics metric and with torchmetrics' own."""
    import torch
    from torchmetrics.detection import PanopticQuality as Peer

    from segmetry.adapters.torchmetrics import PanopticQuality

    target, preds = (torch.stack((side.long() // 1000, side.long() % 1000), -1).contiguous() for side in batch)
    classes = set(range(1, 80)), set(range(80, 134))
    ours, peer = PanopticQuality(*classes).cuda(), Peer(*classes).cuda()
    by_class = PanopticQuality(*classes, return_per_class=True).cuda()

    def batch_of(metric: Any) -> None:
        metric.reset()
        metric.update(preds, target)

    def values_of_batch(metric: Any) -> Any:
        batch_of(metric)
        return metric.compute()

    def epoch(metric: Any) -> float:
        metric.reset()
        for _ in range(BATCHES):
            metric.update(preds, target)
        return float(metric.compute())

    size = "32 × 480 × 640 × 2 int64"
    return [
        (f"{size}: update of PanopticQuality", lambda: batch_of(ours)),
        (f"{size}: update of torchmetrics", lambda: batch_of(peer)),
        (f"{size}: PQ of every class of one batch", lambda: values_of_batch(by_class)),
        (f"{BATCHES} such batches and the result: PanopticQuality", lambda: epoch(ours)),
        (f"{BATCHES} such batches and the result: torchmetrics", lambda: epoch(peer)),
    ]


def class_maps(dtype: str, noise: int) -> tuple[Any, Any]:
    """Return 16 class maps of 19 classes, and predictions of which so many per cent are drawn at random."""
    import torch

    labels = cells((1024, 2048), 100, 2)[0].long() % 19
    true = torch.stack([labels.roll(37 * item, 1) for item in range(16)])
    generator = torch.Generator(device="cuda").manual_seed(noise)
    is_noise = torch.rand(true.shape, device="cuda", generator=generator) < noise / 100
    drawn = torch.randint(0, 19, true.shape, device="cuda", generator=generator)
    sides = true, torch.where(is_noise, drawn, true.roll(3, 2))
    first, second = (side.to(getattr(torch, dtype)) for side in sides)
    return first, second


def class_updates() -> list[tuple[str, Callable[[], Any]]]:
    """Return updates with class maps: ours and torchmetrics' own."""
    from torchmetrics.classification import MulticlassJaccardIndex as Peer

    from segmetry.adapters.torchmetrics import Segmetry

    calls: list[tuple[str, Callable[[], Any]]] = []
    for dtype in ("int64", "uint8"):
        true, pred = class_maps(dtype, 10)
        ours, peer = Segmetry(protocol="semantic").cuda(), Peer(19).cuda()

        def update(metric: Any = ours, true: Any = true, pred: Any = pred) -> None:
            metric.reset()
            metric.update(pred, true)

        def peer_update(metric: Any = peer, true: Any = true, pred: Any = pred) -> None:
            metric.reset()
            metric.update(pred, true)

        calls += [
            (f"class maps 16 × 1024 × 2048 {dtype}: update of Segmetry(protocol='semantic')", update),
            (f"class maps 16 × 1024 × 2048 {dtype}: update of torchmetrics", peer_update),
        ]
    return calls


def read_rate() -> float:
    """Return how many bytes a second the device reads: the maximum of 1 GiB."""
    import torch

    numbers = torch.ones(1 << 28, dtype=torch.int32, device="cuda")
    return float(numbers.nbytes / (event_microseconds(numbers.amax) * 1e-6))


def device_microseconds(true: Any, pred: Any, items: int) -> float:
    """Return the time of counting and collecting; the capacity of the tables is known from a first count."""
    task = device_pairs.task_of(true, pred, items)
    cuda_pairs.count_rows(task, true, pred)
    plan = cuda_pairs.plan_of(task)
    return event_microseconds(lambda: plan.queue(true, pred))


def event_microseconds(call: Callable[[], Any]) -> float:
    """Return the least time between two events around what a call puts into the queue."""
    import torch

    times: list[float] = []
    for _ in range(REPEATS):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(QUEUE_CYCLES)  # noqa: SLF001
        start.record()
        call()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1e3)
    return round(min(times), 1)


def wall_microseconds(call: Callable[[], Any]) -> dict[str, float]:
    """Return the least and the median time of a call."""
    import torch

    times: list[float] = []
    begun = time.perf_counter()
    while len(times) < 5 or (len(times) < REPEATS and time.perf_counter() - begun < MOST_SECONDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    return {"least": round(min(times[2:]), 1), "median": round(statistics.median(times[2:]), 1)}


def panoptic_batch() -> tuple[Any, Any]:
    """Return 32 images with ids category · 1000 + instance; the prediction has one category in eight wrong."""
    import torch

    sides: tuple[list[Any], list[Any]] = ([], [])
    for item in range(32):
        numbers = np.random.default_rng(1000 + item)
        category = numbers.integers(1, 134, 400)
        wrong = np.where(numbers.random(400) < 0.125, numbers.integers(1, 134, 400), category)
        for side, labels, of in zip(sides, cells((480, 640), 20, 100 + item), (category, wrong), strict=True):
            code = torch.as_tensor(of * 1000 + np.arange(400), dtype=torch.int32, device="cuda")
            side.append(code[labels.long()])
    return torch.stack(sides[0]), torch.stack(sides[1])


def cells(shape: tuple[int, ...], n: int, seed: int) -> tuple[Any, Any]:
    """Return cells around random centres, and a prediction with moved centres, a tenth of them merged into others."""
    numbers = np.random.default_rng(seed)
    centres = numbers.random((n, len(shape))) * np.array(shape)
    moved = centres + numbers.standard_normal(centres.shape) * 4
    kept = numbers.random(n) > 0.1
    ids = np.arange(1, n + 1)
    return nearest(shape, centres, ids, seed), nearest(shape, moved[kept], ids[kept], seed)


def nearest(shape: tuple[int, ...], centres: Any, ids: Any, seed: int) -> Any:
    """Return the id of the centre nearest to every element, after moving the elements smoothly: borders are uneven."""
    import torch

    generator = torch.Generator(device="cuda").manual_seed(seed)
    moves = [noise(shape, 30, 8.0, generator) + noise(shape, 5, 1.5, generator) for _ in shape]
    points = torch.as_tensor(centres, dtype=torch.float32, device="cuda")
    half = (points * points).sum(1)[None] / 2
    names = torch.as_tensor(ids, dtype=torch.int32, device="cuda")
    labels = torch.empty(shape, dtype=torch.int32, device="cuda")
    flat = labels.view(-1)
    for start in range(0, flat.numel(), 1 << 19):
        place = torch.arange(start, min(start + (1 << 19), flat.numel()), device="cuda")
        at = torch.stack(torch.unravel_index(place, shape), -1) + torch.stack(
            [move.view(-1)[place] for move in moves], -1
        )
        flat[place] = names[torch.addmm(half, at, points.T, alpha=-1).argmin(1)]
    return labels


def noise(shape: tuple[int, ...], width: int, amplitude: float, generator: Any) -> Any:
    """Return smooth noise: random numbers on a coarse grid, interpolated."""
    import torch
    from torch.nn.functional import interpolate

    coarse = torch.randn([1, 1, *(size // width + 3 for size in shape)], generator=generator, device="cuda")
    mode = "trilinear" if len(shape) == 3 else "bilinear"
    return amplitude * interpolate(coarse, size=list(shape), mode=mode, align_corners=True)[0, 0]


if __name__ == "__main__":
    main()
