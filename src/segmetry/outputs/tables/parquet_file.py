"""Write a table as Parquet: typed columns, undefined is null. Needs the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Mapping

from segmetry._base.result_table import Table
from segmetry.errors import MissingExtraError


def check_parquet() -> None:
    """Raise an error if pyarrow is not installed, before any work is done."""
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


def as_parquet(table: Table, facts: Mapping[str, str] | None = None) -> bytes:
    """Return the table as a Parquet file; ``facts`` are stored in the metadata of its schema."""
    check_parquet()
    import pyarrow as pa
    from pyarrow import parquet

    target = pa.BufferOutputStream()
    arrow = table.to_arrow()
    metadata = {**arrow.schema.metadata, **{name.encode(): fact.encode() for name, fact in (facts or {}).items()}}
    parquet.write_table(arrow.replace_schema_metadata(metadata), target, compression="zstd")
    content: bytes = target.getvalue().to_pybytes()
    return content
