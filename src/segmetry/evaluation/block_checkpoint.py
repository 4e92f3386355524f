"""A checkpoint of large items that are not finished, in a file beside the run: ``run.segm-blocks``.

Counting a volume may take hours, and its record is written when it is finished. So the sums of its counted blocks are
saved from time to time; after a crash only the blocks since then are counted again. The file is bound to its run by the
digest of the run's settings and inputs, contains numbers only, and is deleted when the run is finished.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.kernels.pairs import PairCounts
from segmetry.runfile.counted_blocks import CountedBlocks

SAVE_SECONDS = 20.0
MAX_TIME_SHARE = 0.05
"""The largest share of the time that saving may take: large sums are saved less often."""


class BlockCheckpoint:
    """The file beside a run; for a run in memory nothing is saved."""

    def __init__(self, run: Path | None, digest: str, digest_before: str | None = None) -> None:
        """``digest_before`` is that of the run with its inputs as they were when it was begun, if they have changed."""
        self.path = None if run is None else run.with_name(run.name + "-blocks")
        self._digest, self._accepted = digest, (digest, digest_before)
        self._next = time.monotonic() + SAVE_SECONDS

    def load(self) -> dict[int, CountedBlocks]:
        """Return the saved blocks by item; none if the file is absent, corrupt or belongs to another run."""
        if self.path is None or not self.path.exists():
            return {}
        import zipfile

        try:
            with np.load(self.path, allow_pickle=False) as archive:
                facts = json.loads(str(archive["facts"]))
                if facts["digest"] not in self._accepted:
                    return {}
                return {int(item): _counted_blocks(archive, item, edges) for item, edges in facts["items"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
            return {}

    @property
    def is_due(self) -> bool:
        """Whether it is time to save."""
        return self.path is not None and time.monotonic() >= self._next

    def save(self, items: Mapping[int, CountedBlocks]) -> None:
        """Replace the file by these blocks in one step; without any, delete it."""
        if self.path is None:
            return
        start = time.monotonic()
        temporary = self.path.with_name(f".{self.path.name}")
        if not items:
            for path in (self.path, temporary):  # the second is left by a process that was killed while it wrote
                path.unlink(missing_ok=True)
            return
        facts = {"digest": self._digest, "items": {item: counted.edges for item, counted in items.items()}}
        columns: dict[str, Any] = {"facts": np.array(json.dumps(facts))}
        for item, counted in items.items():
            columns[f"{item}-blocks"] = np.array(sorted(counted.blocks), dtype=np.int64)
            columns |= {f"{item}-{index}": column for index, column in enumerate(counted.counts)}
        try:
            with temporary.open("wb") as file:
                np.savez(file, **columns)
            temporary.replace(self.path)
        except OSError:
            temporary.unlink(missing_ok=True)  # the checkpoint is optional; the run file reports a full disk
        now = time.monotonic()
        self._next = now + max(SAVE_SECONDS, (now - start) / MAX_TIME_SHARE)


def _counted_blocks(archive: Any, item: str, edges: Any) -> CountedBlocks:
    counts = PairCounts(*(archive[f"{item}-{index}"] for index in range(3)))
    if len({column.shape for column in counts}) != 1 or any(column.dtype.kind not in "iu" for column in counts):
        raise ValueError(item)
    borders = tuple(tuple(int(cut) for cut in cuts) for cuts in edges)
    return CountedBlocks(borders, frozenset(archive[f"{item}-blocks"].tolist()), counts)
