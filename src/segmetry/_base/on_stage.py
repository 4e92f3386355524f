"""The stages of making a report, for those who want to show them."""

from __future__ import annotations

from typing import Protocol


class OnStage(Protocol):
    """Called at the beginning of every stage, and for each of many pictures."""

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None: ...


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """Show nothing."""
