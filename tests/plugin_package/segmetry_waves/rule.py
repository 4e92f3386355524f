"""A rule: two waves belong together if they share most of both."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from segmetry.plugins import Candidates, Selection, declare_rule


@dataclass(frozen=True)
class _SameWave:
    share: Fraction

    @property
    def name(self) -> str:
        return f"same_wave(share={self.share})"

    @property
    def guarantees_one_to_one(self) -> bool:
        return self.share > Fraction(1, 2)

    def select(self, candidates: Candidates) -> Selection:
        top, bottom = self.share.numerator, self.share.denominator
        sizes = candidates.shared + np.maximum(candidates.missed, candidates.spurious)
        return Selection(np.flatnonzero(bottom * candidates.shared >= top * sizes))


@declare_rule
def same_wave(share: str | Fraction = "3/4") -> _SameWave:
    """Match segments that share at least ``share`` of both."""
    return _SameWave(Fraction(share))
