"""Compute the data of ``segmetry demo``: a small data set for each of ten fields, with a truth and two systems.

Every pixel and every second is computed here, with numpy, scipy and Pillow; nothing is copied, so the result has the
licence of the project. ``python tools/make_demo.py`` writes src/segmetry/samples/demo.zip (two minutes), with
``--folder NAME`` the files themselves. The two systems have habits: fern joins what touches and is fooled by posters,
moss misses what is small. In some scenes the annotator forgot somebody, for the triage of errors to find.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import math
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import ndimage

TARGET = Path(__file__).parents[1] / "src" / "segmetry" / "samples" / "demo.zip"
SEED, SCENES = 7, 40
HEIGHT, WIDTH, FINE = 208, 320, 3
"""The size of a picture, and how much finer it is painted."""

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ids = NDArray[np.int32]
Points = Sequence[tuple[float, float]]
Colour = tuple[float, float, float]

THINGS = {"person": 1, "car": 2, "tree": 3, "sign": 4}
STUFF = {"sky": 21, "building": 22, "road": 23, "pavement": 24, "grass": 25}
IDS = THINGS | STUFF
CATEGORIES = [{"id": number, "name": name, "isthing": int(name in THINGS)} for name, number in IDS.items()]
LIGHT: dict[str, tuple[float, Colour, float]] = {
    "noon": (0.36, (1.0, 1.0, 1.0), 1.0),
    "evening": (0.2, (1.12, 0.95, 0.78), 1.05),
    "overcast": (0.2, (1.08, 1.1, 1.13), 0.72),
    "rain": (0.12, (0.84, 0.89, 0.96), 0.7),
    "night": (0.12, (0.3, 0.34, 0.46), 0.9),
}
"""How often, the colour of the light, and the contrast."""
SKIES: dict[str, tuple[Colour, Colour]] = {
    "noon": ((96, 142, 196), (196, 216, 234)),
    "evening": ((120, 130, 165), (244, 206, 160)),
    "overcast": ((168, 174, 182), (212, 215, 218)),
    "rain": ((138, 146, 156), (176, 182, 188)),
    "night": ((34, 40, 66), (84, 84, 104)),
}
SMALLEST = 12
"""Segments of fewer elements are not annotated."""


@dataclass(frozen=True)
class Habits:
    """What a system does wrong: how loosely it draws, below which size it misses, and how often it does what."""

    loose: float
    small: float
    confuse: float
    join: float
    cut: float
    fooled: float
    kerb: float


SYSTEMS = {
    "fern": Habits(loose=0.62, small=70, confuse=0.05, join=0.55, cut=0.1, fooled=0.75, kerb=0.35),
    "moss": Habits(loose=0.45, small=95, confuse=0.04, join=0.12, cut=0.07, fooled=0.45, kerb=0.2),
}
BLIND = 0.05


def clouds(rng: Generator, shape: tuple[int, int], octaves: int, base: float) -> Array:
    """Return fractal noise of about unit spread."""
    total = np.zeros(shape)
    for octave in range(octaves):
        cells = [max(2, int(base * 2**octave * side / max(shape))) for side in shape]
        zoom = [side / cell for side, cell in zip(shape, cells, strict=True)]
        coarse = rng.normal(size=[cell + 3 for cell in cells])
        total += ndimage.zoom(coarse, zoom, order=2)[: shape[0], : shape[1]] / 2**octave
    return np.asarray(total / total.std())


def draw_all(draw: Callable[..., None], shapes: Iterable[Any]) -> None:
    """Fill some shapes."""
    for shape in shapes:
        draw(shape, fill=255)


class Scene:
    """A picture, painted from back to front, with the segment of every element."""

    def __init__(self, rng: Generator) -> None:
        self.rng, self.height, self.width = rng, HEIGHT * FINE, WIDTH * FINE
        self.rgb: Array = np.zeros((self.height, self.width, 3))
        self.ids: Ids = np.zeros((self.height, self.width), np.int32)
        self.rows, self.columns = np.mgrid[: self.height, : self.width].astype(float)
        self.names: dict[int, str] = {}
        self.forgotten: list[tuple[str, Mask]] = []
        self.decoys: list[tuple[str, Mask]] = []
        self.sun = int(rng.choice([-1, 1]))
        self.horizon = int(self.height * rng.uniform(0.4, 0.5))
        self.weather = str(rng.choice(list(LIGHT), p=[light[0] for light in LIGHT.values()]))
        self.glows: list[tuple[float, float, float]] = []
        self.vanishing = self.width * rng.uniform(0.35, 0.65)
        self.near = (self.width * rng.uniform(0.4, 0.6), self.width * rng.uniform(0.36, 0.5))
        self.far = self.width * rng.uniform(0.02, 0.05)

    def new(self, name: str) -> int:
        """Return the number of a new segment; stuff has one segment a class."""
        for segment, own in self.names.items():
            if own == name and name in STUFF:
                return segment
        self.names[len(self.names) + 1] = name
        return len(self.names)

    def drawn(self, paint: Callable[[ImageDraw.ImageDraw], Any]) -> Mask:
        """Return what is painted as a mask."""
        layer = Image.new("L", (self.width, self.height))
        paint(ImageDraw.Draw(layer))
        return np.asarray(layer) > 127

    def polygon(self, *polygons: Points) -> Mask:
        """Return the elements in any of some polygons."""
        return self.drawn(lambda draw: draw_all(draw.polygon, map(list, polygons)))

    def boxes(self, boxes: Iterable[tuple[float, float, float, float]]) -> Mask:
        """Return the elements in any of some boxes: left, top, right, bottom."""
        return self.drawn(lambda draw: draw_all(draw.rectangle, boxes))

    def discs(self, discs: Iterable[tuple[float, float, float, float]]) -> Mask:
        """Return the elements in any of some ellipses: centre, half width, half height."""
        boxes = [(x - a, y - b, x + a, y + b) for x, y, a, b in discs]
        return self.drawn(lambda draw: draw_all(draw.ellipse, boxes))

    def strokes(self, lines: Iterable[Points], thick: float) -> Mask:
        """Return the elements of some lines with round ends."""
        width, half = max(1, int(thick)), thick / 2

        def paint(draw: ImageDraw.ImageDraw) -> None:
            for line in lines:
                draw.line(list(line), fill=255, width=width, joint="curve")
                for x, y in line:
                    draw.ellipse((x - half, y - half, x + half, y + half), fill=255)

        return self.drawn(paint)

    def put(self, mask: Mask, colour: Any, shade: Array | None = None, alpha: float = 1.0) -> None:
        """Paint a mask."""
        value = np.broadcast_to(np.asarray(colour, float), (int(mask.sum()), 3))
        if shade is not None:
            value = value * np.broadcast_to(shade, mask.shape)[mask][:, None]
        self.rgb[mask] = (1 - alpha) * self.rgb[mask] + alpha * value

    def place(self, depth: float, lane: float) -> tuple[float, float, float]:
        """Return where the foot of a thing is, and how many elements one metre has there."""
        centre, half = self.near
        x = self.vanishing + (centre - self.vanishing) * depth + (self.far + (half - self.far) * depth) * lane
        return x, self.horizon + (self.height - self.horizon) * depth, self.height * (0.018 + 0.155 * depth)

    def shadow(self, x: float, y: float, wide: float, high: float, alpha: float) -> None:
        """Darken the ground below a thing."""
        soft = ndimage.gaussian_filter(self.discs([(x, y, wide, high)]).astype(float), high / 2)[..., None] * alpha
        self.rgb = self.rgb * (1 - soft) + np.array((28, 30, 38)) * soft

    # What stands still

    def paint_background(self) -> None:
        """Paint sky, buildings, ground and road."""
        rng, height = self.rng, self.height
        veil = np.clip(0.55 * (clouds(rng, self.ids.shape, 6, 2.5) - 0.15), 0, 1)[..., None]
        veil = veil * {"noon": 0.9, "evening": 0.9, "night": 0.12}.get(self.weather, 0.35)
        top, low = (np.array(colour) for colour in SKIES[self.weather])
        down = np.clip(self.rows / self.horizon, 0, 1)[..., None]
        self.rgb[:] = (top * (1 - down) + low * down) * (1 - veil) + np.array((240, 240, 238)) * veil
        self.ids[:] = self.new("sky")
        for row, (share, least, most) in enumerate([(0.55, 0.14, 0.24), (0.72, 0.18, 0.42)]):
            x = -rng.uniform(0, 0.1) * self.width
            while x < self.width:
                wide = self.width * rng.uniform(0.1, 0.24)
                if rng.random() < share:
                    self.paint_building(x, wide, height * rng.uniform(least, most), is_far=row == 0)
                x += wide * rng.uniform(0.9, 1.15)
        self.paint_ground()

    def paint_building(self, x: float, wide: float, high: float, *, is_far: bool) -> None:
        """Paint one building with its windows."""
        rng, foot = self.rng, self.horizon + self.height * 0.02
        walls = [(176, 158, 138), (150, 108, 88), (186, 182, 174), (134, 132, 134), (198, 176, 140), (120, 96, 84)]
        wall = np.array(rng.choice(walls))
        wall = wall * 0.65 + np.array((205, 212, 220)) * 0.4 if is_far else wall * 0.95
        texture = 1 + 0.12 * ndimage.gaussian_filter(rng.normal(size=self.ids.shape), 1.5)
        texture *= 1 + 0.1 * self.sun * (self.columns - x - wide / 2) / wide
        body = self.boxes([(x, foot - high, x + wide, foot)])
        self.put(body, wall, texture)
        self.ids[body] = self.new("building")
        if rng.random() < 0.4:
            y, peak = foot - high, foot - 1.16 * high
            roof = self.polygon([(x - 3, y), (x + 0.15 * wide, peak), (x + 0.85 * wide, peak), (x + wide + 3, y)])
            self.put(roof, wall * np.array((0.72, 0.6, 0.56)), texture)
            self.ids[roof] = self.new("building")
        self.put(self.boxes([(x, foot - high, x + wide, foot - high + 4)]), wall * 0.7)
        across, down = max(2, int(wide / rng.uniform(30, 46))), max(2, int(high / rng.uniform(36, 52)))
        cell, storey = wide / across, high / down
        panes: dict[float, list[tuple[float, float, float, float]]] = {}
        for column, row in np.ndindex(across, down):
            left, upper = x + cell * (column + 0.26), foot - high + storey * (row + 0.24)
            glass = float(rng.choice([0.25, 0.32, 0.45, 0.8], p=[0.45, 0.3, 0.2, 0.05]))
            panes.setdefault(glass, []).append((left, upper, left + 0.48 * cell, upper + 0.55 * storey))
        for glass, boxes in panes.items():
            is_lit = self.weather == "night" and glass > 0.4
            self.put(self.boxes(boxes), (640, 520, 320) if is_lit else np.array((120, 134, 152)) * glass + 14)
        sills = [(left, bottom, right, bottom + 2) for boxes in panes.values() for left, _, right, bottom in boxes]
        self.put(self.boxes(sills), wall * 1.15)

    def paint_ground(self) -> None:
        """Paint grass or pavement, and the road with its markings."""
        rng, height = self.rng, self.height
        bank = str(rng.choice(["grass", "pavement"]))
        ground = self.rows >= self.horizon + height * 0.02
        depth = np.clip((self.rows - self.horizon) / (height - self.horizon), 0.02, 1)
        fine = ndimage.gaussian_filter(rng.normal(size=self.ids.shape), 1.2) * 1.6 * depth**0.5
        rough = clouds(rng, self.ids.shape, 4, 8)
        shade = (1 + 0.1 * fine + 0.05 * rough) * (0.86 + 0.2 * depth)
        self.put(ground, (104, 122, 70) if bank == "grass" else (158, 153, 146), shade)
        self.ids[ground] = self.new(bank)
        if bank == "pavement":
            for slab in range(1, 9):
                y = self.horizon + (height - self.horizon) * (slab / 9) ** 1.7
                self.put(ground & (np.abs(self.rows - y) < 0.6 + 1.4 * depth), (118, 114, 108), alpha=0.6)
        centre, half = self.near
        offset = self.columns - self.vanishing - (centre - self.vanishing) * depth
        offset /= self.far + (half - self.far) * depth
        if bank == "grass":
            strip = ground & (np.abs(offset) < 1.22)
            self.put(strip, (160, 156, 150), shade)
            self.ids[strip] = self.new("pavement")
        road = ground & (np.abs(offset) < 1)
        wet = 0.8 if self.weather == "rain" else 1.0
        self.put(road, np.array((92, 93, 97)) * wet, 1 + 0.12 * fine + 0.06 * rough)
        self.ids[road] = self.new("road")
        self.put(road & (np.abs(np.abs(offset) - 0.96) < 0.02), (190, 188, 182), alpha=0.7)
        dashes = (np.log(depth + 0.02) * 5) % 1 < 0.5
        self.put(road & (np.abs(offset) < 0.022) & dashes, (214, 212, 204), alpha=0.85)
        if self.weather in ("noon", "evening"):  # the shadow of a house
            edge = clouds(rng, (2, self.width), 4, 6)[0] * height * 0.02
            y = self.horizon + (height - self.horizon) * rng.uniform(0.1, 0.4)
            side = (self.columns - self.width / 2) * self.sun > -0.3 * self.width
            self.put(ground & (self.rows < y + edge[None, :]) & side, (40, 44, 58), alpha=0.35)

    # Things: each returns its mask

    def car(self, depth: float, lane: float) -> Mask:
        """Paint a car, from its side or from its end."""
        rng, (x, y, metre) = self.rng, self.place(depth, lane)
        is_side = abs(lane) > 0.75 or rng.random() < 0.35
        paints = [(196, 198, 202), (48, 52, 60), (150, 34, 32), (36, 62, 116), (226, 226, 222), (112, 118, 120)]
        paint = np.array(rng.choice([*paints, (188, 152, 60), (60, 92, 74)]))
        self.shadow(x, y, (2.1 if is_side else 1.0) * metre, 0.2 * metre, 0.75)
        gloss = np.clip(1.2 - 0.52 * (self.rows - y + 1.5 * metre) / (1.5 * metre), 0.5, 1.25)
        front = int(rng.choice([-1, 1])) if is_side else 1

        def at(points: Points) -> list[tuple[float, float]]:
            return [(x + front * right * metre, y - up * metre) for right, up in points]

        if is_side:
            lower = [(1.95, 0.82), (2.12, 0.6), (2.1, 0.3), (1.7, 0.22), (-1.7, 0.22)]
            upper = [(-2.05, 0.28), (-2.1, 0.62), (-1.98, 0.88), (-1.5, 0.95), (-0.95, 1.42), (-0.6, 1.5)]
            outline = [*upper, (0.45, 1.5), (0.75, 1.42), (1.32, 0.98), *lower]
            wheels = self.discs([(*at([(right, 0.32)])[0], 0.34 * metre, 0.34 * metre) for right in (-1.3, 1.3)])
            hubs = self.discs([(*at([(right, 0.32)])[0], 0.19 * metre, 0.19 * metre) for right in (-1.3, 1.3)])
            back = [(-1.28, 0.98), (-0.85, 1.38), (-0.15, 1.41), (-0.15, 0.98)]
            panes = [back, [(-0.05, 0.98), (-0.05, 1.41), (0.5, 1.41), (1.12, 0.98)]]
            lamps = self.polygon(at([(1.85, 0.78), (2.1, 0.64), (2.08, 0.54), (1.8, 0.6)]))
            lights = [(2.1, 0.64)]
        else:
            half = [(-0.9, 0.2), (-0.93, 0.8), (-0.82, 0.95), (-0.62, 1.42), (-0.48, 1.5)]
            outline = [*half, *((-right, up) for right, up in reversed(half))]
            wheels = self.boxes([
                (x + right * metre - 0.13 * metre, y - 0.35 * metre, x + right * metre + 0.13 * metre, y + 0.02 * metre)
                for right in (-0.7, 0.7)
            ])  # fmt: skip
            hubs = self.boxes([(x - 0.26 * metre, y - 0.52 * metre, x + 0.26 * metre, y - 0.38 * metre)])
            panes = [[(-0.7, 0.97), (-0.54, 1.4), (0.54, 1.4), (0.7, 0.97)]]
            lights = [(-0.74, 0.72), (0.74, 0.72)]
            lamps = self.discs([(*at([light])[0], 0.15 * metre, 0.1 * metre) for light in lights])
        body = self.polygon(at(outline))
        self.put(wheels, (24, 24, 27))
        self.put(body, paint, gloss)
        self.put(self.polygon(*(at(pane) for pane in panes)), (54, 62, 73), gloss)
        if is_side:
            self.put(wheels, (24, 24, 27))
        self.put(hubs, (134, 137, 142) if is_side else (216, 212, 190))
        self.put(lamps, (244, 236, 206) if is_side or depth > 0.6 else (196, 40, 34))
        if self.weather == "night":
            self.glows += [(*at([light])[0], 0.5 * metre) for light in lights]
        return body | wheels

    def person(self, depth: float, lane: float, where: tuple[float, float, float] | None = None) -> Mask:
        """Paint somebody who walks; ``where`` is the foot and the metre of somebody on a poster."""
        rng, (x, y, metre) = self.rng, where or self.place(depth, lane)
        metre *= 1.15
        if where is None:
            self.shadow(x + 0.3 * metre * self.sun, y, 0.5 * metre, 0.09 * metre, 0.6)
        coats = [(44, 48, 60), (128, 42, 40), (62, 74, 98), (176, 168, 150), (92, 98, 72), (40, 40, 42), (186, 130, 60)]
        coat = np.array(rng.choice(coats))
        legs = rng.choice([(38, 42, 56), (30, 30, 32), (92, 84, 74)])
        step, lean = rng.uniform(0.08, 0.34), rng.uniform(-0.04, 0.04)

        def at(points: Points) -> list[tuple[float, float]]:
            return [(x + (right + lean * up) * metre, y - up * metre) for right, up in points]

        leg = [
            at([(-0.03, 0.85), (-0.5 * step, 0.45), (-step, 0.04)]),
            at([(0.05, 0.85), (0.7 * step, 0.46), (step, 0.04)]),
        ]
        hand = 0.3 * step
        arm = [
            at([(-0.2, 1.36), (-0.27, 1.08), (-0.2 - hand, 0.86)]),
            at([(0.2, 1.36), (0.28, 1.08), (0.2 + hand, 0.88)]),
        ]
        right, up = at([(0.6 * lean, 1.6)])[0]
        shade = np.clip(1 + 0.9 * self.sun * (self.columns - x) / (metre + 1), 0.65, 1.3)
        skin = rng.choice([(214, 172, 146), (150, 106, 82), (96, 66, 52)])
        head = self.discs([(right, up, 0.115 * metre, 0.145 * metre)]) | self.strokes(
            [at([(0, 1.5), (0, 1.4)])], 0.1 * metre
        )
        hair = self.discs([(right, up - 0.04 * metre, 0.125 * metre, 0.12 * metre)]) & (self.rows < up)
        trunk = [(-0.2, 1.42), (0.2, 1.42), (0.24, 1.2), (0.2, 0.8), (-0.2, 0.8), (-0.24, 1.2)]
        whole = np.zeros(self.ids.shape, bool)
        parts = [(self.strokes(leg, 0.15 * metre), legs), (self.strokes(arm, 0.1 * metre), coat * 0.85)]
        for mask, colour in (*parts, (self.polygon(at(trunk)), coat), (head, skin)):
            self.put(mask, colour, shade)
            whole |= mask
        self.put(hair, rng.choice([(40, 30, 26), (92, 66, 40), (150, 140, 130)]))
        whole |= hair
        return whole

    def tree(self, depth: float, lane: float, *, is_bush: bool = False) -> Mask:
        """Paint a tree or a bush, leaf by leaf."""
        rng, (x, y, metre) = self.rng, self.place(depth, lane)
        tall, wide = (1.1, 0.9) if is_bush else (rng.uniform(3.2, 5), rng.uniform(1.3, 2.0))
        self.shadow(x, y, wide * metre * 0.8, 0.16 * metre, 0.5)
        trunk = [(x - 0.16 * metre, y), (x - 0.09 * metre, y - 0.6 * tall * metre)]
        whole = self.polygon([*trunk, *((2 * x - right, up) for right, up in reversed(trunk))])
        whole &= not is_bush
        self.put(whole, (72, 58, 46))
        green = np.array(rng.choice([(70, 92, 46), (88, 104, 52), (58, 80, 50), (112, 100, 48)]))
        centre, high = y - (0.5 if is_bush else 0.7 * tall) * metre, (0.5 if is_bush else 0.33 * tall) * metre
        n = 70 if is_bush else 210
        radius, angle = np.sqrt(rng.random(n)), rng.random(n) * 2 * math.pi
        right, down = wide * metre * radius * np.cos(angle), high * radius * np.sin(angle)
        light = 0.9 + 0.2 * (self.sun * right / (wide * metre) - down / high) + rng.normal(size=n) * 0.1
        for leaf in np.argsort(down - self.sun * right * 0.2 + rng.normal(size=n) * metre * 0.3)[::-1]:
            size, squeezed = metre * rng.uniform(0.09, 0.25), rng.uniform(0.6, 1)
            left, upper = x + right[leaf], centre + down[leaf]
            rows = slice(max(0, int(upper - size)), max(0, int(upper + size) + 2))
            columns = slice(max(0, int(left - size)), max(0, int(left + size) + 2))
            inside = (self.columns[rows, columns] - left) ** 2 + ((self.rows[rows, columns] - upper) / squeezed) ** 2
            self.rgb[rows, columns][inside < size**2] = green * light[leaf]
            whole[rows, columns] |= inside < size**2
        return whole

    def sign(self, depth: float, lane: float) -> Mask:
        """Paint a round, triangular or square sign on its pole."""
        rng, (x, y, metre) = self.rng, self.place(depth, lane)
        pole = self.boxes([(x - 0.05 * metre, y - 2.6 * metre, x + 0.05 * metre, y)])
        self.put(pole, (120, 122, 126))
        corners, turn = [(40, 0.0), (3, 0.0), (4, math.pi / 4)][int(rng.integers(3))]
        rim, face = ((238, 238, 236), (34, 74, 150)) if corners == 4 else ((174, 35, 35), (234, 231, 224))
        angles = turn + np.arange(corners) * 2 * math.pi / corners

        def plate(size: float) -> Mask:
            points = np.stack((x + size * metre * np.sin(angles), y - (2.6 + size * np.cos(angles)) * metre), 1)
            return self.polygon([tuple(point) for point in points.tolist()])

        outer = plate(0.44)
        self.put(outer, rim)
        self.put(plate(0.31), face)
        whole: Mask = pole | outer
        return whole

    def paint_poster(self) -> None:
        """Paint a person on a poster: no person, and a trap."""
        x, y, metre = self.width * self.rng.uniform(0.08, 0.92), self.horizon + self.height * 0.02, self.height * 0.055
        if self.names[int(self.ids[int(y - metre), int(x)])] == "building":
            frame = (x - 0.8 * metre, y - 2.5 * metre, x + 0.8 * metre, y - 0.1 * metre)
            self.put(self.boxes([frame]), (222, 214, 196))
            self.decoys.append(("person", self.person(0, 0, (x, y - 0.2 * metre, metre))))

    # The whole

    def plan(self) -> list[tuple[float, float, str]]:
        """Return the things of the scene, far ones first: depth, lane, and what it is."""
        rng = self.rng

        def side() -> float:
            return float(rng.choice([-1, 1]))

        def kerb() -> float:
            return rng.uniform(1.05, 1.5)

        things = [(rng.uniform(0.06, 0.5), side() * rng.uniform(1.5, 3.2), "tree") for _ in range(rng.integers(1, 4))]
        for _ in range(rng.integers(1, 6)):
            lane = rng.uniform(0.82, 0.95) if rng.random() < 0.55 else 0.5
            things.append((rng.uniform(0.1, 0.75), side() * lane, "car"))
        if rng.random() < 0.5:  # a queue: cars that touch
            depth, lane = rng.uniform(0.12, 0.3), side() / 2
            things += [(depth + 0.07 * at, lane, "car") for at in range(rng.integers(2, 4))]
        things += [(rng.uniform(0.12, 0.9), side() * kerb(), "person") for _ in range(rng.integers(1, 5))]
        if rng.random() < 0.55:  # people who walk together
            depth, lane = rng.uniform(0.25, 0.8), side() * kerb()
            things += [(depth + 0.01 * at, lane + 0.13 * at, "person") for at in range(rng.integers(2, 4))]
        signs = range(rng.integers(0, 3))
        things += [(rng.uniform(0.15, 0.6), side() * rng.uniform(1.03, 1.25), "sign") for _ in signs]
        if rng.random() < 0.35:
            things.append((rng.uniform(0.2, 0.6), side() * rng.uniform(1.3, 2.2), "bush"))
        return sorted(things)

    def paint(self) -> None:
        """Paint everything."""
        self.paint_background()
        self.paint_poster()
        self.behind = self.ids.copy()
        things = self.plan()
        seen = [at for at, (depth, _, name) in enumerate(things) if name in ("car", "person") and 0.15 < depth < 0.55]
        left_out = self.rng.choice(seen) if seen and self.rng.random() < 0.35 else -1
        for at, (depth, lane, name) in enumerate(things):
            if name == "bush":
                self.decoys.append(("tree", self.tree(depth, lane, is_bush=True)))
                continue
            mask: Mask = getattr(self, name)(depth, lane)
            if at == left_out:
                self.forgotten.append((name, mask))
                self.ids[mask] = self.behind[mask]
            else:
                self.ids[mask] = self.new(name)

    def develop(self) -> NDArray[np.uint8]:
        """Return the photograph: light, lens and film."""
        rng, (_, tint, contrast) = self.rng, LIGHT[self.weather]
        picture = self.rgb * np.array(tint)
        picture = (picture - picture.mean()) * contrast + picture.mean()
        haze = np.exp(-(((self.rows - self.horizon) / (self.height * 0.1)) ** 2))[..., None] * 0.16
        picture = picture * (1 - haze) + np.array((214, 218, 222)) * np.array(tint) * haze
        far = ((self.columns - self.width * (0.5 + 0.45 * self.sun)) / (self.width / 2)) ** 2
        glow = np.exp(-far - (self.rows / (0.7 * self.height)) ** 2)[..., None]
        picture = picture * (1 + 0.22 * glow * (self.weather in ("noon", "evening")))
        for x, y, size in self.glows:
            near = np.exp(-((self.columns - x) ** 2 + (self.rows - y) ** 2) / (2 * size**2))[..., None]
            picture = picture + near * np.array((150, 130, 90))
        if self.weather == "rain":
            drops = ndimage.gaussian_filter((rng.random(self.ids.shape) < 0.004).astype(float), (9, 0.7)) * 900
            picture = picture + np.minimum(drops, 26)[..., None]
        picture = ndimage.gaussian_filter(picture, (FINE * 0.42, FINE * 0.42, 0))
        small = picture.reshape(HEIGHT, FINE, WIDTH, FINE, 3).mean((1, 3))
        rows, columns = np.mgrid[:HEIGHT, :WIDTH]
        edge = ((columns / WIDTH - 0.5) / 0.62) ** 2 + ((rows / HEIGHT - 0.5) / 0.62) ** 2
        grain = ndimage.gaussian_filter(rng.normal(size=(HEIGHT, WIDTH)), 0.6)[..., None] * 6
        small = small * np.clip(1 - 0.2 * edge, 0.5, 1)[..., None] + grain + rng.normal(size=small.shape)
        return np.asarray(255 * np.clip(small / 255, 0, 1) ** 0.92).astype(np.uint8)


@dataclass(frozen=True)
class Annotated:
    """A scene as its annotator sees it: segments, what is behind things, what was forgotten, and what only looks so."""

    ids: Ids
    behind: Ids
    names: Mapping[int, str]
    forgotten: Sequence[tuple[str, Mask]]
    decoys: Sequence[tuple[str, Mask]]

    @classmethod
    def of(cls, scene: Scene) -> Annotated:
        """Return the annotation of a scene; what is hidden but for a few elements is not annotated."""

        def coarse(array: NDArray[Any]) -> NDArray[Any]:
            return array[FINE // 2 :: FINE, FINE // 2 :: FINE].copy()

        ids, behind = coarse(scene.ids), coarse(scene.behind)
        tiny = [segment for segment in scene.names if (ids == segment).sum() < SMALLEST]
        ids = np.where(np.isin(ids, tiny), behind, ids)
        names = {segment: name for segment, name in scene.names.items() if (ids == segment).any()}
        free = ids == behind  # nothing annotated is in front
        seen = [(name, coarse(mask) & free, coarse(mask).sum()) for name, mask in scene.forgotten]
        return cls(
            ids, behind, names, [(name, mask) for name, mask, whole in seen if mask.sum() > max(30, 0.6 * whole)],
            [(name, coarse(mask) & free) for name, mask in scene.decoys],
        )  # fmt: skip


class Prediction:
    """The masks of a system, made from the annotation by its habits."""

    def __init__(self, rng: Generator, truth: Annotated, how: Habits, draw: Mapping[int, Array]) -> None:
        self.rng, self.truth, self.how, self.draw = rng, truth, how, draw
        rows, columns = np.mgrid[:HEIGHT, :WIDTH].astype(float)
        moved = [ndimage.gaussian_filter(rng.normal(size=(HEIGHT, WIDTH)), 5) * 16 * how.loose for _ in range(2)]
        last = np.array([HEIGHT - 1, WIDTH - 1])[:, None, None]
        self.at = np.clip(np.rint([rows + moved[0], columns + moved[1]]).astype(int), 0, last)
        self.ids, self.under = truth.ids[tuple(self.at)].copy(), truth.behind[tuple(self.at)]
        self.names = dict(truth.names)
        self.things = sorted((s for s, name in truth.names.items() if name in THINGS), key=self._size)
        self._miss_and_confuse()
        self._join_and_cut()
        self._invent()

    def _size(self, segment: int) -> int:
        return int((self.truth.ids == segment).sum())

    def _new(self, mask: Mask, name: str) -> None:
        number = max(self.names) + 1
        self.ids[mask], self.names[number] = number, name

    def _miss_and_confuse(self) -> None:
        for segment in self.things:
            missed = 0.95 / (1 + (self._size(segment) / self.how.small) ** 1.1) + BLIND
            if self.draw[segment][0] < missed:
                mask = self.ids == segment
                self.ids[mask] = self.under[mask]
            elif self.draw[segment][1] < self.how.confuse:
                name = self.names[segment]
                self.names[segment] = {"person": "sign", "sign": "person"}.get(name, name)

    def _join_and_cut(self) -> None:
        for segment in self.things:
            mask = self.ids == segment
            around = np.unique(self.ids[ndimage.binary_dilation(mask, iterations=2)]).tolist() if mask.any() else []
            name, chance = self.names[segment], self.draw[segment]
            near = [s for s in around if s in self.things and s != segment and self.names[s] == name]
            if near and chance[2] < self.how.join:
                self.ids[mask] = near[0]
                continue
            parts, n = ndimage.label(mask)
            if n > 1 and chance[3] < 2 * self.how.cut:
                sizes = ndimage.sum_labels(mask, parts, range(1, n + 1))
                for part in np.argsort(sizes)[:-1]:
                    if sizes[part] > 20:
                        self._new(parts == part + 1, name)
            elif chance[3] < self.how.cut and mask.sum() > 250:
                places = np.nonzero(mask)
                along = max(places, key=np.ptp)
                beyond = along > np.quantile(along, self.rng.uniform(0.42, 0.6))
                cut = np.zeros_like(mask)
                cut[places[0][beyond], places[1][beyond]] = True
                self._new(cut, name)

    def _invent(self) -> None:
        for name, mask in self.truth.forgotten:
            self._new(mask[tuple(self.at)], name)
        for number, (name, mask) in enumerate(self.truth.decoys):
            drawn = mask[tuple(self.at)]
            if drawn.sum() > 30 and self.draw[-1 - number][0] < self.how.fooled:
                self._new(drawn, name)
        of_name = {name: segment for segment, name in self.truth.names.items() if name in STUFF}
        if "pavement" in of_name and "road" in of_name and self.draw[0][1] < self.how.kerb:
            side = self.ids == of_name["pavement"]
            side[:, : WIDTH // 2] = False
            self.ids[side] = of_name["road"]
        for segment in np.unique(self.ids):
            mask = self.ids == segment
            if mask.sum() < 8:
                self.ids[mask] = self.under[mask]


Files = dict[str, bytes]


def streets(n: int) -> Files:
    """Return the files of the street scenes: photographs, COCO panoptic of three sides, and tables of the scenes."""
    files: Files = {}
    sides: dict[str, dict[str, list[Any]]] = {
        side: {"images": [], "annotations": [], "categories": CATEGORIES} for side in ("truth", *SYSTEMS)
    }
    scenes, wrong = [], []
    for number in range(n):
        scene = Scene(np.random.default_rng([SEED, number]))
        scene.paint()
        truth, name = Annotated.of(scene), f"street_{number:02d}"
        files[f"images/{name}.jpg"] = encoded(scene.develop(), "JPEG", quality=72)
        draw = {segment: scene.rng.random(4) for segment in range(-20, len(scene.names) + 1)}
        maps: dict[str, tuple[Ids, Mapping[int, str]]] = {"truth": (truth.ids, truth.names)}
        for system, (key, how) in enumerate(SYSTEMS.items()):
            made = Prediction(np.random.default_rng([SEED, number, system]), truth, how, draw)
            maps[key] = made.ids, made.names
        has_grass = "grass" in truth.names.values()
        scenes.append({"item": name, "weather": scene.weather, "ground": "grass" if has_grass else "pavement"})
        what = "in the photograph, not in the truth"
        wrong += [{"item": name, "category": kind, "bbox": boxed(mask), "what": what} for kind, mask in truth.forgotten]
        for side, (ids, names) in maps.items():
            bytes_of = np.stack([ids & 255, ids >> 8, 0 * ids], -1).astype(np.uint8)
            files[f"{side}/{name}.png"] = encoded(bytes_of, "PNG")
            infos = [
                {"id": segment, "category_id": IDS[names[segment]], "iscrowd": 0, "area": int((ids == segment).sum()),
                 "bbox": boxed(ids == segment)}
                for segment in np.unique(ids).tolist()
            ]  # fmt: skip
            image = {"id": name, "file_name": f"{name}.jpg", "width": WIDTH, "height": HEIGHT}
            sides[side]["images"].append(image)
            sides[side]["annotations"].append({"image_id": name, "file_name": f"{name}.png", "segments_info": infos})
    for side, content in sides.items():
        files[f"{side}.json"] = json.dumps(content, separators=(",", ":")).encode()
    return files | {"scenes.csv": table(scenes), "label_errors.csv": table(wrong)}


def boxed(mask: Mask) -> list[int]:
    """Return the bounding box of a mask: x, y, width, height."""
    rows, columns = np.nonzero(mask)
    return [int(columns.min()), int(rows.min()), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1]


def encoded(pixels: NDArray[np.uint8], form: str, **options: int) -> bytes:
    """Return an image file."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, optimize=True, **options)
    return file.getvalue()


def table(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: " ".join(map(str, x)) if isinstance(x, list) else x for key, x in row.items()} for row in rows
    )
    return text.getvalue().encode()


def volume() -> Files:
    """Return a scan of a body with liver (1), kidneys (2) and a tumour (3), and the labels of two systems, as NIfTI."""
    rng, shape, spacing = np.random.default_rng([SEED, 100]), (112, 96, 32), (2.5, 2.5, 5.0)
    x, y, z = (
        np.linspace(-1, 1, n).reshape([-1 if at == axis else 1 for at in range(3)]) for axis, n in enumerate(shape)
    )

    def ball(centre: Colour, size: Colour) -> Array:
        return np.asarray(sum(((axis - c) / s) ** 2 for axis, c, s in zip((x, y, z), centre, size, strict=True)) ** 0.5)

    wobble = ndimage.gaussian_filter(rng.normal(size=shape), 6) * 2.5
    body = ball((0, 0, 0), (0.92, 0.8, 3)) < 1
    truth = np.zeros(shape, np.uint8)
    truth[(ball((-0.38, -0.1, 0.15), (0.42, 0.5, 0.7)) + wobble < 1) & body] = 1
    for side in (-0.3, 0.4):
        truth[ball((side, 0.45, -0.35), (0.15, 0.2, 0.5)) + wobble < 1] = 2
    truth[ball((-0.45, 0.05, 0.3), (0.12, 0.14, 0.22)) + wobble < 1] = 3
    truth[ball((0.43, 0.52, -0.2), (0.05, 0.06, 0.14)) < 1] = 3
    levels = (
        np.array([40.0, 110, 150, 75])[truth] * body + (ball((0, 0.62, 0), (0.13, 0.14, 3)) < 1) * 500 - 900 * ~body
    )
    scan = ndimage.gaussian_filter(levels, 0.8) + ndimage.gaussian_filter(rng.normal(size=shape), 0.7) * 14 * body
    fern, moss = (
        loosened(truth, 2 * habits.loose, np.random.default_rng([SEED, 100, at]))
        for at, habits in enumerate(SYSTEMS.values())
    )
    fern[(fern == 3) & (x > 0)] = 2  # fern misses the small tumour
    fern[ball((0.1, -0.45, 0.4), (0.12, 0.1, 0.25)) < 1] = 1  # and takes a stomach for liver
    moss[(moss == 2) & (z < -0.62)] = 0  # moss ends the kidneys too early
    stored = np.asarray(np.clip(np.rint(scan / 4) * 4, -1000, 1000), np.int16)
    arrays: dict[str, NDArray[Any]] = {"scan": stored, "truth": truth, "fern": fern, "moss": moss}
    return {f"volume/{name}.nii.gz": nifti(array, spacing) for name, array in arrays.items()}


def nifti(array: NDArray[Any], spacing: tuple[float, float, float]) -> bytes:
    """Return a NIfTI-1 file: left, anterior and superior are the axes, spacing is in millimetres."""
    code, bits = (4, 16) if array.dtype == np.int16 else (2, 8)
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *array.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, code, bits)
    struct.pack_into("<8f", header, 76, 1, *spacing, 0, 0, 0, 0)
    struct.pack_into("<3f", header, 108, 352, 1, 0)
    header[123] = 2  # millimetres
    struct.pack_into("<2h", header, 252, 0, 1)
    for axis, step in enumerate(spacing):
        struct.pack_into("<f", header, 280 + 20 * axis, step)
    header[344:347] = b"n+1"
    return gzip.compress(bytes(header) + array.tobytes("F"), 9, mtime=0)


def recordings() -> Files:
    """Return who speaks when in twelve conversations, as RTTM of three sides."""
    sides: dict[str, list[str]] = {side: [] for side in ("truth", *SYSTEMS)}
    for number in range(12):
        rng, name, start = np.random.default_rng([SEED, 200, number]), f"call_{number:02d}", 0.0
        turns: list[tuple[float, float, str]] = []
        for _ in range(int(rng.integers(9, 15))):
            speaker, length = str(rng.choice(["ann", "ben", "cleo"])), float(rng.uniform(1.2, 6.5))
            turns.append((start, length, speaker))
            start = max(0.0, start + length + float(rng.normal(0.25, 0.5)))
        for side, lines in sides.items():
            own = np.random.default_rng([SEED, 201, number, len(side) + ord(side[0])])
            loose, lost, mixed = {"truth": (0, 0, 0), "fern": (0.14, 0.05, 0.12), "moss": (0.1, 0.08, 0.04)}[side]
            for begin, length, speaker in turns:
                is_lost, is_mixed = own.random() < lost, own.random() < mixed
                if is_lost:
                    continue
                first = max(0.0, begin + own.normal(0, 1) * loose)
                last = max(first + 0.2, begin + length + own.normal(0, 1) * loose)
                known = speaker if side == "truth" else {"ann": "1", "ben": "2", "cleo": "3"}[speaker]
                who = "1" if is_mixed else known
                lines.append(f"SPEAKER {name} 1 {first:.2f} {last - first:.2f} <NA> <NA> {who} <NA> <NA>")
    return {f"recording/{side}.rttm": "\n".join([*lines, ""]).encode() for side, lines in sides.items()}


def texts() -> Files:
    """Return the topics of twelve texts, as lengths in sentences: an editor's, and those of two systems."""
    sides: dict[str, dict[str, list[int]]] = {side: {} for side in ("truth", *SYSTEMS)}
    for number in range(12):
        rng, name = np.random.default_rng([SEED, 300, number]), f"chapter {number + 1}"
        lengths = rng.integers(3, 12, int(rng.integers(5, 10)))
        ends = np.cumsum(lengths)
        sides["truth"][name] = lengths.tolist()
        for system, (lost, moved, made) in {"fern": (0.15, 0.35, 1), "moss": (0.3, 0.15, 0)}.items():
            own = np.random.default_rng([SEED, 301, number, len(system) + ord(system[0])])
            steps = np.where(own.random(ends.size - 1) < moved, own.choice([-2, -1, 1, 2], ends.size - 1), 0)
            kept = (ends[:-1] + steps)[own.random(ends.size - 1) >= lost]
            found = {*kept.tolist(), *own.integers(1, ends[-1], made).tolist()} - {0, int(ends[-1])}
            sides[system][name] = np.diff([0, *sorted(found), int(ends[-1])]).tolist()
    return {f"text/{side}.json": (json.dumps(content, indent=1) + "\n").encode() for side, content in sides.items()}


def loosened(labels: NDArray[Any], loose: float, rng: Generator, smooth: float = 4) -> NDArray[Any]:
    """Return labels whose outlines a system draws loosely."""
    dimensions = labels.ndim
    moved = [
        ndimage.gaussian_filter(rng.normal(size=labels.shape), smooth) * 4 * loose * smooth ** (dimensions / 2)
        for _ in range(dimensions)
    ]
    return np.asarray(ndimage.map_coordinates(labels, np.indices(labels.shape) + moved, order=0, mode="nearest"))


def renamed(labels: NDArray[Any], rng: Generator) -> NDArray[np.uint8]:
    """Return labels in another order: a system does not know those of the truth. 0 stays."""
    of = np.concatenate(([0], 1 + rng.permutation(int(labels.max()))))
    return np.asarray(of[labels], np.uint8)


def cells() -> Files:
    """Return twelve pictures of nuclei and their label images."""
    files: Files = {}
    rows, columns = np.mgrid[:128, :128].astype(float)
    for number in range(12):
        rng, name = np.random.default_rng([SEED, 400, number]), f"nuclei_{number:02d}"
        truth, light = np.zeros((128, 128), np.uint8), np.full((128, 128), 18.0)
        for nucleus in range(1, int(rng.integers(14, 30))):
            row, column, turn = *rng.uniform(4, 124, 2), rng.uniform(0, math.pi)
            long, thin = rng.uniform(6, 12), rng.uniform(0.6, 1)
            along = (columns - column) * math.cos(turn) + (rows - row) * math.sin(turn)
            across = (rows - row) * math.cos(turn) - (columns - column) * math.sin(turn)
            inside = (along / long) ** 2 + (across / (long * thin)) ** 2 < 1
            if (truth[inside] > 0).mean() < 0.15:
                inside &= truth == 0
                truth[inside] = nucleus
                light[inside] = rng.uniform(90, 210) * (1 - 0.3 * (along[inside] / long) ** 2)
        noise = clouds(rng, truth.shape, 4, 6) * 7 + rng.normal(size=truth.shape) * 6
        picture = np.clip(ndimage.gaussian_filter(light, 1.2) + noise, 0, 255).astype(np.uint8)
        files[f"cells/images/{name}.jpg"] = encoded(picture, "JPEG", quality=80)
        files[f"cells/truth/{name}.png"] = encoded(truth, "PNG")
        for system, how in SYSTEMS.items():
            own = np.random.default_rng([SEED, 401, number, len(system) + ord(system[0])])
            found = loosened(truth, how.loose, own)
            for nucleus in range(1, int(truth.max()) + 1):
                mask = found == nucleus
                near = set(found[ndimage.binary_dilation(mask)].tolist()) - {0, nucleus} if mask.any() else set()
                if mask.sum() < how.small or own.random() < BLIND:
                    found[mask] = 0
                elif near and own.random() < how.join:
                    found[mask] = min(near)
            files[f"cells/{system}/{name}.png"] = encoded(renamed(found, own), "PNG")
    return files


def neurons() -> Files:
    """Return a small volume of neurites, each with its label, as NumPy arrays."""
    rng, shape = np.random.default_rng([SEED, 500]), (24, 72, 72)
    z, y, x = np.indices(shape).astype(float)
    nearest, truth = np.full(shape, np.inf), np.zeros(shape, np.uint8)
    for neurite in range(1, 41):
        start, drift = rng.uniform(0, 72, 2), rng.normal(0, 1.0, 2)
        wave, size = rng.uniform(0, 6, 2), rng.uniform(0.7, 1.6)
        distance = (
            np.hypot(y - start[0] - drift[0] * z, x - start[1] - drift[1] * z - 2 * np.sin(z / 5 + wave[0])) / size
        )
        truth[distance < nearest] = neurite
        nearest = np.minimum(nearest, distance)
    files = {"truth": truth}
    for at, (system, how) in enumerate(SYSTEMS.items()):
        own = np.random.default_rng([SEED, 501, at])
        found = loosened(truth, 0.7 * how.loose, own)
        for neurite in range(1, 41):
            if own.random() < how.join / 2:
                found[found == neurite] = own.integers(1, 41)
            elif own.random() < how.cut * 2:
                found[(found == neurite) & (z > own.uniform(6, 18))] = 60 + neurite
        files[system] = renamed(found, own)
    return {f"neurons/{side}.npz": packed(array) for side, array in files.items()}


def packed(array: NDArray[Any]) -> bytes:
    """Return an array as an npz file, the same bytes each time."""
    member, file = io.BytesIO(), io.BytesIO()
    np.save(member, array)
    with zipfile.ZipFile(file, "w") as archive:
        entry = zipfile.ZipInfo("labels.npy")
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, member.getvalue(), compresslevel=9)
    return file.getvalue()


def video() -> Files:
    """Return two clips of 16 frames in which two objects move and meet, as DAVIS folders of label images."""
    files: Files = {}
    rows, columns = np.mgrid[:96, :160].astype(float)
    for number in range(2):
        for frame in range(16):
            way, rise = frame / 15, math.sin(frame / 3 + number)
            truth = np.zeros((96, 160), np.uint8)
            truth[((rows - 60 - 4 * rise) / 15) ** 2 + ((columns - 25 - 110 * way) / 22) ** 2 < 1] = 1
            truth[((rows - 40 + 10 * number) / 22) ** 2 + ((columns - 130 + 95 * way) / 10) ** 2 < 1] = 2
            files[f"video/truth/clip_{number}/{frame:05d}.png"] = encoded(truth, "PNG")
            for at, (system, how) in enumerate(SYSTEMS.items()):
                own = np.random.default_rng([SEED, 600 + at, number, frame])
                found = loosened(truth, how.loose, own)
                if abs(way - 0.5) < 0.2 * (1 - at) + 0.06:  # they meet, and are taken for each other
                    found = np.array([0, 2, 1], np.uint8)[found]
                files[f"video/{system}/clip_{number}/{frame:05d}.png"] = encoded(found, "PNG")
    return files


NAMES = {
    "PER": ["Ada Okoro", "Mira", "Jonas Weiss", "Tom"], "LOC": ["Lund", "New Harbour", "Oslo"],
    "ORG": ["River Bank", "Unit Nine", "Norsk Rail"],
}  # fmt: skip
WORDS = ["the", "a", "met", "in", "near", "of", "with", "and", "saw", "old", "left", "early", "train", "letter", "by"]


def tags() -> Files:
    """Return sixty sentences with names of people, places and organisations, as CoNLL files."""
    sides: dict[str, list[str]] = {side: [] for side in ("truth", *SYSTEMS)}
    kinds = list(NAMES)
    for number in range(60):
        rng = np.random.default_rng([SEED, 700, number])
        for part in range(int(rng.integers(2, 6))):
            plain = [str(word) for word in rng.choice(WORDS, int(rng.integers(1, 5)))]
            kind = str(rng.choice(kinds))
            name = str(rng.choice(NAMES[kind])).split()
            for at, (side, lines) in enumerate(sides.items()):
                own = np.random.default_rng([SEED, 701, number, part, at])
                lost, mixed = (0, 0) if side == "truth" else ((0.1, 0.14), (0.14, 0.05))[at - 1]
                told = str(own.choice(kinds)) if own.random() < mixed else kind
                marks = [f"{'I' if place else 'B'}-{told}" for place in range(len(name))]
                marks = ["O"] * len(name) if own.random() < lost else marks
                lines += [f"{word} O" for word in plain]
                lines += [f"{word} {mark}" for word, mark in zip(name, marks, strict=True)]
        for lines in sides.values():
            lines.append("")
    return {f"entities/{side}.conll": "\n".join(lines).encode() for side, lines in sides.items()}


def buildings() -> Files:
    """Return the buildings of a village in metres, as GeoJSON."""
    rng, sides = np.random.default_rng([SEED, 800]), {side: [] for side in ("truth", *SYSTEMS)}  # type: ignore[var-annotated]
    for row, column in np.ndindex(7, 9):
        wide, deep, turn = *rng.uniform(8, 18, 2), rng.normal(0, 0.2)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (wide / 2, deep / 2)
        turned = corners @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        outline = turned + np.array([500_000 + 30 * column, 5_400_000 + 30 * row]) + rng.normal(0, 2, 2)
        if rng.random() < 0.12:
            continue
        for at, features in enumerate(sides.values()):
            own = np.random.default_rng([SEED, 801, row, column, at])
            moved = outline + own.normal(0, (0, 1.6, 1.1)[at], 2)
            if own.random() >= (0, 0.08, 0.12)[at]:
                ring = np.round(moved if at else outline, 2).tolist()
                features.append({
                    "type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}
                })  # fmt: skip
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}
    return {
        f"buildings/{side}.geojson": json.dumps(
            {"type": "FeatureCollection", "crs": crs, "features": features}
        ).encode()
        for side, features in sides.items()
    }


def main() -> None:
    """Write the files, or the archive that is shipped."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, help="write the files into this folder instead of the archive")
    parser.add_argument("--scenes", type=int, default=SCENES)
    chosen = parser.parse_args()
    files = streets(chosen.scenes)
    for more in (cells, volume, neurons, video, texts, tags, recordings, buildings):
        files |= more()
    if chosen.folder:
        for name, content in files.items():
            (chosen.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (chosen.folder / name).write_bytes(content)
        return
    with zipfile.ZipFile(TARGET, "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name)  # with the date of 1980: the same bytes each time
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    print(f"{TARGET.name}: {len(files)} files, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
