"""Every protocol tried on a scene: the command and what it prints, for its page, the gallery and the questions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from _scenes import Scene, classes, detections, entities, line, nuclei, partition, shape, song, speech, video
from _task_tables import protocols_by_task
from click.testing import CliRunner

import _samples

HERE = Path(__file__).resolve().parent
SCENES = HERE / "_extra" / "scenes"
"""The files of the scenes, which the site carries along."""
BY_TASK: Mapping[str, Callable[[], Scene]] = {
    "semantic": classes,
    "medicine": classes,
    "lesions": shape,
    "instances": detections,
    "panoptic": nuclei,
    "cells": nuclei,
    "connectomics": partition,
    "superpixels": partition,
    "maps": nuclei,
    "text": line,
    "pages": line,
    "entities": entities,
    "time": song,
    "sound": speech,
    "video": video,
    "lidar": video,
}
BY_NAME: Mapping[str, Callable[[], Scene]] = {
    "music": song,
    "music-hierarchy": song,
    "panoptica": nuclei,
    "fg-ari": nuclei,
    "action": song,
    "change-points": line,
    "youtube-vis": detections,
}
FOLDERS: Mapping[str, Callable[[Path], None]] = {
    "cityscapes-semantic": _samples.streets,
    "davis": _samples.davis_videos,
    "davis-unsupervised": _samples.davis_videos,
    "mots": _samples.mots_videos,
    "kitti-step": _samples.step_videos,
    "vpq": _samples.step_videos,
    "semantic-kitti": _samples.lidar_scans,
    "panoptic-nuscenes": _samples.nuscenes_scans,
}
"""Protocols that read folders of their own."""


class Try(NamedTuple):
    """A command, what it prints, and a picture of its scene."""

    command: str
    output: str
    picture: str


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run_segmetry(*arguments: str, folder: Path = SCENES) -> str | None:
    """Return what a command prints on a terminal of 80 columns; None where it fails."""
    from segmetry.cli.main import cli

    with inside(folder):
        result = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(cli, list(arguments))
    return result.stdout.rstrip() if result.exit_code == 0 else None


@cache
def task_of(protocol: str) -> str:
    """Return the task under which the pages list a protocol."""
    return next(task for task, members in protocols_by_task().items() if any(one.name == protocol for one in members))


@cache
def tried(protocol: str) -> Try:
    """Return a protocol tried on its scene; an error if its command fails."""
    if protocol in FOLDERS:
        folder = FOLDERS[protocol].__name__.partition("_")[0]
        if not (SCENES / folder).exists():
            FOLDERS[protocol](SCENES / folder)
        sides, picture = (f"{folder}/truth", f"{folder}/prediction"), video().picture("identities exchanged")
        if folder == "streets":
            sides, picture = (f"{folder}/gtFine", f"{folder}/results"), classes().picture("edges two pixels off")
    else:
        scene = BY_NAME.get(protocol, BY_TASK.get(task_of(protocol), nuclei))()
        caption = next(iter(scene.preds))
        sides, picture = (scene.file(), scene.file(caption)), scene.picture(caption)
    arguments = ("score", *sides, "--protocol", protocol)
    output = run_segmetry(*arguments)
    if output is None:
        raise RuntimeError(f"segmetry {' '.join(arguments)} failed")
    return Try(f"segmetry {' '.join(arguments)}", output, picture)
