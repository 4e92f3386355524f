"""Read skeletons from SWC and NML files, or from a folder of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.skeletons.nml import read_nml
from segmetry.readers.skeletons.skeleton_nodes import SkeletonNodes
from segmetry.readers.skeletons.swc import read_swc
from segmetry.segmentation.skeletons.skeleton_graphs import Skeletons

READERS_BY_SUFFIX: dict[str, Callable[[Path, SkeletonNodes], None]] = {".swc": read_swc, ".nml": read_nml}


def read_skeletons(path: str | Path) -> Skeletons:
    r"""Read skeletons from a file or a folder.

    Parameters
    ----------
    path : str or Path
        An SWC file (one skeleton, named by the file), an NML file (one skeleton per thing), or a folder of such files.

    Returns
    -------
    Skeletons
        Positions are (z, y, x): those of SWC files as they are written, those of NML files times the scale of the file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "axon.swc"
    >>> _ = file.write_text("1 0 0 0 0 1 -1\n2 0 3 4 0 1 1\n")
    >>> read_skeletons(file).lengths.tolist()
    [5.0]
    """
    source = Path(path)
    nodes = SkeletonNodes()
    if source.is_dir():
        files = [file for file in sorted(source.iterdir()) if file.suffix.lower() in READERS_BY_SUFFIX]
        if not files:
            raise FormatError(f"{source}: no skeleton in it; expected files {' or '.join(READERS_BY_SUFFIX)}")
        for file in files:
            _read(file_inside(source, file.name, "the file"), nodes)
    else:
        if not source.exists():
            raise FormatError(f"{source}: no such file or folder")
        _read(source, nodes)
    return nodes.skeletons()


def _read(file: Path, nodes: SkeletonNodes) -> None:
    reader = READERS_BY_SUFFIX.get(file.suffix.lower())
    if reader is None:
        raise FormatError(f"{file}: not a file of skeletons; expected {' or '.join(READERS_BY_SUFFIX)}")
    reader(file, nodes)
