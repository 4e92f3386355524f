"""What the metrics of training frameworks keep of an epoch, and how it is evaluated.

Every metric of an overlap table follows from how often each pair of labels occurs in an item. So an adapter counts a
batch when it sees it, keeps one row of integers per item and label pair, and forgets the batch. The evaluation takes
two label arrays with the same counts, stored as run lengths, in place of the original ones: all reading options,
protocols and metrics of :func:`segmetry.evaluate` apply to them, except for those that depend on positions.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.errors import (
    DeviceMismatchError,
    EmptyInputError,
    InputError,
    LabelTypeError,
    OptionError,
    ShapeMismatchError,
)
from segmetry.evaluation import evaluate
from segmetry.kernels import (
    CategoryPairs,
    LabelRunLengths,
    PairCounts,
    add_up,
    count_category_pairs,
    count_device_categories,
    count_device_pairs,
    count_pairs,
    device_of,
)
from segmetry.metrics import FROM_TABLE, PairOptions, canonical_names, check_names, select_metrics
from segmetry.protocols import as_protocol
from segmetry.run import Run
from segmetry.segmentation import RunLengthLabels

COLUMNS = 7
"""Digest of the item (two integers), which time it was seen, number of axes, true label, pred label, elements."""
OF_POSITIONS = frozenset({"components", "border", "section_border", "spacing"})
"""Reading options that depend on positions."""
CATEGORY = 2**32
"""The label of an instance of a category is ``category * CATEGORY + instance``."""
EPOCH_OPTIONS = frozenset(
    {"protocol", "read", "category_maps", "stuff", "per_class", "class_names", *PairOptions.__annotations__}
)
"""The names of all options of :class:`EpochSettings`."""


class EpochSettings:
    """What is computed from the counted items of an epoch.

    Parameters
    ----------
    metrics, protocol, read
        As for :func:`segmetry.evaluate`; metrics, also those of the protocol, must follow from overlap tables.
    category_maps
        Maps have category and instance in their last axis; the category of an element is its class.
    stuff
        Categories of ``category_maps`` whose instances are one segment.
    per_class
        Return the values of single classes, too.
    class_names
        How classes are called, by label; names of values have them in place of the labels.
    **options
        How is scored: those of :class:`~segmetry.metrics.shared_options.PairOptions`.
    """

    def __init__(
        self,
        metrics: Iterable[Any] | str | None = None,
        *,
        protocol: Any = None,
        read: Mapping[str, Any] | None = None,
        category_maps: bool = False,
        stuff: Collection[int] = (),
        per_class: bool = False,
        class_names: Mapping[Hashable, str] | None = None,
        **options: Unpack[PairOptions],
    ) -> None:
        check_names("EpochSettings", options, PairOptions)
        self.options: dict[str, Any] = {"metrics": metrics, "protocol": protocol, "read": read, **options}
        chosen = check_follows_from_tables(self.options)
        if metrics is None and protocol is None:
            self.options["metrics"] = chosen
        self.category_maps, self.stuff, self.per_class = category_maps, tuple(stuff), per_class
        self.class_names = class_names
        self._is_tried = False

    def count(self, true: Any, pred: Any, item_ids: Sequence[Hashable] | None = None) -> CountedItems:
        """Count a batch; the first one is also scored: a setting that does not suit it is an error at once."""
        counted = count_items(true, pred, item_ids, categories=self.category_maps, stuff=self.stuff)
        # Otherwise a mistake in the options would be found after an epoch of training.
        if not self._is_tried and len(counted.rows):
            self.run(counted).summary()
            self._is_tried = True
        return counted

    def run(self, counted: CountedItems, **others: Any) -> Run:
        """Return the run of all items; ``others`` are further options of :func:`segmetry.evaluate`."""
        if not len(counted.rows):
            raise InputError("no item has been seen; expected at least one batch before the values are computed")
        options = {**self.options, "class_names": self.class_names}
        return run_of_items(counted, options, categories=self.category_maps, **others)

    def values(self, counted: CountedItems) -> dict[str, float]:
        """Return every value of the summary under a flat name; NaN where it is undefined."""
        scalars = self.run(counted).scalars()
        return {name: value for name, value in scalars.items() if self.per_class or not name.startswith("class/")}


def joined(parts: Iterable[CountedItems]) -> CountedItems:
    """Return the items of all parts."""
    rows, names = [np.zeros((0, COLUMNS), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for part in parts:
        rows.append(part.rows)
        names.append(part.names)
    return CountedItems(np.concatenate(rows), np.concatenate(names))


class CountedItems(NamedTuple):
    """Items: rows of :data:`COLUMNS` integers, and the names of items as a list of integers."""

    rows: NDArray[np.int64]
    names: IntArray


def count_items(
    true: Any, pred: Any, item_ids: Sequence[Hashable] | None = None, *, categories: bool = False, stuff: Any = ()
) -> CountedItems:
    """Count a batch of label maps (B, …), or of (category, instance) maps (B, …, 2), where its arrays are."""
    check_item_ids(item_ids, len(pred))
    axes, pairs = batch_pairs(true, pred, categories=categories, stuff=stuff)
    # An item without an id is never equal to another one, in any process: its digest is random. A random number tells
    # two occurrences of one item apart: their rows are compared, not added.
    heads = np.frombuffer(secrets.token_bytes(32 * len(pairs)), dtype=np.int64).reshape(-1, 4).copy()
    names = [np.zeros(0, dtype=np.int64)]
    if item_ids is not None:
        digests = [digest_of(item) for item in item_ids]
        heads[:, :2] = [_as_integers(digest) for digest in digests]
        names += [_written_name(digest, str(item)) for digest, item in zip(digests, item_ids, strict=True)]
    heads[:, 3] = axes
    rows = np.empty((sum(len(item.counts) for item in pairs), COLUMNS), dtype=np.int64)
    rows[:, :4] = np.repeat(heads, [len(item.counts) for item in pairs], axis=0)
    for at, columns in enumerate(zip(*pairs, strict=True), 4):
        np.concatenate(columns, out=rows[:, at])
    return CountedItems(rows, np.concatenate(names))


def run_of_items(counted: CountedItems, options: Mapping[str, Any], *, categories: bool = False, **others: Any) -> Run:
    """Return the run of all items, each counted once; ``options`` are those of :func:`segmetry.evaluate`."""
    items = _each_item_once(counted)
    true, pred = ({name: _labels_of_rows(rows, side) for name, rows in items.items()} for side in (4, 5))
    read = {**({"outside": None} if categories else {}), **(options.get("read") or {})}
    if categories:
        read |= {"labels": "both", "instances_per_class": CATEGORY}
    chosen = {name: value for name, value in options.items() if value is not None}
    return evaluate(true, pred, **{**chosen, **({"read": read} if read else {}), "engine": "serial"}, **others)


def check_follows_from_tables(options: Mapping[str, Any], axes: int = 2) -> tuple[str, ...]:
    """Return the metrics to compute; raise if an option needs more than counted pairs."""
    protocol = as_protocol(options.get("protocol"))
    reading = {**(protocol.reading if protocol else {}), **(options.get("read") or {})}
    wrong = sorted(OF_POSITIONS & {name.removeprefix("true_").removeprefix("pred_") for name in reading})
    if wrong:
        raise OptionError(
            f"{wrong[0]} (how labels are read) depends on positions, and only counts are kept over an epoch; "
            "apply it to the maps before they are counted, or use segmetry.evaluate"
        )
    names, _ = canonical_names(options.get("metrics"))
    requested = (
        None if protocol is None and names is None else [*(protocol.metrics if protocol else ()), *(names or ())]
    )
    chosen = select_metrics(requested, "labels", axes)
    if requested is None:
        return tuple(metric.key for metric in chosen if metric.needs in FROM_TABLE)
    for metric in chosen:
        if metric.needs not in FROM_TABLE:
            by = "" if protocol is None else f" (requested by protocol {protocol.name}, or by metrics=)"
            raise OptionError(
                f"{metric.key}{by} needs the segmentations, and only their overlaps are kept over an epoch; name "
                "metrics of overlaps, such as pq, mean_iou or aji, and compute this one by segmetry.evaluate"
            )
    return tuple(metric.key for metric in chosen)


def digest_of(item: Hashable) -> bytes:
    """Return a 128-bit digest of an item id, the same in every process; 1 and "1" are two items."""
    return blake2b(f"{type(item).__name__}:{item}".encode(), digest_size=16).digest()


def names_of(names: IntArray) -> dict[bytes, str]:
    """Return the names of items by digest."""
    found, at = {}, 0
    while at < len(names):
        length = int(names[at + 2])
        stop = at + 3 + -(-length // 8)
        found[names[at : at + 2].tobytes()] = names[at + 3 : stop].tobytes()[:length].decode()
        at = stop
    return found


def _written_name(digest: bytes, name: str) -> IntArray:
    """Return digest, length and text of a name as integers."""
    text = name.encode()
    return np.array(
        [*_as_integers(digest), len(text), *_as_integers(text.ljust(-(-len(text) // 8) * 8, b"\0"))], dtype=np.int64
    )


def _as_integers(text: bytes) -> list[int]:
    words: list[int] = np.frombuffer(text, dtype=np.int64).tolist() if text else []
    return words


def _each_item_once(counted: CountedItems) -> dict[str, NDArray[np.int64]]:
    """Return the rows of every item by name (nameless ones numbered); no order of processes matters."""
    # Sorted by all columns: the order in which processes saw items must not change a bit of the result.
    rows = counted.rows[np.lexsort(counted.rows.T[::-1])]
    known = names_of(counted.names)
    seen: dict[bytes, NDArray[np.int64]] = {}
    bounds = [0, *(np.flatnonzero((rows[1:, :3] != rows[:-1, :3]).any(axis=1)) + 1).tolist(), len(rows)]
    for start, stop in pairwise(bounds):
        part, digest = rows[start:stop], rows[start, :2].tobytes()
        if digest in seen and not np.array_equal(seen[digest][:, 3:], part[:, 3:]):
            raise InputError(
                f"item {known.get(digest, digest.hex())} has two results that differ; expected one result per item "
                "(are the item_ids unique?)"
            )
        seen.setdefault(digest, part)
    by_name: dict[str, NDArray[np.int64]] = {}
    nameless = []
    for digest, part in seen.items():
        name = known.get(digest)
        if name is None:
            nameless.append(part)
        else:
            by_name[name if name not in by_name else f"{name} ({digest.hex()})"] = part
    nameless.sort(key=lambda part: part[:, 3:].tolist())
    return dict(sorted(by_name.items())) | {f"item {at}": part for at, part in enumerate(nameless, 1)}


def _labels_of_rows(rows: NDArray[np.int64], side: int) -> RunLengthLabels:
    # Any arrangement of the elements with these counts has the same overlap table: runs in the order of the rows.
    stops = np.cumsum(rows[:, 6])
    shape = (*(1,) * (int(rows[0, 3]) - 1), int(stops[-1]))
    return RunLengthLabels(LabelRunLengths(stops, np.ascontiguousarray(rows[:, side])), shape, np.dtype(np.int64))


def batch_pairs(
    true: Any, pred: Any, *, categories: bool = False, stuff: Collection[int] = ()
) -> tuple[int, list[PairCounts]]:
    """Return the number of axes of an item, and the counted label pairs of every item.

    A batch is (B, …), or (B, …, 2) with category and instance; on a GPU all items are counted there with one wait.
    """
    check_batch(true, pred, categories=categories)
    for name, side in (("pred", pred), ("true", true)):
        kind = str(side.dtype).removeprefix("torch.")
        if kind.startswith(("float", "bfloat", "complex")):
            raise LabelTypeError(
                f"{name} has dtype {kind}; expected integer labels: the argmax over the classes of scores, or .long()"
            )
    axes = len(true.shape) - 1 - categories
    if categories:
        return axes, _labels_of_categories(count_categories(true, pred), len(true), stuff)
    if device_of(true) is not None:
        items = count_device_pairs(true.detach(), pred.detach(), items=len(true))
    else:
        items = [count_pairs(*pair) for pair in zip(host_array(true), host_array(pred), strict=True)]
    return axes, [PairCounts(*map(_as_int64, item)) for item in items]


def check_batch(true: Any, pred: Any, *, categories: bool) -> None:
    """Raise if two batches differ in shape or device, or have no elements."""
    expected = "(B, …, 2), with (category, instance) last" if categories else "(B, …)"
    if (
        tuple(true.shape) != tuple(pred.shape)
        or len(true.shape) < 2 + categories
        or (categories and true.shape[-1] != 2)
    ):
        raise ShapeMismatchError(
            f"pred has shape {tuple(pred.shape)} and true {tuple(true.shape)}; expected the same shape {expected}"
        )
    if 0 in tuple(true.shape)[1:]:
        raise EmptyInputError(f"the items have shape {tuple(true.shape)[1:]}; expected at least one element")
    places = [device_of(side) or "this machine" for side in (pred, true)]
    if places[0] != places[1]:
        raise DeviceMismatchError(
            f"pred is on {places[0]} and true on {places[1]}; expected both on one device: "
            "true.to(pred.device) moves the truth"
        )


def check_item_ids(item_ids: Sequence[Hashable] | None, n_items: int) -> None:
    """Raise if the items of a batch have ids, but not one each."""
    if item_ids is not None and len(item_ids) != n_items:
        raise InputError(f"{len(item_ids)} item_ids for a batch of {n_items}; expected one for each")


def count_categories(true: Any, pred: Any) -> CategoryPairs:
    """Count the pairs of (category, instance) of two batches on the device that holds them."""
    first, second = (
        side.detach().long() if hasattr(side, "detach") else np.asarray(side).astype(np.int64) for side in (true, pred)
    )
    if device_of(first) is not None:
        return count_device_categories(first, second)
    return count_category_pairs(host_array(first), host_array(second))


def host_array(side: Any) -> Any:
    """Return an array or tensor as an array in the memory of the host."""
    return np.asarray(side.detach().cpu() if hasattr(side, "detach") else side)


def _as_int64(column: Any) -> Any:
    # Rows are int64, since processes exchange tensors and torch has few operations for uint64.
    if column.dtype == np.uint64 and column.size and int(column.max()) >= 2**63:
        raise LabelTypeError(f"labels contain {int(column.max())}; expected labels below 2**63")
    return column.astype(np.int64, copy=False)


def _labels_of_categories(counted: CategoryPairs, items: int, stuff: Collection[int]) -> list[PairCounts]:
    """Return pairs of labels that contain category and instance; the instances of stuff are one."""
    labels = []
    for category, instance in (counted[1:3], counted[3:5]):
        kept = np.where(np.isin(category, list(stuff)), 0, instance)
        # So that category * 2**32 + instance fits into int64 and // recovers the category.
        wrong = (kept < 0) | (kept >= CATEGORY) | (np.abs(category) >= 2**30)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise LabelTypeError(
                f"instance {int(instance[at])} of category {int(category[at])}; expected instances from 0 to 2**32 - 1 "
                "and categories below 2**30"
            )
        labels.append(category * CATEGORY + kept)
    bounds = np.searchsorted(counted.item, np.arange(items + 1)).tolist()
    return [
        add_up([PairCounts(labels[0][start:stop], labels[1][start:stop], counted.counts[start:stop])])
        for start, stop in pairwise(bounds)
    ]
