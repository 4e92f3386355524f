"""Errors found and repaired element by element, with Python sets and loops: nothing of segmetry but its input types."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import segmetry as sm

Accepts = Callable[[int, int, int], bool]
RULES: dict[str, Accepts] = {
    "theta_plus": lambda s, m, p: s > m + p,
    "theta_and": lambda s, m, p: s > m and s > p,
    "iou(above=3/4)": lambda s, m, p: 4 * s > 3 * (s + m + p),
    "mutual_coverage(at_least=3/5)": lambda s, m, p: 5 * s >= 3 * (s + m) and 5 * s >= 3 * (s + p),
}
VOID = 255


@dataclass(frozen=True)
class Scene:
    """Two labels for every element (0 outside, 255 void), classes and crowd by label."""

    true: tuple[int, ...]
    pred: tuple[int, ...]
    true_class: dict[int, str] | None = None
    pred_class: dict[int, str] | None = None
    crowd: frozenset[int] = field(default_factory=frozenset)

    def segmentations(self) -> tuple[sm.LabelArray, sm.LabelArray]:
        true = sm.LabelArray(np.array([self.true]), void=VOID, classes=self.true_class, crowd=self.crowd)
        return true, sm.LabelArray(np.array([self.pred]), void=VOID, classes=self.pred_class)

    def cut(self, side: tuple[int, ...]) -> dict[int, set[int]]:
        return {label: {e for e, one in enumerate(side) if one == label} for label in sorted(set(side) - {0, VOID})}


class Brute:
    """One scene under a rule and a policy."""

    def __init__(self, scene: Scene, rule: str, policy: str, classes: str) -> None:
        self.scene, self.rule, self.policy, self.classes = scene, rule, policy, classes
        self.accepts = RULES[rule]
        self.t, self.h = scene.cut(scene.true), scene.cut(scene.pred)
        true_void = {e for e, one in enumerate(scene.true) if one == VOID}
        pred_void = {e for e, one in enumerate(scene.pred) if one == VOID}
        leaves_out_pred = policy in ("coco", "torchmetrics", "strict-void")
        leaves_out_true = policy in ("torchmetrics", "strict-void")
        self.t_counted = {t: len(of - pred_void if leaves_out_true else of) for t, of in self.t.items()}
        self.h_counted = {h: len(of - true_void if leaves_out_pred else of) for h, of in self.h.items()}
        self.matched = {(t, h) for t, h in self.allowed() if self.accepts(*self.smp(t, h))}
        in_pairs = {t for t, _ in self.matched}, {h for _, h in self.matched}
        self.missed = {t for t in self.t if t not in in_pairs[0] and not self.ignored_true(t, pred_void)}
        self.spurious = {h for h in self.h if h not in in_pairs[1] and not self.ignored_pred(h, true_void)}
        self.known_true, self.known_pred = self.missed | in_pairs[0], self.spurious | in_pairs[1]

    def ignored_true(self, t: int, pred_void: set[int]) -> bool:
        if self.policy == "coco" and t in self.scene.crowd:
            return True
        if self.policy == "torchmetrics" and 2 * len(self.t[t] & pred_void) > len(self.t[t]):
            return True
        return self.policy == "strict-void" and self.t_counted[t] == 0

    def ignored_pred(self, h: int, true_void: set[int]) -> bool:
        ground = len(self.h[h] & true_void)
        if self.policy == "coco":
            same = [t for t in self.scene.crowd if t in self.t and (self.classes == "ignore" or self.same(t, h))]
            ground += sum(len(self.t[t] & self.h[h]) for t in same)
        if self.policy in ("coco", "torchmetrics") and 2 * ground > len(self.h[h]):
            return True
        return self.policy == "strict-void" and self.h_counted[h] == 0

    def same(self, t: int, h: int) -> bool:
        of_true, of_pred = self.scene.true_class, self.scene.pred_class
        return of_true is None or of_pred is None or of_true[t] == of_pred[h]

    def smp(self, t: int, h: int) -> tuple[int, int, int]:
        s = len(self.t[t] & self.h[h])
        return s, self.t_counted[t] - s, self.h_counted[h] - s

    def allowed(self, *, any_class: bool = False) -> list[tuple[int, int]]:
        crowd = self.scene.crowd if self.policy == "coco" else frozenset()
        return [
            (t, h)
            for t in self.t
            for h in self.h
            if self.t[t] & self.h[h] and t not in crowd and (any_class or self.classes == "ignore" or self.same(t, h))
        ]

    def confused(self) -> list[tuple[int, int]]:
        if self.classes == "ignore":
            return []
        free = [(t, h) for t, h in self.allowed(any_class=True) if t in self.missed and h in self.spurious]
        return [(t, h) for t, h in free if not self.same(t, h) and self.accepts(*self.smp(t, h))]

    def splits(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for t, h in self.allowed():
            s, _, p = self.smp(t, h)
            if t in self.known_true and (h in self.spurious or (t, h) in self.matched) and self.accepts(s, 0, p):
                found.setdefault(t, []).append(h)
        return {t: parts for t, parts in found.items() if len(parts) > 1}

    def merges(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for t, h in self.allowed():
            s, m, _ = self.smp(t, h)
            if h in self.known_pred and (t in self.missed or (t, h) in self.matched) and self.accepts(s, m, 0):
                found.setdefault(h, []).append(t)
        return {h: parts for h, parts in found.items() if len(parts) > 1}

    def unexplained(self, done: Collection[str]) -> tuple[set[int], set[int]]:
        missed, spurious = set(self.missed), set(self.spurious)
        if "class" not in done:
            missed -= {t for t, _ in self.confused()}
            spurious -= {h for _, h in self.confused()}
        if "split" not in done:
            missed -= set(self.splits())
            spurious -= {h for parts in self.splits().values() for h in parts}
        if "merge" not in done:
            missed -= {t for parts in self.merges().values() for t in parts}
            spurious -= set(self.merges())
        return missed, spurious

    def repaired(self, kind: str, done: Collection[str] = ()) -> Scene:
        """The scene with another prediction: every element gets the label of the segment it now belongs to."""
        home = list(self.scene.pred)
        classes = None if self.scene.pred_class is None else dict(self.scene.pred_class)
        getattr(self, f"_{kind}")(home, classes, done)
        after = replace(self.scene, pred=tuple(home), pred_class=classes)
        again = Brute(after, self.rule, self.policy, self.classes)
        if kind == "boundary" and any(sum(again.smp(t, h)[1:]) for t, h in again.matched):
            return again.repaired(kind)
        return after

    def _class(self, _home: list[int], classes: Any, _done: Collection[str]) -> None:
        for t, h in self.confused():
            classes[h] = self.scene.true_class[t]  # type: ignore[index]

    def _split(self, home: list[int], _classes: Any, _done: Collection[str]) -> None:
        for t, parts in self.splits().items():
            keeper = min(parts, key=lambda h: ((t, h) not in self.matched, -len(self.t[t] & self.h[h]), h))
            for h in parts:
                for element in self.h[h]:
                    home[element] = keeper

    def _merge(self, home: list[int], classes: Any, _done: Collection[str]) -> None:
        fresh = 1000
        for h, parts in self.merges().items():
            main = min(parts, key=lambda t: ((t, h) not in self.matched, -len(self.t[t] & self.h[h]), t))
            others = sum(len(self.t[t] & self.h[h]) for t in parts if t != main)
            s, m, p = self.smp(main, h)
            for t in parts:
                if t == main and self.accepts(s, m, p - others):
                    continue
                fresh += 1
                for element in self.t[t] & self.h[h]:
                    home[element] = fresh
                if classes is not None:
                    classes[fresh] = classes[h]

    def _missed(self, home: list[int], classes: Any, done: Collection[str]) -> None:
        for at, t in enumerate(sorted(self.unexplained(done)[0])):
            for element in self.t[t]:
                home[element] = 2000 + at
            if classes is not None:
                classes[2000 + at] = self.scene.true_class[t]  # type: ignore[index]

    def _spurious(self, home: list[int], _classes: Any, done: Collection[str]) -> None:
        for h in self.unexplained(done)[1]:
            for element in self.h[h]:
                home[element] = 0

    def _boundary(self, home: list[int], _classes: Any, _done: Collection[str]) -> None:
        for _, h in self.matched:
            for element in self.h[h]:
                home[element] = 0
        for t, h in self.matched:
            for element in self.t[t]:
                home[element] = h
