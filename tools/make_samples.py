"""Draw the sample that ships with segmetry: a street scene with its true and predicted segments, and a segmented text.

Run from the root of the checkout; the files under src/segmetry/samples are its output, byte for byte.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

HEIGHT, WIDTH = 180, 270
TARGET = Path(__file__).parents[1] / "src" / "segmetry" / "samples"
Labels = NDArray[np.uint8]
ROWS, COLUMNS = np.mgrid[0:HEIGHT, 0:WIDTH]


class Scene:
    """Labels painted back to front, with the class of each."""

    def __init__(self) -> None:
        self.labels: Labels = np.zeros((HEIGHT, WIDTH), dtype=np.uint8)
        self.classes: dict[int, str] = {}

    def paint(self, label: int, name: str, region: NDArray[np.bool_]) -> None:
        self.labels[region] = label
        self.classes[label] = name

    def save(self, name: str) -> None:
        Image.fromarray(self.labels).save(TARGET / f"{name}.png", optimize=True)
        kept = {str(label): self.classes[label] for label in np.unique(self.labels).tolist() if label}
        (TARGET / f"{name}.classes.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def box(top: int, left: int, height: int, width: int) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (top <= ROWS) & (top + height > ROWS) & (left <= COLUMNS) & (left + width > COLUMNS)
    return inside


def ellipse(row: float, column: float, half_height: float, half_width: float) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = ((ROWS - row) / half_height) ** 2 + ((COLUMNS - column) / half_width) ** 2 <= 1
    return inside


def car(top: int, left: int, scale: float = 1.0) -> NDArray[np.bool_]:
    body = box(top + round(8 * scale), left, round(14 * scale), round(46 * scale))
    roof = ellipse(top + 9 * scale, left + 22 * scale, 9 * scale, 15 * scale)
    wheels = ellipse(top + 22 * scale, left + 10 * scale, 5 * scale, 5 * scale) | ellipse(
        top + 22 * scale, left + 36 * scale, 5 * scale, 5 * scale
    )
    return body | roof | wheels


def person(top: int, left: int) -> NDArray[np.bool_]:
    return (
        ellipse(top + 4, left + 5, 4.5, 4.5)
        | box(top + 8, left, 18, 11)
        | box(top + 26, left + 1, 14, 4)
        | box(top + 26, left + 6, 14, 4)
    )


def truth() -> Scene:
    scene = Scene()
    scene.paint(1, "sky", 70 + 6 * np.sin(COLUMNS / 23) > ROWS)
    scene.paint(2, "road", ROWS >= 112 + COLUMNS // 30)
    scene.paint(3, "building", box(28, 8, 86, 70))
    scene.paint(4, "building", box(44, 150, 72, 58))
    scene.paint(5, "tree", ellipse(72, 112, 26, 20) | box(90, 108, 26, 8))
    scene.paint(6, "tree", ellipse(70, 238, 30, 20) | box(96, 234, 24, 9))
    scene.paint(10, "car", car(104, 14))
    scene.paint(11, "car", car(112, 84, 1.2))
    scene.paint(12, "car", car(106, 168))
    scene.paint(13, "car", car(132, 206, 1.1))
    for label, (top, left) in enumerate([(122, 66), (124, 146), (118, 160), (136, 30)], start=20):
        scene.paint(label, "person", person(top, left))
    return scene


def prediction() -> Scene:
    """The truth with the mistakes of the field: ragged edges, a split, a merge, a miss, a fancy, a confusion, a
    half-found car.
    """
    scene = Scene()
    scene.paint(1, "sky", 73 + 5 * np.sin(COLUMNS / 21) > ROWS)
    scene.paint(2, "road", ROWS >= 115 + COLUMNS // 34)
    scene.paint(3, "building", box(30, 10, 84, 66))
    scene.paint(4, "building", box(40, 150, 76, 30))
    scene.paint(5, "building", box(40, 182, 76, 28))
    scene.paint(6, "tree", ellipse(74, 114, 25, 21) | box(92, 109, 24, 8))
    scene.paint(7, "tree", ellipse(73, 236, 28, 21) | box(96, 233, 24, 9))
    scene.paint(30, "car", car(104, 16))
    scene.paint(31, "truck", car(113, 85, 1.18))
    scene.paint(32, "car", car(108, 184, 0.95))
    scene.paint(33, "car", car(132, 206, 1.1) & (COLUMNS < 234))
    scene.paint(34, "car", car(132, 206, 1.1) & (COLUMNS >= 236))
    scene.paint(40, "person", person(122, 67))
    scene.paint(41, "person", person(124, 146) | person(118, 160) | box(128, 150, 16, 14))
    scene.paint(42, "person", box(60, 90, 10, 6))
    return scene


def text() -> dict[str, dict[str, dict[str, dict[str, list[int]]]]]:
    """Two short texts in sentences per topic: what an editor marked, and what a program found."""
    lengths = {
        "harbour guide": {"editor": [4, 6, 3, 7, 5], "program": [4, 5, 4, 4, 3, 5]},
        "letter home": {"editor": [3, 3, 8, 2], "program": [6, 8, 2]},
    }
    return {
        coder: {"items": {item: {coder: by_coder[coder]} for item, by_coder in lengths.items()}}
        for coder in ("editor", "program")
    }


def main() -> None:
    TARGET.mkdir(exist_ok=True)
    truth().save("street_true")
    prediction().save("street_pred")
    for coder, name in (("editor", "text_true"), ("program", "text_pred")):
        content = {**text()[coder], "segmentation_type": "linear"}
        (TARGET / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
