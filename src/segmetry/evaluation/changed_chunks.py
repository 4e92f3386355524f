"""Inputs that have changed since a run was started: the counted blocks that were not read from them stay counted.

A damaged chunk ends an evaluation with an error; after it has been restored, only the blocks that contain it, and those
that were not counted, are counted again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from segmetry.evaluation.inputs import EvaluationInputs, ItemTask
from segmetry.overlaps import BlockPlan
from segmetry.runfile import CountedBlocks
from segmetry.segmentation import LabelArray
from segmetry.storage import Region

Changed = Collection[tuple[str, str]]
"""Changed inputs by side and name."""


def are_chunks_of(inputs: EvaluationInputs, changed: Changed, items: Iterable[int]) -> bool:
    """Return whether every changed input is a chunk of one of these items, which are counted from 1."""
    remaining = _paths(inputs, changed)
    for item in items:
        if not remaining:
            break
        if item > len(inputs.tasks):  # an item is gone
            return False
        remaining -= _chunks(inputs.tasks[item - 1], None)
    return not remaining


def unaffected(
    inputs: EvaluationInputs, changed: Changed, counted: Mapping[int, CountedBlocks]
) -> dict[int, CountedBlocks]:
    """Return the counted blocks of the items none of whose counted blocks contains a changed chunk.

    Anything else that has changed, such as the metadata of an array, affects all.
    """
    if not changed:
        return dict(counted)
    if not are_chunks_of(inputs, changed, counted):
        return {}
    paths = _paths(inputs, changed)
    kept = {}
    for item, blocks in counted.items():
        plan = BlockPlan(blocks.edges, (0, 0))
        boxes = [plan.box(number) for number in blocks.blocks]
        if not paths & _chunks(inputs.tasks[item - 1], boxes):
            kept[item] = blocks
    return kept


def _paths(inputs: EvaluationInputs, changed: Changed) -> set[Path]:
    """Return the paths of changed inputs; names are relative to the folder the input of a side is in."""
    return {(Path(inputs.facts.get(side, "")).parent / name).absolute() for side, name in changed}


def _chunks(task: ItemTask, boxes: Iterable[Region] | None) -> set[Path]:
    """Return the files of the chunks of an item that some boxes, or None for the entire item, are read from."""
    files: set[Path] = set()
    for side in task.load():
        if not isinstance(side, LabelArray) or side.stored is None:
            continue
        for box in [tuple(slice(0, length) for length in side.stored.shape)] if boxes is None else boxes:
            files.update(path.absolute() for path in side.stored.files(box) or ())
    return files
