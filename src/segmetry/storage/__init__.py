"""Arrays that stay where they are stored and are read chunk by chunk."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.storage.decompression import Buffer as Buffer, decompressed as decompressed
    from segmetry.storage.opened_arrays import DaskArray as DaskArray, IndexedArray as IndexedArray
    from segmetry.storage.opened_arrays import MappedFile as MappedFile, as_stored as as_stored
    from segmetry.storage.remote_path import PROTOCOLS as PROTOCOLS, RemotePath as RemotePath, is_remote as is_remote
    from segmetry.storage.remote_path import is_url as is_url
    from segmetry.storage.stored_arrays import CachedArray as CachedArray, ChunkGrid as ChunkGrid, Edges as Edges
    from segmetry.storage.stored_arrays import FrameStack as FrameStack, READ_AT_ONCE as READ_AT_ONCE, Region as Region
    from segmetry.storage.stored_arrays import StoredArray as StoredArray, StoredRegion as StoredRegion
    from segmetry.storage.stored_arrays import overlapped as overlapped, planes as planes
    from segmetry.storage.stored_arrays import regular_edges as regular_edges
    from segmetry.storage.zarr_arrays import ZarrChunks as ZarrChunks, parse_metadata as parse_metadata
else:
    __getattr__, __dir__ = names_on_demand(__name__)
