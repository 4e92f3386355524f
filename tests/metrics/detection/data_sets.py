"""Data sets of masks with scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import segmetry as sm


def over(images: list[tuple[sm.Masks, sm.Masks]], out: Path | None = None, **options: Any) -> sm.Score:
    """The average precision of a data set."""
    true, pred = ({f"{at:03}": image[side] for at, image in enumerate(images)} for side in (0, 1))
    run = sm.evaluate(true, pred, metrics="average_precision", options={"average_precision": options}, out=out)
    score = run.summary()["average_precision"].over_data_set
    assert score is not None
    return score
