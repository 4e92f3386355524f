"""Counting draws against Python's own Mersenne Twister, number by number."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels import backend
from segmetry.kernels.statistics.draws import WORDS, Twister, count_draws


@pytest.fixture(params=["in use", "twin"], autouse=True)
def kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test runs with the kernel in use and with the numpy twin."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "twin":
            patch.setattr(backend, "native", None)
        yield


def outputs_of(twister: Twister) -> random.Random:
    """Python's generator in the same state."""
    found = random.Random()  # noqa: S311 - it is the generator itself that is checked
    found.setstate((3, (*twister.words.tolist(), twister.used), None))
    return found


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.tuples(st.integers(1, 1500), st.integers(1, 19)), min_size=1, max_size=3),
)
def test_every_output_draws_one_item(seed: int, sizes: list[tuple[int, int]]) -> None:
    twister = Twister.seeded(seed)
    outputs = outputs_of(twister)
    for n_items, n_samples in sizes:  # one call goes on where the other ended
        found = count_draws(twister, n_items, n_samples)
        drawn = [Counter(outputs.getrandbits(32) * n_items >> 32 for _ in range(n_items)) for _ in range(n_samples)]
        assert found.T.tolist() == [[counts[item] for item in range(n_items)] for counts in drawn]


def test_outputs_and_draws_may_take_turns() -> None:
    twister, outputs = Twister.seeded(3), outputs_of(Twister.seeded(3))
    for n in (1, WORDS - 1, 5, 2 * WORDS):
        assert twister.outputs((n,)).tolist() == [outputs.getrandbits(32) for _ in range(n)]
        drawn = Counter(outputs.getrandbits(32) * n >> 32 for _ in range(n))
        assert count_draws(twister, n, 1)[:, 0].tolist() == [drawn[item] for item in range(n)]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1)])
def test_nothing_to_draw(shape: tuple[int, int]) -> None:
    found = count_draws(Twister.seeded(1), *shape)
    assert found.shape == shape
    assert found.sum() == shape[0] * shape[1]
    assert found.dtype == np.float64


def test_the_example_of_outputs() -> None:
    assert Twister.seeded(5489).outputs((2,)).tolist() == [3499211612, 581869302]
