"""What the tests of readers share with those of the command line."""

from __future__ import annotations

from tests.cli.conftest import segmetry

__all__ = ["segmetry"]
