"""The files of a folder that are read, in a fixed order."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from segmetry.errors import FormatError
from segmetry.readers.reader import Option, ReadOptions, Text

GLOB: Option[str | None] = Option(
    "glob",
    "Folders: read only files that fit this pattern, such as '*_mask.png' (one side: --true-glob, --pred-glob).",
    Text(),
    metavar="PATTERN",
    per_side=True,
)


def files_in(folder: Path) -> list[Path]:
    """Return the visible files of a folder in a fixed order; links to folders are an error: their items would miss."""
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    for path in paths:
        if path.is_symlink() and path.is_dir():
            raise FormatError(
                f"{folder}: {str(path.relative_to(folder))[:80]!a} is a link to a folder, which is not followed; "
                "expected the folder itself, or give that folder alone"
            )
    return [path for path in paths if not path.is_dir()]


def fitting_files(folder: Path, options: ReadOptions) -> list[Path]:
    """Return the files of a folder that fit ``glob``: all of them, if it is not stated."""
    pattern = options[GLOB]
    files = files_in(folder)
    return [file for file in files if pattern is None or PurePosixPath(file.relative_to(folder)).match(pattern)]
