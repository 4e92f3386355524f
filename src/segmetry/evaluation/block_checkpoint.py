"""Blocks counted so far of large items that are not finished, in a file beside the run: ``run.segm-blocks``.

A volume may take hours, and its record is written when it is finished. So the sums of its blocks are kept now and then;
after a kill only what was counted since is counted again. The file belongs to one run by the digest of that run's
settings and inputs, holds numbers only, and is gone when the run is finished.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.kernels.pairs import PairCounts
from segmetry.storage.stored_arrays import Edges

KEEP_SECONDS = 20.0
MOST_SHARE = 0.05
"""Of the time that may be spent on keeping: large sums are kept less often."""


@dataclass(frozen=True, eq=False)
class CountedBlocks:
    """Of one item the borders of its blocks, the numbers of those that are counted, and their sum."""

    edges: Edges
    blocks: frozenset[int]
    counted: PairCounts


class BlockCheckpoint:
    """The file beside a run; without one nothing is kept."""

    def __init__(self, run: Path | None, digest: str) -> None:
        self.path = None if run is None else run.with_name(run.name + "-blocks")
        self._digest = digest
        self._next = time.monotonic() + KEEP_SECONDS

    def load(self) -> dict[int, CountedBlocks]:
        """What is kept, by item; nothing if the file is absent, damaged or of another run: then it is counted again."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            with np.load(self.path, allow_pickle=False) as found:
                facts = json.loads(str(found["facts"]))
                if facts["digest"] != self._digest:
                    return {}
                return {int(item): _item(found, item, edges) for item, edges in facts["items"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
            return {}

    @property
    def is_due(self) -> bool:
        """Whether it is time to keep something."""
        return self.path is not None and time.monotonic() >= self._next

    def save(self, items: Mapping[int, CountedBlocks]) -> None:
        """Keep these, whole or not at all."""
        if self.path is None:
            return
        begun = time.monotonic()
        temporary = self.path.with_name(f".{self.path.name}")
        if not items:
            for one in (self.path, temporary):  # a kill while it was written may have left the second
                one.unlink(missing_ok=True)
            return
        facts = {"digest": self._digest, "items": {item: kept.edges for item, kept in items.items()}}
        columns: dict[str, Any] = {"facts": np.array(json.dumps(facts))}
        for item, kept in items.items():
            columns[f"{item}-blocks"] = np.array(sorted(kept.blocks), dtype=np.int64)
            columns |= {f"{item}-{at}": column for at, column in enumerate(kept.counted)}
        try:
            with temporary.open("wb") as file:
                np.savez(file, **columns)
            temporary.replace(self.path)
        except OSError:
            temporary.unlink(missing_ok=True)  # a help, not a promise: a full disk is met where the run is written
        now = time.monotonic()
        self._next = now + max(KEEP_SECONDS, (now - begun) / MOST_SHARE)


def _item(found: Any, item: str, edges: Any) -> CountedBlocks:
    counted = PairCounts(*(found[f"{item}-{at}"] for at in range(3)))
    if len({column.shape for column in counted}) != 1 or any(column.dtype.kind not in "iu" for column in counted):
        raise ValueError(item)
    borders = tuple(tuple(int(cut) for cut in cuts) for cuts in edges)
    return CountedBlocks(borders, frozenset(found[f"{item}-blocks"].tolist()), counted)
