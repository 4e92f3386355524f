"""Two thousand damaged and hostile files of all formats, run files among them: each is read or one clear error."""

from __future__ import annotations

import random
import sys

import pytest

from tests.hardening.built_files import BUILT
from tests.hardening.campaign import campaign, samples

FILES, SEED = 2000, 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts memory in /proc, and starts processes by fork")
def test_two_thousand_files_are_read_or_are_one_error() -> None:
    pytest.importorskip("h5py"), pytest.importorskip("zarr"), pytest.importorskip("tifffile")
    results = dict(campaign([], FILES, SEED, None))
    assert [failure for result in results.values() for failure in result.failures] == []
    assert sum(result.read + result.refused for result in results.values()) == FILES
    assert results.keys() == samples().keys()
    # Damage that nothing survives, or that nothing notices, would try nothing.
    assert sum(result.read for result in results.values()) > FILES / 10
    assert sum(result.refused for result in results.values()) > FILES / 2


@pytest.mark.parametrize("name", ["tiff, built", "hdf5, built"])
def test_files_are_made_again_from_their_number(name: str) -> None:
    pytest.importorskip("h5py")
    make = BUILT[name][0]
    first, again, other = (make(random.Random(seed)) for seed in (1, 1, 2))  # noqa: S311
    assert first == again != other
