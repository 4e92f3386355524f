"""clDice worked by hand on lines one pixel wide, which are their own skeletons."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import MissingExtraError


def test_lines_are_their_own_skeletons() -> None:
    pytest.importorskip("skimage", reason="skeletons need the extra skeleton")
    true, pred = np.zeros((9, 12), dtype=int), np.zeros((9, 12), dtype=int)
    true[4, 1:11] = 1
    pred[4, 3:11], pred[0, 0:4] = 1, 1
    assert sm.cldice_precision(true, pred).value == 8 / 12
    assert sm.cldice_sensitivity(true, pred).value == 8 / 10
    assert sm.cldice(true, pred).value == pytest.approx(2 * 8 / (12 + 10))


def test_without_scikit_image_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage.morphology", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'segmetry\[skeleton\]'"):
        sm.cldice([[1, 1]], [[1, 1]])
