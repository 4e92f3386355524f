"""Names of files in the folders of challenges, by which such a folder is recognised: cell tracking, leaves."""

from __future__ import annotations

import re
from pathlib import Path

FRAME = re.compile(r"(?P<kind>man_seg|man_track|mask)(?P<frame>\d{3,4})\.tif")
LEAVES = re.compile(r"(?P<plant>.*plant\d+)_label\.png")
RESULT, TRACKS = "_RES", "res_track.txt"


def is_cell_tracking(folder: Path) -> bool:
    """Return whether a folder contains true frames, or results: masks beside ``res_track.txt`` or in ``…_RES``."""
    kinds = {match["kind"] for file in folder.iterdir() if (match := FRAME.fullmatch(file.name))}
    is_result = folder.resolve().name.endswith(RESULT) or (folder / TRACKS).is_file()
    return bool(kinds & {"man_seg", "man_track"}) or (kinds == {"mask"} and is_result)


def is_leaf_folder(folder: Path) -> bool:
    """Return whether a folder contains labels of leaves, as the leaf segmentation challenge names them."""
    return any(LEAVES.fullmatch(file.name) for file in folder.iterdir())
