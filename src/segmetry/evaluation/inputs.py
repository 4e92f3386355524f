"""The work of an evaluation: which items there are, how each is loaded, and what fingerprints their inputs have."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from segmetry.errors import FormatError, InputError, KindError, OptionError, SegmetryError
from segmetry.evaluation.fingerprint import file_fingerprints, object_fingerprint
from segmetry.readers.items import Item, empty_item, picklable_item
from segmetry.readers.options import Formats, ReadOptions, format_of
from segmetry.readers.pairing import SHOWN, on_one_line, read_pairs
from segmetry.readers.reader import find_reader, read_items
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import as_segmentation
from segmetry.storage.opened_arrays import DaskArray, Indexed, as_stored

MISSING = ("error", "as-empty")
"""What an item without a prediction can be."""


class MissingPrediction(Enum):
    """Stands for the prediction of an item that has none and is taken as empty."""

    PREDICTION = "prediction"


@dataclass(frozen=True, eq=False)
class ItemTask:
    """One item: two segmentations, or what they are made of; a path is read only when the item's turn comes."""

    name: str
    true: Any
    pred: Any
    chosen: Formats = None
    read: ReadOptions = field(default_factory=ReadOptions)
    pred_coder: str | None = None

    def load(self) -> tuple[Segmentation, Segmentation]:
        """Both segmentations."""
        true = self._item(self.true, "true")
        pred = empty_item(true) if self.pred is MissingPrediction.PREDICTION else self._item(self.pred, "pred")
        if isinstance(self.true, str | Path) and isinstance(self.pred, str | Path):
            true, pred = on_one_line(true, pred, self.read)
        return true.load(), pred.load()

    def sendable(self) -> ItemTask:
        """The same for processes that may run in another folder: by paths, and not with what lies in files."""
        try:
            return replace(self, true=_sendable(self.true), pred=_sendable(self.pred))
        except SegmetryError as problem:
            raise problem.within(f"item {self.name}") from None

    def __getstate__(self) -> dict[str, Any]:
        """A task that goes to another process is read there."""
        sides = {side: getattr(self, side) for side in ("true", "pred")}
        sent = {side: picklable_item(given) if isinstance(given, Item) else given for side, given in sides.items()}
        return {**self.__dict__, **sent}

    def reading(self, side: Literal["true", "pred"]) -> ReadOptions:
        """How the file of a side is read."""
        other = side == "pred" and self.pred_coder is not None
        return replace(self.read, side=side, coder=self.pred_coder if other else self.read.coder)

    def _item(self, given: Any, side: Literal["true", "pred"]) -> Item:
        if isinstance(given, Item):
            return given
        if not isinstance(given, str | Path):
            return Item(self.name, as_segmentation(given, side))
        options = self.reading(side)
        found = list(read_items(given, format_of(self.chosen, side), options))
        if len(found) != 1:
            raise FormatError(f"{given}: holds {len(found)} items; expected one, as the file belongs to one item")
        return replace(found[0], name=self.name)


def _sendable(given: Any) -> Any:
    if isinstance(given, str | Path):
        return Path(given).absolute()
    stored = given.stored if isinstance(given, LabelArray) else as_stored(given)
    inner = getattr(stored, "found", stored)  # floats as whole numbers
    if isinstance(inner, Indexed):
        inner.check_sendable()
    return given if stored is None or isinstance(given, LabelArray) or isinstance(stored, DaskArray) else stored


@dataclass(frozen=True, eq=False)
class EvaluationInputs:
    """All tasks in the order of the data set; ``facts`` and ``reading`` are kept in the run.

    ``policy``, ``groups`` and ``class_names`` are what the data set declares; ``places`` are the files and folders it
    lies in.
    """

    tasks: list[ItemTask]
    fingerprints: Callable[[], dict[tuple[str, str], str]]
    facts: dict[str, str]
    reading: dict[str, Any]
    policy: str = "none"
    class_names: Mapping[Hashable, str] = field(default_factory=dict)
    groups: Mapping[str, frozenset[Hashable]] | None = None
    places: tuple[Path, ...] = ()


def find_inputs(
    true: Any,
    pred: Any,
    *,
    chosen: Formats,
    read: ReadOptions,
    pred_coder: str | None = None,
    missing: str = "error",
    sent: bool = False,
) -> EvaluationInputs:
    """The work of two paths, or of two mappings by item name; ``sent`` if other processes may be given it.

    >>> [task.name for task in find_inputs({"a": [[1]]}, {"a": [[2]]}, chosen=None, read=ReadOptions()).tasks]
    ['a']
    """
    if missing not in MISSING:
        raise OptionError(f"missing is {missing!r}; expected one of {', '.join(MISSING)}")
    reading = _reading(chosen, read, pred_coder, missing)
    if isinstance(true, str | Path) and isinstance(pred, str | Path):
        first, second = (Path(one).absolute() if sent else Path(one) for one in (true, pred))
        pairs = list(read_pairs(first, second, chosen, read, pred_coder, missing=missing))
        return EvaluationInputs(
            tasks=[ItemTask(name, one, other) for name, one, other in pairs],
            fingerprints=lambda: _of_paths({"true": first, "pred": second}, chosen, read),
            facts={"true": str(true), "pred": str(pred)},
            reading=reading,
            policy=find_reader(first, format_of(chosen, "true")).policy,
            groups=pairs[0][1].groups,
            class_names=pairs[0][1].class_names or {},
            places=(
                *_places(first, format_of(chosen, "true"), read),
                *_places(second, format_of(chosen, "pred"), read),
            ),
        )
    if isinstance(true, Mapping) and isinstance(pred, Mapping):
        ones, others = _by_name(true, "true"), _by_name(pred, "pred")
        _check_names(set(ones), set(others), fill=missing == "as-empty")
        if not any(isinstance(given, str | Path) for given in (*ones.values(), *others.values())):
            _check_nothing_to_read({name: value for name, value in reading.items() if name != "missing"})
        tasks = [
            ItemTask(name, given, others.get(name, MissingPrediction.PREDICTION), chosen, read, pred_coder)
            for name, given in ones.items()
        ]
        tasks = [task.sendable() for task in tasks] if sent else tasks
        return EvaluationInputs(tasks, lambda: _of_tasks(tasks), {}, reading)
    raise KindError(
        f"true is a {type(true).__name__} and pred a {type(pred).__name__}; expected two paths, or two mappings from "
        "item names to segmentations (segmetry.score compares a single pair)"
    )


def _of_paths(
    paths: Mapping[Literal["true", "pred"], Path], chosen: Formats, read: ReadOptions
) -> dict[tuple[str, str], str]:
    return {
        (side, name): sha256
        for side, path in paths.items()
        for name, sha256 in _of_files(path, format_of(chosen, side), read).items()
    }


def _of_files(path: Path, chosen: str | None, read: ReadOptions) -> dict[str, str]:
    """The fingerprints of all files that the reader of a path opens."""
    given, *beside = _places(path, chosen, read)
    return file_fingerprints(given, beside)


def _places(path: Path, chosen: str | None, read: ReadOptions) -> tuple[Path, ...]:
    """A path, and the files and folders beside it that its reader opens."""
    beside = find_reader(path, chosen).beside
    return (path, *(beside(path, read) if beside is not None else ()))


def _of_path(path: Path, chosen: str | None, read: ReadOptions) -> str:
    """One fingerprint for a path: that of its file, or of the list of its files."""
    found = _of_files(path, chosen, read)
    return next(iter(found.values())) if len(found) == 1 else hashlib.sha256(repr(found).encode()).hexdigest()


def _of_tasks(tasks: list[ItemTask]) -> dict[tuple[str, str], str]:
    sides: tuple[Literal["true", "pred"], ...] = ("true", "pred")
    return {
        (side, task.name): _of_side(task, side)
        for task in tasks
        for side in sides
        if side == "true" or task.pred is not MissingPrediction.PREDICTION
    }


def _of_side(task: ItemTask, side: Literal["true", "pred"]) -> str:
    given = task.true if side == "true" else task.pred
    if isinstance(given, str | Path):
        return _of_path(Path(given), format_of(task.chosen, side), task.reading(side))
    return object_fingerprint(as_segmentation(given, side))


def _by_name(given: Mapping[Any, Any], side: str) -> dict[str, Any]:
    """What a mapping holds by the names of items as they are printed; two keys of one name are an error."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = str(key)
        if not name or any("\ud800" <= character <= "\udfff" for character in name):
            raise InputError(f"{side}: an item is called {name!a}; expected a name that can be written as text")
        if name in found:
            raise InputError(f"{side}: two items are called {name!r} when they are printed; expected one of each name")
        found[name] = value
    return found


def _check_nothing_to_read(reading: Mapping[str, Any]) -> None:
    """Objects are not read from files, so whatever says how would be ignored."""
    if reading:
        raise OptionError(
            f"{', '.join(sorted(reading))}: says how files are read, but true and pred hold no paths; "
            "say it where the segmentations are made, such as LabelArray(labels, void=255)"
        )


def _check_names(true: set[str], pred: set[str], *, fill: bool) -> None:
    if not true:
        raise InputError("true: no items found")
    missing = set() if fill else true - pred
    for word, found in (("pred has no item", missing), ("true has no item", pred - true)):
        if found:
            shown = ", ".join(sorted(found)[:SHOWN]) + (" …" if len(found) > SHOWN else "")
            raise InputError(f"the items do not pair up: {word} {shown}; expected the same names on both sides")


def _reading(chosen: Formats, read: ReadOptions, pred_coder: str | None, missing: str) -> dict[str, Any]:
    """How the inputs are read, as plain data; what was not stated is left out."""
    named = list(chosen) if isinstance(chosen, tuple) else chosen
    words = {"format": named, "pred_coder": pred_coder, "missing": missing if missing != "error" else None}
    return {name: value for name, value in words.items() if value} | read.as_plain()
