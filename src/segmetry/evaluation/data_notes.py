"""Notes about a data set that only all its items together show.

What its labels may mean, classes that never agree, and images with several crowd regions of one class, of which the
COCO reference honours only the last.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.alignments import ALL_CROWDS, COCO
from segmetry.errors import DataWarning
from segmetry.metrics import BY_CLASS, METRICS
from segmetry.overlaps import ItemTables, OverlapTable, Side
from segmetry.protocols import PROTOCOLS
from segmetry.readers import SIDES
from segmetry.results import counted
from segmetry.run import Settings
from segmetry.segmentation import LabelArray, SegmentationPair, as_ids
from segmetry.statistics import DataSet

T = TypeVar("T")

FEW = 40
"""The most labels that may be classes: a label array with more is one of instances."""
LARGEST_CLASS = 255
"""Labels above it are not taken for classes: class maps are images of 8 bits."""
IGNORED = 255
"""The label that class maps of 8 bits give to elements that must not count."""
SHOWN = 6
NOTHING = frozenset[Any]()


@frozen_dataclass()
class LabelsAndClasses:
    """The labels of both sides, if they are few and have no classes; and the classes of both sides, if they have any.

    ``crossing``: some true label overlaps another predicted label, so it matters whether labels are classes.
    ``true_removed`` and ``pred_removed``: how many small segments became outside; ``emptied``: the side of which none
    is left. ``spacing_from``: the only side with a known spacing, in which distances are measured. ``stack``: the
    number of masks, if this could be a stack of them. ``outside``: how many elements are outside on a side.
    """

    true_labels: frozenset[int] | None = None
    pred_labels: frozenset[int] | None = None
    crossing: bool = False
    true_classes: frozenset[Hashable] = frozenset()
    pred_classes: frozenset[Hashable] = frozenset()
    true_removed: int = 0
    pred_removed: int = 0
    emptied: tuple[str, ...] = ()
    spacing_from: str | None = None
    stack: int = 0
    outside: int = 0

    @classmethod
    def of(cls, pair: SegmentationPair | None, table: OverlapTable, *, measured: bool = False) -> LabelsAndClasses:
        """Return the facts about a pair and its table; ``measured``: distances are among the metrics."""
        known: dict[str, Any] = {}
        if pair is not None:
            known = {"true_removed": pair.true.n_removed, "pred_removed": pair.pred.n_removed}
            known["spacing_from"] = pair.spacing_from if measured else None
            if pair.true.n_removed or pair.pred.n_removed:
                sides = (("true", pair.true, table.true), ("pred", pair.pred, table.pred))
                known["emptied"] = tuple(name for name, side, of in sides if side.n_removed and not len(of))
        if table.class_names is not None:
            true, pred = (_classes(table, side) for side in (table.true, table.pred))
            true_side = None if pair is None else pair.true
            by_label = isinstance(true_side, LabelArray) and true_side.outside == (0,)
            # Volumes of known spacing are medical ones, whose 0 is the background.
            if by_label and isinstance(true_side, LabelArray) and not true_side.spacing.stated:
                known["outside"] = sum(table.background[:2]) + int(table.pred.outside.sum())
            return cls(true_classes=true, pred_classes=pred, **known)
        true_side = None if pair is None else pair.true
        if not isinstance(true_side, LabelArray) or max(len(table.true), len(table.pred)) > FEW:
            return cls(**known)
        true_labels, pred_labels = (frozenset(side.ids.tolist()) for side in (table.true, table.pred))
        crossing = bool((table.true_id != table.pred_id).any())
        is_stack = len(true_labels | pred_labels) == 1 and not true_side.spacing.stated
        stack = stack_size(true_side.domain) if is_stack else 0
        return cls(true_labels, pred_labels, crossing, stack=stack, **known)


NOTHING_KNOWN = LabelsAndClasses()
"""The facts about segments that are no labels, and have no classes."""


def facts_of_tables(
    tables: ItemTables, template: LabelArray, shapes: Sequence[Sequence[int]]
) -> tuple[list[LabelsAndClasses], tuple[frozenset[Hashable], frozenset[Hashable]] | None]:
    """Return the facts about label arrays that were counted together, and the classes of both sides.

    ``template`` is a true label array of one element. Facts that concern all items are those of the first.
    """
    table, n = tables.table, len(tables)
    if table.class_names is not None:
        outside = 0
        if template.outside == (0,):
            outside = int(tables.counts[:, 1:3].sum()) + int(table.pred.outside.sum())
        classes = _classes(table, table.true), _classes(table, table.pred)
        first = LabelsAndClasses(true_classes=classes[0], pred_classes=classes[1], outside=outside)
        return [first, *[NOTHING_KNOWN] * (n - 1)], classes
    crossing = np.bincount(tables.true_item[table.row_true[table.true_id != table.pred_id]], minlength=n) > 0
    sides = [
        (side.ids, side.ids.tobytes(), side.ids.itemsize, starts.tolist())
        for side, starts in zip((table.true, table.pred), tables.starts[:2], strict=True)
    ]
    known: dict[Any, LabelsAndClasses] = {}
    facts = []
    for at, (crosses, shape) in enumerate(zip(crossing.tolist(), shapes, strict=True)):
        labels = [content[starts[at] * size : starts[at + 1] * size] for _, content, size, starts in sides]
        key = *labels, crosses, shape
        if key not in known:  # few items differ in their labels
            known[key] = LabelsAndClasses()
            true, pred = (frozenset(ids[starts[at] : starts[at + 1]].tolist()) for ids, _, _, starts in sides)
            if max(len(true), len(pred)) <= FEW:
                stack = stack_size(shape) if len(true | pred) == 1 else 0
                known[key] = LabelsAndClasses(true, pred, crossing=crosses, stack=stack)
        facts.append(known[key])
    return facts, None


def stack_size(shape: Sequence[int]) -> int:
    """Return the number of masks in a stack of this shape, 0 if it is rather an image or a volume."""
    return shape[0] if len(shape) == 3 and 4 * shape[0] <= min(shape[1:]) else 0


def _classes(table: OverlapTable, side: Side) -> frozenset[Hashable]:
    names = table.class_names or ()
    return frozenset(map(names.__getitem__, () if side.classes is None else set(side.classes.tolist())))


@frozen_dataclass(eq=False)
class DataFacts:
    """What notes are about: the items of a data set, and how they were read and compared."""

    items: Sequence[LabelsAndClasses]
    labels_stated: bool
    settings: Settings

    @property
    def of_objects(self) -> bool:
        """Whether the protocol compares objects by their labels, which are neither instances nor classes."""
        name = self.settings.protocol
        keys = PROTOCOLS[name].metrics if name is not None and name in PROTOCOLS else ()
        return bool(keys) and all(key in METRICS and METRICS[key].compares_labels for key in keys)

    def classes(self, side: str) -> frozenset[Hashable]:
        return self._unions[f"{side}_classes"]

    def labels(self, side: str) -> frozenset[int]:
        return self._unions[f"{side}_labels"]

    @cached_property
    def _unions(self) -> dict[str, frozenset[Any]]:
        """The labels and the classes of each side of all items."""
        names = [f"{side}_{what}" for side in SIDES for what in ("classes", "labels")]
        distinct = {id(item): item for item in self.items}.values()  # items that were counted together share facts
        return {name: _union({getattr(item, name) or NOTHING for item in distinct}) for name in names}

    def states(self, name: str) -> bool:
        return any(f"{side}{name}" in self.settings.reading for side in ("", "true_", "pred_"))


def labels_of_classes(facts: DataFacts) -> str | None:
    """Return the note about labels that are read as instances and look like classes."""
    if facts.labels_stated or facts.of_objects or (shared := labels_like_classes(facts.items)) is None:
        return None
    number = "the item has" if len(facts.items) == 1 else f"{len(facts.items)} items have"
    also = f", and {IGNORED} in the truth only" if ignored_in(facts) else ""
    ignoring = f"; if {IGNORED} means that an element must not count, {_IGNORE}" if also else ""
    return (
        f"labels are read as instances, and {number} the same few labels on both sides ({_listed(shared)}){also}; if a "
        f"label is a class, state --labels classes (read={{'labels': 'classes'}}), so that it is only matched with "
        f"itself{ignoring}; --labels instances confirms the present reading"
    )


def label_to_ignore(facts: DataFacts) -> str | None:
    """Return the note about the label of ignored elements that is a segment, or a class, on one side alone."""
    as_classes = facts.classes("true") | facts.classes("pred")
    if not as_classes and (facts.labels_stated or facts.of_objects or labels_like_classes(facts.items) is not None):
        return None
    side = ignored_in(facts)
    if side is None or any(
        IGNORED in as_ids(facts.settings.reading.get(f"{name}void"), "void") for name in ("", "true_", "pred_")
    ):
        return None
    what = "class" if as_classes else "label"
    scored = "a class" if as_classes else "an instance"
    return (
        f"{what} {IGNORED} is only in {side}, and is scored as {scored} there; if it means that an element must not "
        f"count, {_IGNORE}"
    )


_IGNORE = f"state --protocol semantic, or --void {IGNORED} (read={{'void': {IGNORED}}})"


def ignored_in(facts: DataFacts) -> str | None:
    """Return the only side that has the label of ignored elements, if all other labels are smaller and few."""
    for side, other in (("true", "pred"), ("pred", "true")):
        has, lacks = facts.classes(side) or facts.labels(side), facts.classes(other) or facts.labels(other)
        others = [label for label in (has | lacks) - {IGNORED} if isinstance(label, int)]
        if IGNORED in has and IGNORED not in lacks and lacks and max(others, default=IGNORED) < IGNORED - 1:
            return side
    return None


def counted_from_one(facts: DataFacts) -> str | None:
    """Return the note that predictions count classes from 1, where the protocol reads them from 0 and the truth from 1,
    as ADE20K does: the labels of the official predictions would all be one off.
    """
    settings = facts.settings
    protocol = PROTOCOLS[settings.protocol] if settings.protocol else None
    is_mapped = protocol is not None and protocol.reading.get("true_map", {}).get(1) == 0
    pred = facts.classes("pred")
    is_changed = "true_map" in settings.modified or "pred_map" in settings.reading
    if protocol is None or not is_mapped or is_changed or not pred or 0 in pred or 0 not in facts.classes("true"):
        return None
    n = protocol.reading["num_classes"]
    return (
        f"no prediction has the class 0, and the truth has; if predictions count from 1, as the truth does, state "
        f"--true-map 0:255 --num-classes {n + 1} (read={{'true_map': {{0: 255}}, 'num_classes': {n + 1}}})"
    )


def constant_metrics(facts: DataFacts) -> str | None:
    """Return the note about metrics that are constant under the rule, which nobody stated."""
    keys = [key for key in facts.settings.metrics or () if key in METRICS and METRICS[key].default_rule is not None]
    rules = {facts.settings.rule, *facts.settings.also}
    if not keys or facts.settings.rule != "theta_plus" or {METRICS[key].default_rule for key in keys} <= rules:
        return None
    return f"{', '.join(keys)}: 0 in all data under IoU > 0.5; state --rule theta_and (rule='theta_and')"


def zero_as_outside(facts: DataFacts) -> str | None:
    """Return the note that the label 0 is no class, where the user says that labels are classes and not what 0 is."""
    reads_classes = any(facts.settings.reading.get(f"{side}labels") == "classes" for side in ("", "true_", "pred_"))
    n = sum(item.outside for item in facts.items)
    if facts.settings.protocol is not None or not (reads_classes and n) or facts.states("outside"):
        return None
    return (
        f"label 0 is outside and not a class ({counted(n, 'element')} of the truth); --no-outside (read={{'outside': "
        "None}) makes it a class, --outside 0 confirms the present reading"
    )


def single_mask(facts: DataFacts) -> str | None:
    """Return the note about masks whose foreground is read as one instance, or whose stack is read as a volume."""
    if facts.labels_stated or facts.of_objects or not facts.items:
        return None
    found = facts.labels("true") | facts.labels("pred")
    if facts.items[0].stack and all(item.stack == facts.items[0].stack for item in facts.items):
        return (
            f"the items are read as volumes whose foreground is one instance, and their first axis has length "
            f"{facts.items[0].stack}; if they are stacks of masks, state --labels masks (read={{'labels': 'masks'}}); "
            "--labels instances confirms the present reading"
        )
    if IGNORED not in found or not found <= {1, IGNORED} or not facts.labels("true"):
        return None
    return (
        f"labels are read as instances, and {IGNORED} is the only label, so all that is white in an item is one "
        "instance; --components 8 (of volumes 26; read={'components': 8}) makes every connected part one, --labels "
        "classes (read={'labels': 'classes'}) makes it a class; --labels instances confirms the present reading"
    )


def removed_segments(facts: DataFacts) -> str | None:
    """Return the note about segments that a filter left out."""
    removed = [item for item in facts.items if item.true_removed or item.pred_removed]
    if not removed:
        return None
    filters = [name for name in ("min_size", "border") if facts.states(name)] or ["min_size"]
    flags = " and ".join(f"--{name.replace('_', '-')}" for name in filters)
    emptied = [
        f"in {counted(n, 'item')} none of {side} is left"
        for side in ("true", "pred")
        if (n := sum(side in item.emptied for item in removed))
    ]
    return (
        f"{sum(item.true_removed for item in removed)} true and {sum(item.pred_removed for item in removed)} "
        f"predicted segments in {counted(len(removed), 'item')} are left out by {flags} "
        f"({', '.join(filters)}){''.join(f'; {words}' for words in emptied)}"
        + ("; --min-size 0 keeps all" if emptied and "min_size" in filters else "")
    )


def borrowed_spacing(facts: DataFacts) -> str | None:
    """Return the note that only one side has a spacing."""
    for side, other in (("true", "pred"), ("pred", "true")):
        if measured := sum(item.spacing_from == side for item in facts.items):
            return (
                f"only {side} has a spacing in {counted(measured, 'item')}; distances are measured in it, as if "
                f"{other} had the same (--{other}-spacing states another)"
            )
    return None


def disjoint_classes(facts: DataFacts) -> str | None:
    """Return the note that no class is on both sides."""
    true, pred = facts.classes("true"), facts.classes("pred")
    if facts.settings.classes != "match" or not true or not pred or true & pred:
        return None
    return (
        f"the two sides have no class in common, so no segment can be matched: true has {_listed(true)}, pred has "
        f"{_listed(pred)}; rename the classes of one side (--true-map, --pred-map for labels that are classes), or "
        "compare without classes: --classes ignore (classes='ignore')"
    )


NOTES: tuple[Callable[[DataFacts], str | None], ...] = (
    labels_of_classes,
    label_to_ignore,
    single_mask,
    counted_from_one,
    constant_metrics,
    zero_as_outside,
    removed_segments,
    borrowed_spacing,
    disjoint_classes,
)
"""What is noted about a data set: each says what was found, and which option states another reading."""


def warn_about(facts: DataFacts) -> None:
    """Warn, once for a data set, of what its items show together."""
    for note in NOTES:
        message = note(facts)
        if message is not None:
            warnings.warn(message, DataWarning, stacklevel=3)


def labels_like_classes(items: Sequence[LabelsAndClasses]) -> frozenset[int] | None:
    """Return the labels of a data set if they look like classes: few, the same on both sides, and recurring.

    Instances are numbered 1, 2, … in every item, so their labels differ between items and between sides as soon as
    the numbers of segments do. Labels look like classes if they leave gaps on both sides and are the same on both
    sides of an item (of three items or more: mostly the same, and recurring); or if nearly all of three items or more
    have the same labels. Where no label overlaps another one the meaning does not matter.
    """
    times = Counter(map(id, items))  # items that were counted together share facts
    distinct = {id(item): item for item in items}
    sides = [(item.true_labels, item.pred_labels, times[key]) for key, item in distinct.items()]
    pairs = [(true, pred, n) for true, pred, n in sides if true is not None and pred is not None]
    if not any(IGNORED in pred for _, pred, _ in pairs):  # which class maps have in the truth only
        pairs = [(true - {IGNORED}, pred, n) for true, pred, n in pairs]
    if not pairs or len(pairs) < len(sides) or not any(item.crossing for item in distinct.values()):
        return None
    every = _union(labels for true, pred, _ in pairs for labels in (true, pred))
    if not 2 <= len(every) <= FEW or max(every) > LARGEST_CLASS or min(every) < 0:
        return None
    gaps = all(any(own != set(range(1, len(own) + 1)) for own in side) for side in list(zip(*pairs, strict=True))[:2])
    if len(items) <= 2:
        return every if gaps and all(true == pred for true, pred, _ in pairs) else None
    if 4 * sum(n for true, pred, n in pairs if true == pred == every) >= 3 * len(items):
        return every
    alike = sum(n * len(true & pred) / max(len(true | pred), 1) for true, pred, n in pairs) >= 2 / 3 * len(items)
    recurring = sum(n * len(true) for true, _, n in pairs) >= 2 * len(_union(pair[0] for pair in pairs))
    return every if gaps and alike and recurring else None


def _union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    return frozenset[T]().union(*sets)


def _listed(names: Iterable[Hashable]) -> str:
    shown = sorted(names, key=lambda name: (not isinstance(name, int), name if isinstance(name, int) else str(name)))
    return ", ".join(map(str, shown[:SHOWN])) + (" …" if len(shown) > SHOWN else "")


def note_crowds(items: NDArray[np.intp], data: Callable[[str], DataSet] | None) -> None:
    """Warn that COCO's policy ignores crowd regions, as a later one of their class is listed, with both values of PQ.

    ``items`` are the items of these regions; ``data`` evaluates the data set under a policy, if all of it is there.
    """
    if not items.size:
        return
    n_items, n_regions, values = np.unique(items).size, items.size, ""
    if data is not None and "pq" in data(COCO.name).sources:
        here, with_all = (data(name).score("pq", BY_CLASS) for name in (COCO.name, ALL_CROWDS.name))
        values = f": PQ is {here.value:.5f}, with all of them {with_all.value:.5f}"
    warnings.warn(
        f"{n_items} {'item has' if n_items == 1 else 'items have'} several crowd regions of one class; as in the COCO "
        f"reference only the last one listed counts, and {n_regions} {'does' if n_regions == 1 else 'do'} not{values} "
        f"(policy {ALL_CROWDS.name})",
        DataWarning,
        stacklevel=3,
    )
