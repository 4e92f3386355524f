"""How many examples the tests generate: hypothesis profiles, and numbers that are multiples of the profile's base.

A test without a number of its own generates the base; one that needs more or can afford fewer says so with
``@examples(10)`` or ``@examples(1 / 4)``, and a loop of its own takes ``count(25)`` steps. No test names an absolute
number (tests/test_house.py checks it), so every test follows the profile.
"""

from __future__ import annotations

import math
import os

from hypothesis import HealthCheck, settings

BASES = {"dev": 5, "light": 8, "moderate": 50, "thorough": 200, "thousand": 1000}
DEFAULT = "light"
LEAST = 5


def register() -> None:
    """Define the profiles and load the one HYPOTHESIS_PROFILE names, ``light`` by default."""
    # No test may depend on the speed of the machine, so neither deadlines nor the health check that measures time.
    settings.register_profile("base", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
    for name, base in BASES.items():
        settings.register_profile(name, settings.get_profile("base"), max_examples=base)
    # `make test` judges a change, so it generates the same examples each time: a failure is due to the change, and
    # passing does not depend on luck. The other profiles explore: they draw new examples in each run and keep those
    # that failed in .hypothesis, to be tried first the next time.
    settings.register_profile("light", settings.get_profile("light"), derandomize=True, database=None)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", DEFAULT))


def count(multiple: float) -> int:
    """Return the profile's base times ``multiple``, rounded up, and at least LEAST; a thousand is never multiplied."""
    base = settings.default.max_examples
    most = 1 if base >= BASES["thousand"] else math.inf
    return max(LEAST, math.ceil(base * min(multiple, most)))


def examples(multiple: float) -> settings:
    """Return a decorator: generate ``multiple`` times as many examples as the profile's base."""
    return settings(max_examples=count(multiple))
