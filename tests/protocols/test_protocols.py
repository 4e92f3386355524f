"""Protocols are declarations: each is complete, names formats that exist, and belongs to a format alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from segmetry.errors import SegmetryError
from segmetry.evaluation.inputs import find_inputs
from segmetry.protocols.protocol import PROTOCOLS, EachClass, Grid, Heading, Protocol, default_policy
from segmetry.readers.reader import READERS
from segmetry.testing.contract_classes import ProtocolContract

CHECKS = [name for name in vars(ProtocolContract) if name.startswith("test_")]


def failure(protocol: Protocol, check: str) -> str | None:
    """What a check of the contract says about a protocol; None where it keeps it."""
    contract = type("Contract", (ProtocolContract,), {"protocol": protocol})()
    try:
        getattr(contract, check)()
    except (AssertionError, SegmetryError) as problem:
        return str(problem)
    return None


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_a_protocol_keeps_the_contract(name: str, check: str) -> None:
    assert failure(PROTOCOLS[name], check) is None


COCO = PROTOCOLS["coco-panoptic"]
ROWS = COCO.cells.rows


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "another"}, "there is no protocol"),
        ({"decisions": ()}, "states no decision"),
        ({"summary": "PQ"}, "is not a sentence"),
        ({"header": ""}, "no header"),
        ({"citation": ("nobody2020nothing",)}, "no entry"),
        ({"metrics": ("pq", "sq", "rq", "xq")}, "metrics that do not exist"),
        ({"metrics": ("pq", "sq")}, "shows metrics that it does not compute"),
        ({"headline": "F1"}, "has no cell"),
        ({"policy": "lenient"}, "there is no policy"),
        ({"rule": "theta_minus"}, "there is no rule"),
        ({"formats": ("coco-panoptik",)}, "formats that do not exist"),
        ({"reading": {"viod": 3}}, "there is no reading option"),
        ({"options": {"pk": {"k": 2}}}, "which it does not compute"),
        ({"options": {"pq": {"k": 2}}}, "options that pq does not have"),
        ({"neighbours": ("mine",)}, "which does not exist"),
        ({"cells": Grid(ROWS, (Heading("PQ", key="pq"),))}, "names no average"),
        ({"cells": Grid(ROWS, (Heading("PQ", average="by_class"),))}, "names no metric"),
        ({"cells": Grid(ROWS, (EachClass(),))}, "names no metric"),
        (
            {"cells": Grid(ROWS, (Heading("PQ", "class", "car", "pq", "by_class"),))},
            "belongs to two rows of a summary",
        ),
        ({"cells": Grid((Heading("All", level="group"),), COCO.cells.columns)}, "has a name"),
    ],
)
def test_a_protocol_that_breaks_the_contract_is_noticed(changes: dict[str, Any], words: str) -> None:
    failures = [failure(replace(COCO, **changes), check) for check in CHECKS]
    assert any(words in message for message in failures if message), failures


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
