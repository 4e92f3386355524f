"""A part of a run that is evaluated separately.

It is every n-th item, so that costly neighbours are spread evenly. Where there are fewer items than parts, it is a slab
of every large volume: consecutive blocks, which lie side by side along the first axis.
"""

from __future__ import annotations

import re

from segmetry._base import frozen_dataclass
from segmetry.errors import OptionError


@frozen_dataclass()
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

    def divides_volumes(self, n_items: int) -> bool:
        """Return whether the parts of a data set of so many items are slabs of its volumes.

        >>> Shard(2, 4).divides_volumes(1), Shard(2, 4).divides_volumes(4)
        (True, False)
        """
        return n_items < self.count

    def slab(self, n_blocks: int) -> range:
        """Return the blocks of a volume that belong to this part.

        >>> [Shard(number, 3).slab(8) for number in (1, 2, 3)]
        [range(0, 2), range(2, 5), range(5, 8)]
        """
        return range(n_blocks * (self.number - 1) // self.count, n_blocks * self.number // self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
