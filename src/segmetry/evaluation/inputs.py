"""The inputs of an evaluation: which items there are, how each is loaded, and the fingerprints of their files."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np

from segmetry._base import errors_within, frozen_dataclass
from segmetry.alignments import void_policy
from segmetry.errors import DataWarning, EmptyInputError, InputError, KindError, OptionError, SegmetryError, list_some
from segmetry.evaluation.fingerprint import file_fingerprints, object_fingerprint
from segmetry.protocols import Protocol, default_policy, protocol_of_format
from segmetry.readers import (
    LABEL_NAMES,
    MEANINGS,
    SIDES,
    VOID,
    Formats,
    Item,
    LineFiles,
    Pairing,
    ReadItems,
    ReadOptions,
    SideName,
    Source,
    by_pairing_name,
    empty_item,
    find_readers,
    find_sources,
    format_of,
    input_path,
    names_of_classes,
    on_one_line,
    own_item,
    picklable_item,
    read_labels,
    read_pairs,
    remote_fingerprints,
    side_options,
)
from segmetry.segmentation import LabelArray, Segmentation, Spans, StoredFloats, as_segmentation
from segmetry.storage import DaskArray, IndexedArray, as_stored, is_remote, is_url

MISSING = ("error", "as-empty")
"""The ways to treat items without a prediction."""


class InputOptions(TypedDict, total=False):
    r"""How the inputs of an evaluation are read and paired.

    Parameters
    ----------
    format : str or pair of str, optional
        The format of both sides, or of each: ``('npy', 'png')``; by default it is found.
    read : mapping or ReadOptions, optional
        Options of the reader by name: ``{'void': 255}``.
    isolate : bool or mapping, optional
        Whether files are decoded in a child process, so that a decoder that crashes or hangs is one error: ``True``,
        ``False``, or limits, ``{'seconds': 60, 'memory': 2**32}``. By default the formats whose decoder was seen to
        crash on damaged files are. The results do not depend on it.
    pred_coder : str, optional
        The annotator that is the prediction, where one file contains several.
    missing : {'error', 'as-empty'}, default 'error'
        How to treat items without a prediction.
    pairing : mapping or Pairing, optional
        How the names of both sides relate where they differ: ``{'strip': '_gt'}``, ``{'pair': r'(\d+)'}`` or
        ``{'pairs': 'pairs.csv'}``.
    batch : bool, default False
        Take two arrays whose first axis is the items, such as tensors of shape (B, H, W).
    class_names : mapping of classes to str, optional
        How classes are called in tables and in the report, for labels that are numbers: ``{0: 'road', 1: 'sky'}``. By
        default as the files or the protocol call them.
    """

    format: Formats
    read: ReadOptions | Mapping[str, Any] | None
    isolate: bool | Mapping[str, Any] | None
    pred_coder: str | None
    missing: Literal["error", "as-empty"]
    pairing: Pairing | Mapping[str, Any] | None
    batch: bool
    class_names: Mapping[Hashable, str] | None


class MissingPrediction(Enum):
    """Stands for the prediction of an item that has none and is taken as empty."""

    PREDICTION = "prediction"


class StatedArray(NamedTuple):
    """An array that is read as a file would be, with the options of its side."""

    value: Any
    options: ReadOptions

    def load(self) -> Segmentation:
        """Return the segmentation."""
        with errors_within(self.options.side):
            return read_labels(self.value, self.options)


@frozen_dataclass(eq=False)
class ItemTask:
    """One item: two segmentations or their sources; a source is read only when the item is evaluated."""

    name: str
    true: Any
    pred: Any

    def __call__(self) -> tuple[Segmentation, Segmentation]:
        return self.load()

    def true_item(self) -> Item:
        """Return the truth with the facts that its file states beside the segments."""
        return self._item(self.true, "true")

    def load(self) -> tuple[Segmentation, Segmentation]:
        """Return both segmentations."""
        if type(self.true) is Spans and type(self.pred) is Spans:
            return self.true, self.pred
        true = self.true_item()
        pred = empty_item(true) if self.pred is MissingPrediction.PREDICTION else self._item(self.pred, "pred")
        sides = [side.content if isinstance(side, Item) else side for side in (self.true, self.pred)]
        sources = [side for side in sides if isinstance(side, Source)]
        if sources and all(isinstance(side, Item | Source) for side in (self.true, self.pred)):
            true, pred = on_one_line(true, pred, sources[0].options)
        loaded = true.load()
        return loaded, pred.load_on(loaded.domain)

    def sendable(self) -> ItemTask:
        """Return the same task for processes that may run in another folder: with paths instead of file contents."""
        with errors_within(f"item {self.name}"):
            return replace(self, true=_sendable(self.true), pred=_sendable(self.pred))

    def __getstate__(self) -> dict[str, Any]:
        """A task that is sent to another process is read there."""
        sides = {"true": self.true, "pred": self.pred}
        picklable = {side: picklable_item(value) if isinstance(value, Item) else value for side, value in sides.items()}
        return {**self.__dict__, **picklable}

    def _item(self, value: Any, side: SideName) -> Item:
        if isinstance(value, Item):
            return own_item(value)
        if isinstance(value, StatedArray):
            return Item(self.name, value.load)
        return (
            value.only_item(self.name) if isinstance(value, Source) else Item(self.name, as_segmentation(value, side))
        )


def _sendable(value: Any) -> Any:
    if isinstance(value, Source):
        return value.absolute()
    stored = value.stored if isinstance(value, LabelArray) else as_stored(value)
    array = stored.stored if isinstance(stored, StoredFloats) else stored
    if isinstance(array, IndexedArray):
        array.check_sendable()
    return value if stored is None or isinstance(value, LabelArray) or isinstance(stored, DaskArray) else stored


@frozen_dataclass(eq=False)
class LineTasks(Sequence[ItemTask]):
    """The items of two files of lines; each task is made when it is asked for."""

    files: LineFiles

    def __len__(self) -> int:
        return len(self.files.true)

    def __getitem__(self, at: Any) -> Any:
        numbers = range(len(self))[at]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        return ItemTask(*self.files.pair(numbers))


def _line_files(true: Source, pred: Source) -> LineFiles | None:
    """Return the files of both sides, where both can be read at once and have the same items."""
    if true.reader.lines is None or pred.reader.lines is None:
        return None
    first = true.lines()
    second = None if first is None else pred.lines()
    found = None if first is None or second is None else LineFiles.of(first, second)
    for note in [] if found is None else [file.note for file in found if file.note is not None]:
        warnings.warn(note, DataWarning, stacklevel=4)
    return found


@frozen_dataclass(eq=False)
class EvaluationInputs:
    """All tasks in the order of the data set; ``facts`` and ``reading`` are stored in the run.

    ``policy`` is the default of the truth's format, or what declared void labels mean; ``labels_stated``: the user
    states what labels mean, or nothing is read from files; ``groups`` and ``class_names`` are those the data set
    declares; ``paths`` are its files and folders. ``protocol`` is that of the truth's format, if it has one; ``lines``
    are files of lines that were read at once, of which a task is made when it is asked for.
    """

    tasks: Sequence[ItemTask]
    fingerprints: Callable[[], dict[tuple[str, str], str]]
    facts: dict[str, str]
    reading: dict[str, Any]
    policy: str = "none"
    labels_stated: bool = True
    protocol: Protocol | None = None
    class_names: Mapping[Hashable, str] = field(default_factory=dict)
    groups: Mapping[str, frozenset[Hashable]] | None = None
    paths: tuple[Path, ...] = ()
    lines: LineFiles | None = None

    @property
    def names(self) -> list[str]:
        """The names of all items."""
        return [task.name for task in self.tasks] if self.lines is None else self.lines.true.names


def formats_of_files(
    true: Any, pred: Any, formats: Formats = None, protocol: Protocol | None = None
) -> tuple[str, str] | None:
    """Return the formats of two files, before their items are read; None for anything but two paths.

    Of files that could be of several formats, the protocol decides. What is wrong with a file is told when it is read.
    """
    if not (isinstance(true, str | Path) and isinstance(pred, str | Path)) or is_url(true) or is_url(pred):
        return None
    try:
        first, second = find_readers(Path(true), Path(pred), formats, {} if protocol is None else protocol.read_as)
    except SegmetryError:
        return None
    return first.name, second.name


def find_inputs(
    true: Any,
    pred: Any,
    *,
    formats: Formats = None,
    found: tuple[str, str] | None = None,
    read: ReadOptions | Mapping[str, Any] | None = None,
    pred_coder: str | None = None,
    missing: str = "error",
    pairing: Pairing | Mapping[str, Any] | None = None,
    batch: bool = False,
    leaves_process: bool = False,
) -> EvaluationInputs:
    """Return the inputs in two paths, in two mappings by item name, or in two sequences, whose positions are the names.

    ``pairing`` says how the names of the two sides relate; ``leaves_process`` is True if other processes may load them.
    ``formats`` are those that the user states, ``found`` those that were recognised before.
    """
    if missing not in MISSING:
        raise OptionError(f"missing is {missing!r}; expected one of {', '.join(MISSING)}")
    true, pred = by_position(true, pred, batch=batch)
    options = ReadOptions.of(read)
    how = Pairing.of(pairing)
    reading = _reading(formats, options, pred_coder, missing, how)
    if isinstance(true, str | Path) and isinstance(pred, str | Path):
        facts = {"true": str(true), "pred": str(pred)}
        if leaves_process and not is_url(true) and not is_url(pred):
            true, pred = Path(true).absolute(), Path(pred).absolute()
        sources = find_sources(true, pred, found or formats, options, pred_coder)
        lines = _line_files(*sources) if how == Pairing() else None
        if lines is not None:
            of_lines = _of_sources(*sources, facts, reading, [lines.pair(0)])
            return replace(of_lines, tasks=LineTasks(lines), lines=lines)
        return _of_sources(
            *sources, facts, reading, list(read_pairs(*sources, missing=missing, pairing=how, later=True))
        )
    if isinstance(true, Mapping) and isinstance(pred, Mapping):
        sides = (_by_name(true, "true", how), _by_name(pred, "pred", how))
        tasks = _tasks(*sides, formats, side_options(options, pred_coder), fill=missing == "as-empty")
        if not any(isinstance(side, Source) for side in _sides(tasks)):
            _check_nothing_to_read(
                (set(reading) - {"missing", "pairing"})
                | ({"isolate"} if options.isolation.wanted is not None else set()),
                arrays=any(isinstance(side, Item | StatedArray) for side in _sides(tasks)),
            )
        tasks = [task.sendable() for task in tasks] if leaves_process else tasks
        return EvaluationInputs(
            tasks=tasks,
            fingerprints=lambda: _task_fingerprints(tasks),
            facts={},
            reading=reading,
            policy=policy_without_protocol(_sides(tasks)),
            labels_stated=states_labels(_sides(tasks)),
        )
    raise KindError(
        f"true is a {type(true).__name__} and pred a {type(pred).__name__}; expected two paths, two mappings from "
        "item names to segmentations, or two lists of segmentations (segmetry.score compares a single pair)"
    )


def _of_sources(
    true: Source, pred: Source, facts: dict[str, str], reading: dict[str, Any], pairs: list[tuple[str, Item, Item]]
) -> EvaluationInputs:
    if not pairs:
        raise EmptyInputError(f"{true.path}, {pred.path}: no item on either side, so that there is nothing to compare")
    first = pairs[0][1]
    files = [[true_item.file, pred_item.file] for _, true_item, pred_item in pairs]
    if any(file is not None for both in files for file in both):
        facts = {**facts, "files": json.dumps(files, ensure_ascii=False)}
    schemes = {item.scheme for _, *both in pairs for item in both if item.scheme is not None}
    if len(schemes) == 1:
        reading = {**reading, "scheme": schemes.pop()}  # what was found, as if it were stated
    tasks = [ItemTask(*pair) for pair in pairs]
    return EvaluationInputs(
        tasks=tasks,
        fingerprints=lambda: {
            (side, name): sha256
            for side, source in (("true", true), ("pred", pred))
            for name, sha256 in _source_fingerprints(source).items()
        },
        facts=facts,
        reading=reading,
        policy=default_policy(true.reader.name) or policy_without_protocol([true, pred, *_sides(tasks)]),
        labels_stated=states_labels([true, pred]),
        protocol=protocol_of_format(true.reader.name, pred.reader.name),
        groups=first.groups,
        class_names=names_of_classes(pairs),
        paths=(*true.files, *pred.files),
    )


def _tasks(
    true_values: dict[str, Any],
    pred_values: dict[str, Any],
    formats: Formats,
    options: tuple[ReadOptions, ReadOptions],
    *,
    fill: bool,
) -> list[ItemTask]:
    """Return the tasks of two mappings; paths and arrays are read with the options of their side."""
    _check_names(set(true_values), set(pred_values), fill=fill)

    def side_values(values: Iterable[Any], read: ReadOptions) -> Iterator[Any]:
        states_labels = bool(LABEL_NAMES & read.stated)
        for value in values:
            if type(value) is not np.ndarray and isinstance(value, str | Path):
                yield Source(input_path(value, read), read, format_of(formats, read.side))
            elif states_labels and not isinstance(value, Segmentation | MissingPrediction):
                yield StatedArray(value, read)
            else:
                yield value

    paired = [pred_values.get(name, MissingPrediction.PREDICTION) for name in true_values]
    sides = side_values(true_values.values(), options[0]), side_values(paired, options[1])
    return [ItemTask(*task) for task in zip(true_values, *sides, strict=True)]


def _sides(tasks: list[ItemTask]) -> list[Any]:
    return [side for task in tasks for side in (task.true, task.pred)]


def _source_fingerprints(source: Source) -> dict[str, str]:
    if is_remote(source.path):
        return remote_fingerprints(source.path)
    path, *beside = source.files
    return file_fingerprints(path, beside, source.files_inside)


def _task_fingerprints(tasks: list[ItemTask]) -> dict[tuple[str, str], str]:
    return {
        (side, task.name): _fingerprint(getattr(task, side), side)
        for task in tasks
        for side in SIDES
        if getattr(task, side) is not MissingPrediction.PREDICTION
    }


def _fingerprint(value: Any, side: SideName) -> str:
    """Return one fingerprint for an object, or for a source: that of its file, or of the list of its files."""
    if isinstance(value, Item | StatedArray):
        return object_fingerprint(value.load())
    if not isinstance(value, Source):
        return object_fingerprint(as_segmentation(value, side))
    files = _source_fingerprints(value)
    if len(files) == 1:
        return next(iter(files.values()))
    import hashlib

    return hashlib.sha256(repr(files).encode()).hexdigest()


def _by_name(values: Mapping[Any, Any], side: SideName, pairing: Pairing) -> dict[str, Any]:
    """Return the values by the names they are paired by; two of one name are an error."""
    named: dict[str, Any] = {}
    for key, value in (values.entries if isinstance(values, ReadItems) else values).items():
        name = str(key)
        if not name or not (name.isascii() or all(not "\ud800" <= character <= "\udfff" for character in name)):
            raise InputError(f"{side}: an item is called {name!a}; expected a name that can be written as text")
        if name in named:
            raise InputError(f"{side}: two items are called {name!r} when they are printed; expected one of each name")
        named[name] = value
    if pairing.pairs is not None:
        return pairing.pairs.chosen(((name, None, value) for name, value in named.items()), side)
    return named if pairing == Pairing() else by_pairing_name(named.items(), pairing, side)


def _check_nothing_to_read(stated: set[str], *, arrays: bool) -> None:
    """Raise for reading options without effect, as no side is read from a file, or not even from an array."""
    about_labels = {name for name in stated if name.removeprefix("true_").removeprefix("pred_") in LABEL_NAMES}
    if stated - about_labels:
        raise OptionError(
            f"{', '.join(sorted(stated - about_labels))}: applies to files, but true and pred contain no paths"
        )
    if about_labels and not arrays:
        raise OptionError(
            f"{', '.join(sorted(about_labels))}: applies to files and arrays, but true and pred contain segmentations; "
            "state it where they are made, such as LabelArray(labels, void=255) or LabelArray.from_classes(labels)"
        )


def _check_names(true: set[str], pred: set[str], *, fill: bool) -> None:
    if not true:
        raise InputError("true: no items found")
    missing = set() if fill else true - pred
    for text, names in (("pred has no item", missing), ("true has no item", pred - true)):
        if names:
            shown = list_some(sorted(names))
            raise InputError(
                f"the items do not pair up: {text} {shown}; expected the same names on both sides, or pairing="
            )


def _reading(
    formats: Formats, options: ReadOptions, pred_coder: str | None, missing: str, pairing: Pairing
) -> dict[str, Any]:
    """Return how the inputs are read and paired, as plain data; what was not stated is left out."""
    named = list(formats) if isinstance(formats, tuple) else formats
    settings = {
        "format": named,
        "pred_coder": pred_coder,
        "missing": missing if missing != "error" else None,
        "pairing": pairing.as_plain(),
    }
    return {name: value for name, value in settings.items() if value} | options.as_plain()


def by_position(true: Any, pred: Any, *, batch: bool) -> tuple[Any, Any]:
    """Return two sequences, or the slices of two batches, as mappings from positions; anything else unchanged."""
    if batch or (isinstance(true, list | tuple) and isinstance(pred, list | tuple)):
        slices = [(_slices if batch else _items_of)(value, side) for side, value in (("true", true), ("pred", pred))]
    elif hasattr(true, "shape") and hasattr(pred, "shape"):
        raise KindError(
            f"true is a {type(true).__name__} of shape {tuple(true.shape)}; evaluate takes a data set: "
            "evaluate([true], [pred]) is one of a single pair, segmetry.score compares it alone, batch=True makes an "
            "item of each element along the first axis"
        )
    else:
        return true, pred
    if len(slices[0]) != len(slices[1]):
        raise InputError(f"true has {len(slices[0])} items and pred {len(slices[1])}; expected the same number")
    first, second = ({str(at): value for at, value in enumerate(values)} for values in slices)
    return first, second


def _slices(value: Any, side: str) -> list[Any]:
    shape = getattr(value, "shape", None)
    if shape is None or len(shape) < 2:
        raise KindError(
            f"{side} is a {type(value).__name__}; expected an array whose first axis is the batch, as batch=True says"
        )
    return [value[at] for at in range(int(shape[0]))]


def _items_of(values: Any, side: str) -> list[Any]:
    """Return the items of a sequence; nested lists are rejected, as their rows could be items or rows of one item."""
    for at, value in enumerate(values):
        if type(value) is np.ndarray:
            continue
        if not (isinstance(value, str | Path | Segmentation) or hasattr(value, "__array__") or hasattr(value, "shape")):
            raise KindError(
                f"{side}[{at}] is a {type(value).__name__}; expected an array, a segmentation or a path for each item: "
                "for one pair of nested lists use segmetry.score(true, pred), for several pass "
                "[numpy.array(labels), …] or a mapping from item names"
            )
    return list(values)


def policy_without_protocol(sides: Iterable[Any]) -> str:
    """Return the policy of sides whose format has no protocol."""
    return void_policy(has_void=any(map(_declares_void, sides)))


def states_labels(sides: Iterable[Any]) -> bool:
    """Return whether the user states what labels mean, wherever a side is read from a file."""
    return all(MEANINGS & side.options.stated for side in sides if isinstance(side, Source))


def _declares_void(value: Any) -> bool:
    """Return whether a side declares void labels, as far as that is known before it is read."""
    if isinstance(value, Source):
        return VOID.name in value.options.stated and value.options[VOID] is not None
    if isinstance(value, Item):
        return value.declares_void or _declares_void(value.content)
    if isinstance(value, StatedArray):
        return value.options[VOID] is not None
    return isinstance(value, LabelArray) and bool(value.void)
