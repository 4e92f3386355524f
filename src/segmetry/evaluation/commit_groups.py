"""When finished items are committed, one by one, or in groups for a fraction of a second where they come quickly; and
when the counted blocks of unfinished ones are saved.

A commit costs a few hundredths of a millisecond, as much as a small item. Items that took long are committed at once: a
kill loses at most the quick items of the last moment, of which no report has been made.
"""

from __future__ import annotations

import time
from collections.abc import Callable

QUICK = 0.01
"""Seconds between two items that come quickly."""
IN_A_ROW = 64
"""How many of them must have come in a row: results of many workers may arrive together after a long time."""
LONGEST = 0.25
"""Seconds between two commits."""
SAVE_SECONDS = 20.0
"""Seconds between two checkpoints, at least."""
MOST_TIME_SHARE = 0.05
"""The largest share of the time that saving may take: large sums are saved less often."""


class CommitGroups:
    """Decides after each finished item whether to commit now."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = self._committed = clock()
        self._n_quick = 0

    def is_due(self) -> bool:
        """Return whether to commit, after one more item.

        >>> seconds = iter([0.0, *(number / 1000 for number in range(400))])
        >>> groups = CommitGroups(clock=lambda: next(seconds))
        >>> sum(groups.is_due() for _ in range(400))
        64
        """
        now = self._clock()
        self._n_quick = self._n_quick + 1 if now - self._last < QUICK else 0
        self._last = now
        if self._n_quick >= IN_A_ROW and now - self._committed < LONGEST:
            return False
        self._committed = now
        return True


class Checkpoints:
    """When the sums of the counted blocks of unfinished items are saved.

    Counting a volume may take hours, and its table is written when it is finished. After a crash only the blocks since
    the last checkpoint are counted again.
    """

    def __init__(self, save: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._save, self._clock = save, clock
        self._next = clock() + SAVE_SECONDS

    def save_if_due(self) -> None:
        """Save, if it is time to."""
        start = self._clock()
        if start >= self._next:
            self._save()
            now = self._clock()
            self._next = now + max(SAVE_SECONDS, (now - start) / MOST_TIME_SHARE)
