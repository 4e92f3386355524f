"""Arrays that stay where they are stored and are read chunk by chunk."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.storage.decompression import Buffer, check_lzw, decompressed
    from segmetry.storage.opened_arrays import DaskArray, IndexedArray, PlainFile, as_stored
    from segmetry.storage.remote_path import PROTOCOLS, RemotePath, is_remote, is_url
    from segmetry.storage.stored_arrays import READ_AT_ONCE, CachedArray, ChunkGrid, Edges, FrameStack, Region
    from segmetry.storage.stored_arrays import StoredArray, StoredRegion, overlapped, planes, regular_edges
    from segmetry.storage.zarr_arrays import ZarrChunks, parse_metadata
else:
    __getattr__, __dir__ = names_on_demand(__name__)
