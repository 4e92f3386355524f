"""What ``segmetry score`` prints of every protocol fits a terminal of 80 columns and 20 lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.protocols.protocol import PROTOCOLS
from tests.cli.protocol_inputs import INPUTS
from tests.cli.running import Runner


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_the_answer_is_short(name: str, segmetry: Runner, tmp_path: Path) -> None:
    result = segmetry("score", *INPUTS[name](tmp_path), "--protocol", name, "--engine", "serial")
    assert result.code == 0, result.err
    assert len(result.lines) <= 20 and max(map(len, result.lines)) <= 80, result.out
    assert any(f"· {name}: " in line for line in result.lines[:2])  # below the sentence of the report
    assert "…" not in result.out and "the score has no" not in result.out
    assert result.lines[-1].startswith("Next: ")
