"""When files are decoded in a child process, and how much time and memory it may take."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import OptionError

SECONDS = 60.0
"""The time that a child process may take for one file or one part of an array, and for each ``BYTES_PER_SECOND``."""
BYTES_PER_SECOND = 2**20
SHARE_OF_MEMORY = 3 / 4
LEAST_MEMORY = 2**30  # also where the system does not say how much memory there is


@frozen_dataclass()
class Isolation:
    """Whether files are decoded in a child process, and the limits of that process.

    ``wanted`` is None where the format decides: those whose decoder was seen to crash on damaged files are isolated.
    ``memory`` is the number of bytes a child may allocate; by default three quarters of the machine's memory.

    >>> Isolation.of(True).wanted, Isolation.of({"seconds": 5}).seconds, Isolation.of(None).wanted
    (True, 5.0, None)
    """

    wanted: bool | None = None
    seconds: float = SECONDS
    memory: int | None = None

    @classmethod
    def of(cls, stated: Isolation | Mapping[str, Any] | bool | None) -> Isolation:  # noqa: FBT001 - as users state it
        """Return the isolation that a user states: True, False, None, or limits by name, which imply True."""
        if isinstance(stated, Isolation):
            return stated
        if stated is None or isinstance(stated, bool):
            return cls(stated)
        limits: Any = stated
        if not isinstance(limits, Mapping) or not limits.keys() <= {"seconds", "memory"}:
            raise OptionError(
                f"isolate is {stated!r}; expected True, False, or limits such as {{'seconds': 60, 'memory': 2**32}}"
            )
        seconds, memory = stated.get("seconds", SECONDS), stated.get("memory")
        for name, limit in (("seconds", seconds), ("memory", memory)):
            is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not (is_number and 0 < limit < float("inf")):
                raise OptionError(f"isolate has {name} {limit!r}; expected a positive number")
        return cls(wanted=True, seconds=float(seconds), memory=None if memory is None else int(memory))

    def seconds_for(self, n_bytes: int) -> float:
        """Return the time limit of a file or part of an array: it grows linearly with the number of bytes.

        >>> Isolation(seconds=10).seconds_for(2**22)
        14.0
        """
        return self.seconds + n_bytes / BYTES_PER_SECOND

    @property
    def memory_limit(self) -> int:
        """The number of bytes a child process may allocate beyond what it needs itself."""
        if self.memory is not None:
            return self.memory
        try:
            installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            return LEAST_MEMORY
        return max(LEAST_MEMORY, int(SHARE_OF_MEMORY * installed))
