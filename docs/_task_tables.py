"""The protocols of each task, for the page that helps to choose: written from the registry, so that none is missing.

A task claims protocols by name, and all that is left of a folder of ``segmetry.protocols``; what nobody claims is under
`OTHER`. A claimed name that is not registered is left out.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

import segmetry.protocols
from segmetry.outputs.tables.explanations import prints
from segmetry.protocols.protocol import PROTOCOLS, Protocol

OTHER = "other"


class Claim(NamedTuple):
    """What belongs to a task: protocols by name, and the rest of some folders."""

    names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


CLAIMS: Mapping[str, Claim] = {
    "semantic": Claim(("semantic", "cityscapes-semantic", "voc", "ade20k", "torchmetrics-miou"), folders=("semantic",)),
    "medicine": Claim(("nnunet", "monai", "metrics-reloaded"), folders=("medicine",)),
    "lesions": Claim(("brats", "brats-men", "brats-met", "panoptica")),
    "instances": Claim(("coco-instances", "lvis", "youtube-vis"), folders=("instances", "detection")),
    "panoptic": Claim(("coco-panoptic",), folders=("panoptic", "images")),
    "cells": Claim(
        ("stardist", "cellpose", "dsb2018", "hover-net", "pannuke", "conic", "neurips-cellseg", "ctc-seg", "cvppp"),
        folders=("cells",),
    ),
    "connectomics": Claim(
        ("cremi", "cremi-background", "snemi3d", "skimage-voi", "fg-ari"), folders=("connectomics", "clustering")
    ),
    "superpixels": Claim(("superpixels",), folders=("superpixels",)),
    "maps": Claim(("spacenet", "mapseg"), folders=("maps",)),
    "text": Claim(("text",), folders=("lines",)),
    "pages": Claim(("page-streams",)),
    "entities": Claim(("ner", "semeval13"), folders=("spans", "labelled")),
    "time": Claim(("change-points", "action"), folders=("time",)),
    "sound": Claim(("diarization", "sound-events", "music"), folders=("sound",)),
    "video": Claim(("davis", "davis-unsupervised", "kitti-step", "vpq", "mots"), folders=("video",)),
    "lidar": Claim(("semantic-kitti", "panoptic-nuscenes"), folders=("lidar", "points")),
}


def protocols_by_task() -> dict[str, list[Protocol]]:
    """Return every protocol of the package under one task."""
    folders = _folders()
    named = {name: task for task, claim in CLAIMS.items() for name in claim.names}
    rest = {folder: task for task, claim in CLAIMS.items() for folder in claim.folders}
    tasks: dict[str, list[Protocol]] = {task: [] for task in (*CLAIMS, OTHER)}
    for name in folders:  # built in: other pages declare examples
        task = named.get(name) or rest.get(folders[name], OTHER)
        tasks[task].append(PROTOCOLS[name])
    for task, claim in CLAIMS.items():
        order = {name: at for at, name in enumerate(claim.names)}
        tasks[task].sort(key=lambda protocol, order=order: order.get(protocol.name, len(order)))  # type: ignore[misc]
    return tasks


def _folders() -> dict[str, str]:
    """Return the folder in which each protocol of the package is declared."""
    folders = {}
    for found in pkgutil.walk_packages(segmetry.protocols.__path__, "segmetry.protocols."):
        *_, folder, _file = ("", *found.name.removeprefix("segmetry.protocols.").split("."))
        for value in vars(import_module(found.name)).values():
            if isinstance(value, Protocol) and folder:
                folders[value.name] = folder
    return folders


def protocol_table(task: str) -> str:
    """Return the protocols of a task as a table: the command, what it prints, and what it equals."""
    protocols = protocols_by_task()[task]
    if not protocols:
        return ""
    rows = [
        f"| [`{protocol.name}`](protocols/{protocol.name}.md) | {protocol.field}: {prints(protocol)} | "
        f"{protocol.reference.package} | `{_command(protocol)}` |"
        for protocol in protocols
    ]
    return "\n".join(["| protocol | for, and prints | equal to | command |", "|---|---|---|---|", *rows, ""])


def _command(protocol: Protocol) -> str:
    """Return the command; files in a format of its own need no name of the protocol."""
    if protocol.formats:
        return "segmetry score truth prediction"
    return f"segmetry score truth prediction --protocol {protocol.name}"
