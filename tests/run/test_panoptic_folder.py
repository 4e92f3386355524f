"""A data set whose images lie beside its JSON: read by any engine, and a changed image is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import InputError


def test_all_engines_and_a_changed_image(coco_panoptic: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(coco_panoptic, data)
    paths = data / "truth.json", data / "pred.json"
    digests = set()
    for engine in ("serial", "threads", "processes"):
        with sm.evaluate(*paths, metrics="panoptic", engine=engine, out=tmp_path / f"{engine}.segm") as run:
            digests.add(run.content_digest())
            assert (run.settings.policy, run.settings.rule) == ("coco", "theta_plus")
    assert len(digests) == 1
    image = sorted((data / "pred").glob("*.png"))[3]
    shutil.copy(sorted((data / "pred").glob("*.png"))[4], image)
    with pytest.raises(InputError, match=f"the input pred/{image.name} of pred has changed since the run started"):
        sm.evaluate(*paths, metrics="panoptic", out=tmp_path / "serial.segm", resume=True)
