"""Write rows as Parquet: typed columns, undefined is null. Needs the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segmetry.errors import MissingExtraError
from segmetry.metrics.declare import METRICS

FRACTIONS = ("iou", "nearest_iou", "mean", "pooled")
COUNTS = ("shared", "missed", "spurious")


def check_parquet() -> None:
    """Raise an error if pyarrow is not installed, before any work is done."""
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None


def as_parquet(rows: Sequence[Mapping[str, Any]], facts: Mapping[str, str] | None = None) -> bytes:
    """Return the rows as a Parquet file; ``facts`` are stored in the metadata of its schema.

    Integers stay integers (unsigned from 2⁶³ on), a column of integers and text becomes text.
    """
    check_parquet()
    import pyarrow as pa
    from pyarrow import parquet

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [_column(name, [row.get(name) for row in rows]) for name in names]
    schema = pa.schema([(name, column.type) for name, column in zip(names, columns, strict=True)])
    table = pa.Table.from_arrays(columns, schema=schema.with_metadata(dict(facts or {})))
    target = pa.BufferOutputStream()
    parquet.write_table(table, target, compression="zstd")
    content: bytes = target.getvalue().to_pybytes()
    return content


def _type_of(name: str) -> str:
    """Return the type of a column without values, so that the tables of two runs have the same schema.

    >>> _type_of("pq_mean"), _type_of("nearest_id"), _type_of("true_class")
    ('float64', 'int64', 'string')
    """
    if name in FRACTIONS or name.removesuffix("_mean") in METRICS:
        return "float64"
    return "int64" if name.endswith(("_id", "_size")) or name in COUNTS else "string"


def _column(name: str, values: list[Any]) -> Any:
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.array(values, getattr(pa, _type_of(name))())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {int}:
        numbers = [value for value in values if value is not None]
        if min(numbers) >= -(2**63) and max(numbers) < 2**63:
            return pa.array(values, pa.int64())
        if min(numbers) >= 0 and max(numbers) < 2**64:
            return pa.array(values, pa.uint64())
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())
