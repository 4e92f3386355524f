"""The inputs the fuzzer starts from, and all on which it ever found something, are read or refused."""

from __future__ import annotations

import pytest

from tests.hardening.fuzz_targets import TARGETS, found, seeds


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_are_accepted(target: str) -> None:
    inputs = list(seeds(target))
    assert inputs
    for data in inputs:
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_what_was_found_stays_fixed(target: str) -> None:
    for path in found(target):
        TARGETS[target](path.read_bytes())
