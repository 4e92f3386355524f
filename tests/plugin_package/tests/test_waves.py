"""The contracts that segmetry offers to authors, inherited."""

from __future__ import annotations

from segmetry_waves.metric import wave_recall
from segmetry_waves.protocol import PROTOCOL
from segmetry_waves.reader import WAVES

from segmetry.testing.contract_classes import MetricContract, ProtocolContract, ReaderContract, RuleContract


class TestWaveRecall(MetricContract):
    metric = wave_recall


class TestSameWave(RuleContract):
    rule = "same_wave(share=3/4)"


class TestWaves(ReaderContract):
    reader = WAVES
    example = b"WAVES 3 2 4\n"
    suffix = ".waves"


class TestProtocol(ProtocolContract):
    protocol = PROTOCOL
