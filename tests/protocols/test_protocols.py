"""Protocols are declarations: each is complete, names formats that exist, and belongs to a format alone."""

from __future__ import annotations

from collections import Counter

import pytest

from segmetry._base.bibliography import references
from segmetry.alignments.policy import POLICIES
from segmetry.protocols.protocol import PROTOCOLS, Protocol, default_policy, protocol_of_format
from segmetry.readers.reader import READERS


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_a_protocol_is_complete(protocol: Protocol) -> None:
    assert protocol.field and protocol.reference and protocol.summary.endswith(".")
    assert protocol.policy in POLICIES
    assert protocol.citation and set(protocol.citation) <= set(references())
    assert set(protocol.formats) <= set(READERS)


def test_a_format_has_one_protocol() -> None:
    owners = Counter(name for protocol in PROTOCOLS.values() for name in protocol.formats)
    assert not [name for name, count in owners.items() if count > 1]


def test_the_policy_of_a_format_is_that_of_its_protocol() -> None:
    assert {name: default_policy(name) for name in READERS if protocol_of_format(name)} == {
        "cityscapes": "coco",
        "coco-panoptic": "coco",
    }
    assert default_policy("png") == "none"
