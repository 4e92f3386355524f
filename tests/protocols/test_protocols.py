"""Protocols are declarations: each is complete, names formats that exist, and belongs to a format alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from segmetry._base.bibliography import references
from segmetry.alignments.policy import POLICIES
from segmetry.evaluation.inputs import find_inputs
from segmetry.protocols.protocol import PROTOCOLS, Protocol, default_policy
from segmetry.readers.reader import READERS


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=lambda protocol: protocol.name)
def test_a_protocol_is_complete(protocol: Protocol) -> None:
    assert protocol.field and protocol.header and protocol.summary.endswith(".")
    assert protocol.policy in POLICIES
    assert protocol.citation and set(protocol.citation) <= set(references())
    assert set(protocol.formats) <= set(READERS)


def test_a_format_has_one_protocol() -> None:
    owners = Counter(name for protocol in PROTOCOLS.values() for name in protocol.formats)
    assert not [name for name, count in owners.items() if count > 1]


def test_the_policy_of_a_format_is_that_of_its_protocol() -> None:
    policies = {name: default_policy(name) for name in READERS}
    assert {name: policy for name, policy in policies.items() if policy is not None} == {
        "cityscapes": "coco",
        "coco-panoptic": "coco",
    }


def test_inputs_have_the_policy_of_the_format_of_the_truth(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.array([[1, 1, 2]]))
    assert find_inputs(tmp_path / "labels.npy", tmp_path / "labels.npy").policy == "none"
    gt = tmp_path / "gtFine"
    gt.mkdir()
    Image.fromarray(np.array([[7, 7, 26001]], dtype=np.uint16)).save(gt / "a_gtFine_instanceIds.png")
    assert find_inputs(gt, gt, formats="cityscapes").policy == "coco"
