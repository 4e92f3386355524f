"""The photographs of a page as plain data: one block for each, which all runs of the page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from segmetry.errors import OptionError
from segmetry.report.page_records import PhotographData, PictureHeader
from segmetry.report.pictures.photographs import Photographs, Size, photographs_of
from segmetry.run.run import Run

Headers = Mapping[int, PictureHeader]
"""The headers of the pictures of a run, by the index of their item."""


def photograph_facts(
    runs: Sequence[Run],
    headers: Sequence[Headers],
    *,
    images: str | Path | None = None,
    image_budget: float | None = None,
    true: Any = None,
) -> tuple[list[PhotographData], dict[str, str]]:
    """Return what the page says of the photographs of every run, and the blocks of all.

    A run's titles are the file names of its items (None without one); its photographs are block numbers by item.
    """
    sizes = _sizes(runs, headers)
    if image_budget is not None and images == "none":
        raise OptionError("image_budget limits the photographs, but images asks for none; leave one out")
    if images not in (None, "none") and not sizes:
        raise OptionError(
            "images says where photographs are, but the report has no pictures of images to lay over them"
        )
    photographs = photographs_of(runs[0], sizes, images, image_budget, true=true)
    block = {item: f"photo-{at}" for at, item in enumerate(photographs.jpegs)}
    facts = [_of_run(run, photographs, block) for run in runs]
    return facts, {block[item]: text for item, text in photographs.jpegs.items()}


def _sizes(runs: Sequence[Run], headers: Sequence[Headers]) -> dict[str, Size]:
    """Return rows and columns of every item that is an image with pictures."""
    sizes: dict[str, Size] = {}
    for run, pictures in zip(runs, headers, strict=True):
        names = run.names
        for index, header in pictures.items():
            if header["kind"] in ("labels", "masks") and len(header["shape"]) == 2:
                rows, columns = header["shape"]
                sizes.setdefault(names[index], (rows, columns))
    return sizes


def _of_run(run: Run, photographs: Photographs, block: Mapping[str, str]) -> PhotographData:
    names = run.names
    titles = [photographs.titles.get(name) for name in names]
    return {
        "titles": titles if any(titles) else None,
        "photos": {index: block[name] for index, name in enumerate(names) if name in block},
        "photos_refused": {
            index: photographs.refused[name] for index, name in enumerate(names) if name in photographs.refused
        },
        "photos_problem": photographs.problem,
    }
