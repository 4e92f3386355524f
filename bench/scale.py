"""Time and memory by size: ``python -m bench.scale`` measures, and writes docs/_static/scale.svg and scale.json.

Every point is a separate process that evaluates a data set: its processor time and its peak memory. Seconds depend on
the machine; the figure shows how they grow.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.shapes import coarse_volume, shifted
from segmetry.evaluation.engines.engine import available_cores
from segmetry.outputs.plots.picture import GREY, INK, PALE, Line, Picture, Rectangle, Shape, Words

TARGET = Path(__file__).parents[1] / "docs" / "_static"
MEASURE = """
import json, resource, sys, time
import segmetry as sm
true, pred, jobs, out = sys.argv[1:5]
if __name__ == "__main__":
    start, wall = time.process_time(), time.perf_counter()
    run = sm.evaluate(true, pred, metrics="panoptic", engine="threads", jobs=int(jobs), out=out)
    spent = time.process_time() - start, time.perf_counter() - wall
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(json.dumps({"seconds": spent[0], "wall": spent[1], "megabytes": peak / 1000, **run.counts()}))
"""


def measured(folder: Path, jobs: int = 1, *, by: str = "seconds", repeats: int = 2) -> dict[str, Any]:
    """Return the best of several evaluations of the folders or files true and pred."""
    sides = [next(folder.glob(f"{side}*")) for side in ("true", "pred")]
    results = []
    for _ in range(repeats):
        out = folder / "run.segm"
        out.unlink(missing_ok=True)
        command = [sys.executable, "-c", MEASURE, *map(str, sides), str(jobs), str(out)]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        results.append({**result, "run_megabytes": out.stat().st_size / 1e6})
    return min(results, key=lambda result: result[by])


def _store(folder: Path, name: str, labels: Any) -> None:
    import zarr

    chunks = tuple(min(128, length) for length in labels.shape)
    zarr.create_array(folder / f"{name}.zarr", shape=labels.shape, chunks=chunks, dtype=labels.dtype)[...] = labels


def by_elements(root: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Measure cubes of one volume; the largest is eight copies of its chunks."""
    true = coarse_volume(512, 2000, seed=2)
    pred = shifted(true, 3)
    for side in (128, 256, 512):
        folder = root / f"elements{side}"
        folder.mkdir()
        for name, labels in (("true", true), ("pred", pred)):
            _store(folder, name, np.ascontiguousarray(labels[:side, :side, :side]))
        yield side**3, measured(folder)
    largest = root / "elements1024"
    largest.mkdir()
    for name in ("true", "pred"):
        source, target = root / "elements512" / f"{name}.zarr", largest / f"{name}.zarr"
        for place in np.ndindex(8, 8, 8):
            file = target.joinpath("c", *map(str, place))
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source.joinpath("c", *(str(at % 4) for at in place)), file)
        facts = json.loads((source / "zarr.json").read_text())
        (target / "zarr.json").write_text(json.dumps({**facts, "shape": [1024] * 3}))
    yield 1024**3, measured(largest)


def by_pairs(root: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Measure 256³ elements in smaller and smaller cubes; the prediction is moved by half a cube: eight overlap one."""
    for side in (64, 32, 16, 8, 4):
        folder = root / f"pairs{side}"
        folder.mkdir()
        steps = np.arange(256, dtype=np.uint32) // side
        count = 256 // side + 1
        true = 1 + steps[:, None, None] * count * count + steps[:, None] * count + steps
        _store(folder, "true", true)
        _store(folder, "pred", np.roll(true, (side // 2,) * 3, (0, 1, 2)))
        result = measured(folder)
        yield result["overlap_rows"], result


def by_items(root: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Measure folders of small label images."""
    rng = np.random.default_rng(5)
    for count in (10, 100, 1000, 10_000):
        folder = root / f"items{count}"
        for name in ("true", "pred"):
            (folder / name).mkdir(parents=True)
        for at in range(count):
            labels = np.kron(rng.integers(0, 6, (8, 8)), np.ones((8, 8), dtype=int)).astype(np.uint8)
            np.save(folder / "true" / f"{at}.npy", labels)
            np.save(folder / "pred" / f"{at}.npy", np.roll(labels, 2, 0))
        yield count, measured(folder)


def by_workers(root: Path) -> Iterator[tuple[float, dict[str, Any]]]:
    """Measure 512³ elements on more and more threads, in wall-clock time."""
    cores = available_cores()
    for jobs in (1, 2, 4, 8, 16):
        if jobs <= cores:
            result = measured(root / "elements512", jobs, by="wall", repeats=5)
            yield jobs, {**result, "seconds": result["wall"]}


AXES: dict[str, Callable[[Path], Iterator[tuple[float, dict[str, Any]]]]] = {
    "elements": by_elements,
    "pairs that overlap": by_pairs,
    "items": by_items,
    "workers": by_workers,
}
PANEL, GAP, LEFT, TOP = 150, 58, 52, 30
BLUE, VERMILION = "#0072b2", "#d55e00"


def _exponents(values: list[float]) -> tuple[int, int]:
    """Return the powers of ten that enclose the values."""
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _panel(
    corner: tuple[float, float], points: list[tuple[float, float]], powers: tuple[int, int], words: str, colour: str
) -> list[Shape]:
    """Draw one curve with logarithmic axes, with a grid line for every power of ten."""
    (left, top), (y_low, y_high) = corner, powers
    x_low, x_high = _exponents([size for size, _ in points])
    height = PANEL * 0.8

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            left + PANEL * (math.log10(x) - x_low) / (x_high - x_low),
            top + height * (1 - (math.log10(y) - y_low) / (y_high - y_low)),
        )

    shapes: list[Shape] = []
    step = max(1, (x_high - x_low) // 3)
    for power in range(x_low, x_high + 1, step):
        x, _ = place(10.0**power, 10.0**y_low)
        shapes += [
            Line(((x, top), (x, top + height)), PALE),
            Words(x, top + height + 12, _number(power), 10, "middle", GREY),
        ]
    for power in range(y_low, y_high + 1):
        _, y = place(10.0**x_low, 10.0**power)
        shapes += [Line(((left, y), (left + PANEL, y)), PALE), Words(left - 5, y, _number(power), 10, "end", GREY)]
    shapes.append(Line(((left, top), (left, top + height), (left + PANEL, top + height)), INK))
    placed = tuple(place(*point) for point in points)
    shapes.append(Line(placed, colour, 2))
    shapes += [Rectangle(x - 2.5, y - 2.5, 5, 5, colour) for x, y in placed]
    if words:
        shapes.append(Words(left + PANEL / 2, top + height + 28, words, 12, "middle"))
    return shapes


def _number(power: int) -> str:
    letter = {0: "", 1: "k", 2: "M", 3: "G"}[max(0, power) // 3]
    return f"{10.0 ** (power - 3 * (max(0, power) // 3)):g}{letter}"


def draw(growth: dict[str, list[dict[str, float]]]) -> Picture:
    """Time above, memory below, one column for each kind of growth."""
    shapes: list[Shape] = []
    for at, (field, colour) in enumerate((("seconds", BLUE), ("megabytes", VERMILION))):
        powers = _exponents([row[field] for rows in growth.values() for row in rows])
        for column, (words, rows) in enumerate(growth.items()):
            corner = LEFT + column * (PANEL + GAP), TOP + at * (PANEL + 12)
            points = [(row["size"], row[field]) for row in rows]
            shapes += _panel(corner, points, powers, words if at else "", colour)
    shapes.append(Words(LEFT - 40, 12, "seconds", 12, "start", BLUE))
    shapes.append(Words(LEFT - 40, TOP + PANEL - 6, "MB at most", 12, "start", VERMILION))
    width = LEFT + len(growth) * (PANEL + GAP) - GAP + 20
    return Picture(width, TOP + 2 * PANEL + 22, "How time and memory grow", tuple(shapes))


def main() -> None:
    """Measure everything and draw it."""
    begun = time.perf_counter()
    growth: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for words, make in AXES.items():
            growth[words] = []
            for size, result in make(Path(folder)):
                row = {name: round(result[name], 3) for name in ("seconds", "megabytes", "run_megabytes")}
                row["size"] = size
                growth[words].append(row)
                print(f"{words:>20} {size:>14,} {row['seconds']:>9.3f} s {row['megabytes']:>6.0f} MB", flush=True)
    (TARGET / "scale.json").write_text(json.dumps(growth, indent=1) + "\n", encoding="utf-8")
    draw(growth).save(TARGET / "scale.svg")
    print(f"{time.perf_counter() - begun:.0f} s; wrote {TARGET / 'scale.svg'} and scale.json")


if __name__ == "__main__":
    main()
