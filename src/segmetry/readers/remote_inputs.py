"""Inputs in object stores and on web servers: off by default, and for formats of chunked volumes only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from segmetry.errors import FormatError, OptionError
from segmetry.readers.option import Flag, Option
from segmetry.readers.options import ReadOptions
from segmetry.storage.remote_path import PROTOCOLS, RemotePath, is_url

REMOTE: Option[bool] = Option(
    "remote",
    "Zarr, N5, precomputed: TRUE and PRED may be addresses (https, s3, gs, …), from which chunks are fetched.",
    Flag(),
    False,
)
METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", "attributes.json", "s0/attributes.json", "info")
"""The files by which a remote volume is identified; its chunks are not fetched to fingerprint them."""


def input_path(value: str | os.PathLike[str], options: ReadOptions) -> Path:
    """Return the path of an input: of a file or folder, or in a store if the user allows addresses.

    >>> input_path("truth.zarr", ReadOptions()).name
    'truth.zarr'
    """
    if not is_url(value):
        return Path(value)
    url = str(value).rstrip("/")
    if not options[REMOTE]:
        raise OptionError(
            f"{url}: an address, and segmetry connects to nothing unless it is asked to; allow it with --remote "
            "(read={'remote': True})"
        )
    protocol = url.partition("://")[0]
    if protocol not in PROTOCOLS or "::" in url:
        raise OptionError(f"{url}: protocol {protocol!r}; expected one of {', '.join(PROTOCOLS)}")
    return cast(Path, RemotePath(url))


def remote_fingerprints(path: Any) -> dict[str, str]:
    """Return the sha256 of the metadata of a volume in a store, by name."""
    import hashlib

    present = [name for name in METADATA if (path / name).is_file()]
    if not present:
        raise FormatError(f"{path}: no metadata of zarr, N5 or precomputed there")
    return {f"{path.name}/{name}": hashlib.sha256((path / name).read_bytes()).hexdigest() for name in present}
