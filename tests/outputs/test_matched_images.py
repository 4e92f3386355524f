"""Pictures of matched segments."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import KindError
from segmetry.outputs.plots.look_picture import MATCHED, UNMATCHED, matched_images


def test_matched_segments_share_a_colour() -> None:
    true = sm.LabelArray([[1, 1, 2, 0]] * 2)
    pred = sm.LabelArray([[8, 8, 0, 9]] * 2)
    first, second = matched_images(sm.align(sm.overlap(true, pred)), true, pred)
    pictures = [np.asarray(Image.open(BytesIO(picture))) for picture in (first, second)]
    colours = [["#{:02x}{:02x}{:02x}".format(*picture[0, x]) for x in (0, 250, 479)] for picture in pictures]
    assert colours == [[MATCHED[0], UNMATCHED, "#ffffff"], [MATCHED[0], "#ffffff", UNMATCHED]]


def test_volumes_are_rejected() -> None:
    volume = sm.LabelArray(np.ones((2, 2, 2), dtype=int))
    with pytest.raises(KindError, match="true has 3 axes"):
        matched_images(sm.align(sm.overlap(volume, volume)), volume, volume)
