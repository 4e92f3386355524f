"""Zarr arrays, version 2 and 3, on local files: metadata, chunks, shards, codecs."""
