"""A part of a run that is evaluated separately: every n-th item, so that costly neighbours are spread evenly."""

from __future__ import annotations

import re
from dataclasses import dataclass

from segmetry.errors import OptionError


@dataclass(frozen=True)
class Shard:
    """Part ``number`` of ``count``, counted from 1."""

    number: int
    count: int

    @classmethod
    def of(cls, text: str) -> Shard:
        """Return the part ``NUMBER/COUNT``.

        >>> Shard.of("3/16")
        Shard(number=3, count=16)
        """
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", str(text))
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise OptionError(f"shard is {text!r}; expected NUMBER/COUNT with NUMBER from 1 to COUNT, such as 3/16")
        return cls(int(match[1]), int(match[2]))

    def takes(self, item: int) -> bool:
        """Return whether an item, counted from 1, belongs to this part.

        >>> [item for item in range(1, 10) if Shard(2, 4).takes(item)]
        [2, 6]
        """
        return (item - self.number) % self.count == 0

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
