"""The items of an epoch as counted label pairs, from which a run follows: what the metrics of training frameworks keep.

Every metric of an overlap table follows from how often each pair of labels occurs in an item. So an adapter counts a
batch when it sees it, keeps one row of integers per item and label pair, and forgets the batch. The evaluation takes
two label arrays with the same counts, stored as run lengths, in place of the original ones: all reading options,
protocols and metrics of :func:`segmetry.evaluate` apply to them, except for those that look at positions.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.adapters.batch_pairs import CATEGORY, batch_pairs
from segmetry.errors import InputError, OptionError
from segmetry.evaluation.evaluate import evaluate
from segmetry.kernels.label_run_lengths import LabelRunLengths
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_inputs import FROM_TABLE
from segmetry.metrics.metric_names import canonical_names
from segmetry.metrics.select_metrics import select_metrics
from segmetry.protocols.protocol import as_protocol
from segmetry.run.run import Run
from segmetry.segmentation.run_length_labels import RunLengthLabels

COLUMNS = 7
"""Digest of the item (two integers), which time it was seen, number of axes, true label, pred label, elements."""
OF_POSITIONS = frozenset({"components", "border", "section_border", "spacing"})
"""Reading options that look at positions."""


class CountedItems(NamedTuple):
    """Some items: rows of :data:`COLUMNS` integers, and the names of items as a list of integers."""

    rows: NDArray[np.int64]
    names: IntArray


def count_items(
    true: Any, pred: Any, item_ids: Sequence[Hashable] | None = None, *, categories: bool = False, stuff: Any = ()
) -> CountedItems:
    """Count a batch of label maps (B, …), or of (category, instance) maps (B, …, 2), where its arrays are.

    >>> counted = count_items(np.array([[7, 7, 8]]), np.array([[1, 0, 0]]), ["a"])
    >>> counted.rows[:, 3:].tolist(), names_of(counted.names)[counted.rows[0, :2].tobytes()]
    ([[1, 7, 0, 1], [1, 7, 1, 1], [1, 8, 0, 1]], 'a')
    """
    if item_ids is not None and len(item_ids) != len(pred):
        raise InputError(f"{len(item_ids)} item_ids for a batch of {len(pred)}; expected one for each")
    axes, pairs = batch_pairs(true, pred, categories=categories, stuff=stuff)
    digests = [secrets.token_bytes(16) if item_ids is None else digest_of(item_ids[at]) for at in range(len(pairs))]
    rows = [
        np.column_stack(
            (*(np.full(len(item.counts), value) for value in (*_words(digest), secrets.randbits(62), axes)), *item)
        )
        for digest, item in zip(digests, pairs, strict=True)
    ]
    names = (
        []
        if item_ids is None
        else [_written(digest, str(name)) for digest, name in zip(digests, item_ids, strict=True)]
    )
    return CountedItems(
        np.concatenate(rows) if rows else np.zeros((0, COLUMNS), dtype=np.int64),
        np.concatenate(names) if names else np.zeros(0, dtype=np.int64),
    )


def run_of_items(counted: CountedItems, options: Mapping[str, Any], *, categories: bool = False, **others: Any) -> Run:
    """Return the run of all items, each counted once; ``options`` are those of :func:`segmetry.evaluate`."""
    items = _each_item_once(counted)
    true, pred = ({name: _labels(rows, side) for name, rows in items.items()} for side in (4, 5))
    read = {**({"outside": None} if categories else {}), **(options.get("read") or {})}
    if categories:
        read |= {"labels": "both", "instances_per_class": CATEGORY}
    chosen = {name: value for name, value in options.items() if value is not None}
    return evaluate(true, pred, **{**chosen, **({"read": read} if read else {}), "engine": "serial"}, **others)


def check_follows_from_tables(options: Mapping[str, Any], axes: int = 2) -> tuple[str, ...]:
    """Refuse metrics, protocols and reading options that need more than counted pairs; return the metrics to compute.

    >>> check_follows_from_tables({"metrics": "pq,dice"})
    ('pq', 'dice')
    """
    protocol = as_protocol(options.get("protocol"))
    reading = {**(protocol.reading if protocol else {}), **(options.get("read") or {})}
    wrong = sorted(OF_POSITIONS & {name.removeprefix("true_").removeprefix("pred_") for name in reading})
    if wrong:
        raise OptionError(
            f"{wrong[0]} (how labels are read) looks at positions, and only counts are kept over an epoch; "
            "apply it to the maps before they are counted, or use segmetry.evaluate"
        )
    names, _ = canonical_names(options.get("metrics"))
    asked = None if protocol is None and names is None else [*(protocol.metrics if protocol else ()), *(names or ())]
    chosen = select_metrics(asked, "labels", axes)
    if asked is None:
        return tuple(metric.key for metric in chosen if metric.needs in FROM_TABLE)
    _check_metrics(chosen, None if protocol is None else protocol.name)
    return tuple(metric.key for metric in chosen)


def _check_metrics(metrics: Iterable[Metric], protocol: str | None) -> None:
    for metric in metrics:
        if metric.needs not in FROM_TABLE:
            by = "" if protocol is None else f" (asked for by protocol {protocol}, or by metrics=)"
            raise OptionError(
                f"{metric.key}{by} needs the segmentations, and only their overlaps are kept over an epoch; name "
                "metrics of overlaps, such as pq, mean_iou or aji, and compute this one by segmetry.evaluate"
            )


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


def _written(digest: bytes, name: str) -> IntArray:
    """Return digest, length and text of a name as integers."""
    text = name.encode()
    return np.array([*_words(digest), len(text), *_words(text.ljust(-(-len(text) // 8) * 8, b"\0"))], dtype=np.int64)


def _words(text: bytes) -> list[int]:
    words: list[int] = np.frombuffer(text, dtype=np.int64).tolist() if text else []
    return words


def _each_item_once(counted: CountedItems) -> dict[str, NDArray[np.int64]]:
    """Return the rows of every item by name, in an order that does not depend on who saw it when.

    Items without a name are numbered in the order of their rows.
    """
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


def _labels(rows: NDArray[np.int64], side: int) -> RunLengthLabels:
    stops = np.cumsum(rows[:, 6])
    shape = (*(1,) * (int(rows[0, 3]) - 1), int(stops[-1]))
    return RunLengthLabels(LabelRunLengths(stops, np.ascontiguousarray(rows[:, side])), shape, np.dtype(np.int64))
