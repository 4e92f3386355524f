"""A table of results: typed columns that become a data frame of pandas or polars or an Arrow table, with all digits.

As files: CSV, in which text that a spreadsheet would run as a formula is quoted, and typed Parquet.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from segmetry._base import import_optional, json_text
from segmetry.errors import MissingExtraError, UnknownNameError
from segmetry.results.number_format import counted

if TYPE_CHECKING:
    from segmetry.results.result_table import ResultTable


ColumnType = Literal["integer", "number", "text", "flag"]
"""An integer of 64 bits, a float (undefined is missing), text, or True and False; each may be missing."""


class ShownAsTable(ABC):
    """What is printed, and shown in a notebook, as a table."""

    @abstractmethod
    def _as_table(self) -> ResultTable:
        """Return the rows that are shown."""

    def __str__(self) -> str:
        return str(self._as_table())

    def _repr_html_(self) -> str:
        return self._as_table()._repr_html_()


class Exported:
    """A result that leaves as plain data, as JSON, and its :meth:`records` as a data frame.

    It has no metaclass of its own: ``isinstance`` of a score is asked millions of times.
    """

    def records(self) -> Table:
        """Return one plain row per value; by default what of :meth:`to_dict` is a single value, in one row."""
        plain = {name: value for name, value in self.to_dict().items() if not isinstance(value, dict | list)}
        return Table(type(self).__name__.lower(), [plain])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; undefined is None."""
        return {"rows": list(self.records())}

    def to_json(self, **options: Any) -> str:
        """Return :meth:`to_dict` as JSON text without NaN; ``options`` are those of ``json.dumps``."""
        return json_text(self.to_dict(), **options)

    def to_pandas(self) -> Any:
        """Return the rows as a ``pandas.DataFrame``; see :meth:`Table.to_pandas`."""
        return self.records().to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a ``polars.DataFrame``; see :meth:`Table.to_polars`."""
        return self.records().to_polars()

    def to_arrow(self) -> Any:
        """Return the rows as a ``pyarrow.Table``; see :meth:`Table.to_arrow`."""
        return self.records().to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as a stream of the Arrow PyCapsule interface, which data frame packages read."""
        return self.records().to_arrow().__arrow_c_stream__(requested_schema)


class Tabular(Exported):
    """A result of many values, whose rows are public."""

    def rows(self) -> Table:
        """Return one plain row per value."""
        raise NotImplementedError

    def records(self) -> Table:
        """Return :meth:`rows`."""
        return self.rows()


class Table(Exported, ShownAsTable):
    """Rows of plain values under named, typed columns: a sequence of dictionaries.

    It is not a ``collections.abc.Sequence``, as polars would then read the dictionaries and guess their types.

    Integers keep all their digits in every form: ids above 2⁵³ and columns with missing values stay integers (``Int64``
    or, from 2⁶³ on, ``UInt64``). Any package that reads Arrow streams takes the table itself:
    ``polars.DataFrame(table)``, ``pyarrow.table(table)``, ``duckdb.sql("SELECT * FROM table")``.

    Parameters
    ----------
    name
        What the rows are about: ``"items"``, ``"segments"``.
    rows
        Mappings from the names of columns to values; a value that a row does not have is missing (None).
    types
        The type of columns by name; that of the others follows from their values.
    absent
        The number that stands for a missing integer in CSV, by column: an empty cell would make plain readers turn the
        whole column into floats.

    Examples
    --------
    >>> table = Table("segments", [{"id": 2**60 + 1, "iou": 0.5}, {"id": None, "iou": None}], {"id": "integer"})
    >>> table
    Table(segments: 2 rows of id, iou)
    >>> table[0]["id"], table["iou"], table.types
    (1152921504606846977, [0.5, None], {'id': 'integer', 'iou': 'number'})
    """

    def __init__(
        self,
        name: str,
        rows: Iterable[Mapping[str, Any]],
        types: Mapping[str, ColumnType] | None = None,
        absent: Mapping[str, int] | None = None,
    ) -> None:
        every = list(rows)
        names = dict.fromkeys([column for row in every for column in row] or (types or {}))
        self.name = name
        self.columns: dict[str, list[Any]] = {column: [row.get(column) for row in every] for column in names}
        self.types: dict[str, ColumnType] = {
            column: _fitting_type((types or {}).get(column), values) for column, values in self.columns.items()
        }
        self.absent: dict[str, int] = {column: number for column, number in (absent or {}).items() if column in names}
        self._length = len(every)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = list(self.columns)
        return (dict(zip(names, row, strict=True)) for row in zip(*self.columns.values(), strict=True))

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Table: ...
    @overload
    def __getitem__(self, at: str) -> list[Any]: ...
    def __getitem__(self, at: int | slice | str) -> dict[str, Any] | Table | list[Any]:
        """Return a row by its position, several rows, or a column by its name."""
        if isinstance(at, str):
            if at not in self.columns:
                raise UnknownNameError(f"the table {self.name} has no column {at!r}; found {', '.join(self.columns)}")
            return list(self.columns[at])
        if isinstance(at, slice):
            return Table(self.name, list(self)[at], self.types, self.absent)
        return {column: values[at] for column, values in self.columns.items()}

    def __eq__(self, other: object) -> bool:
        """Return whether the rows are equal to those of another table or of a list of dictionaries."""
        return list(self) == list(other) if isinstance(other, Table | list) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = list(self.columns)
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        return f"Table({self.name}: {counted(len(self), 'row')} of {shown})"

    def _as_table(self) -> ResultTable:
        from segmetry.results.result_table import SHOWN, ResultTable

        rows = zip(*(values[:SHOWN] for values in self.columns.values()), strict=True)
        return ResultTable.of_rows(repr(self), list(self.columns), rows, len(self))

    def records(self) -> Table:
        """Return the table itself."""
        return self

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as plain lists, for JSON; what is missing is None."""
        return {column: list(values) for column, values in self.columns.items()}

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``: nullable ``Int64``, ``UInt64`` and ``boolean``, floats with NaN, text.

        Needs the extra ``pandas``.
        """
        pd = import_optional("pandas", "to_pandas()", "pandas")
        series = {
            column: pd.Series(_pandas_array(pd, values, self.types[column]), name=column)
            for column, values in self.columns.items()
        }
        return pd.DataFrame(series, columns=list(self.columns))

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame``: ``Int64``, ``UInt64``, ``Float64``, ``Boolean``, ``String``; null if missing.

        Needs the extra ``polars``.
        """
        pl = import_optional("polars", "to_polars()", "polars")
        kinds = {
            "integer": pl.Int64,
            "unsigned": pl.UInt64,
            "number": pl.Float64,
            "text": pl.String,
            "flag": pl.Boolean,
        }
        stored = self._stored_columns()
        return pl.DataFrame([pl.Series(column, values, kinds[kind]) for column, (values, kind) in stored.items()])

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table``: int64 or uint64, double, bool, string; null if missing.

        Needs the extra ``parquet``.
        """
        pa = import_optional("pyarrow", "to_arrow()", "parquet")
        kinds = {"integer": pa.int64, "unsigned": pa.uint64, "number": pa.float64, "text": pa.string, "flag": pa.bool_}
        stored = self._stored_columns()
        columns = {column: pa.array(values, kinds[kind]()) for column, (values, kind) in stored.items()}
        return pa.table(columns).replace_schema_metadata({"pandas": json.dumps(self._pandas_metadata())})

    def _stored_columns(self) -> dict[str, tuple[list[Any], str]]:
        """Return the plain values of each column and the type in which they are stored."""
        return {
            column: (_plain_values(values, self.types[column]), _stored_as(values, self.types[column]))
            for column, values in self.columns.items()
        }

    def _pandas_metadata(self) -> dict[str, Any]:
        """The types of pandas that its reader gives to integers and flags; without them it makes floats of integers.

        The layout is that of https://pandas.pydata.org/docs/development/developer.html.
        """
        names = {"integer": ("int64", "Int64"), "unsigned": ("uint64", "UInt64"), "flag": ("bool", "boolean")}
        stored = {column: _stored_as(values, self.types[column]) for column, values in self.columns.items()}
        columns: list[dict[str, str | None]] = [
            {"name": column, "field_name": column, "pandas_type": names[kind][0], "numpy_type": names[kind][1]}
            | {"metadata": None}
            for column, kind in stored.items()
            if kind in names
        ]
        return {"index_columns": [], "column_indexes": [], "columns": columns, "pandas_version": "2.2.0"}


def _fitting_type(declared: ColumnType | None, values: Sequence[Any]) -> ColumnType:
    """Return the type of a column; one whose values do not fit the declared type is text."""
    # bool is a subclass of int, so exact types are compared: a column of flags must not become integers.
    kinds = {type(value) for value in values if value is not None}
    if declared == "text" or not kinds:
        return declared or "text"
    if kinds == {bool}:
        return "flag"
    if kinds == {int}:
        return ("number" if declared == "number" else "integer") if _fits_64_bits(values) else "text"
    return "number" if all(issubclass(kind, int | float) and kind is not bool for kind in kinds) else "text"


def _fits_64_bits(values: Sequence[Any]) -> bool:
    numbers = [value for value in values if value is not None]
    least, most = min(numbers), max(numbers)
    return bool(least >= -(2**63) and most < (2**63 if least < 0 else 2**64))


def _stored_as(values: Sequence[Any], kind: ColumnType) -> str:
    return "unsigned" if kind == "integer" and max((value or 0 for value in values), default=0) >= 2**63 else kind


def _plain_values(values: Sequence[Any], kind: ColumnType) -> list[Any]:
    """Return the values of a column as those of its type; what is missing stays None."""
    if kind == "number":
        return [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values] if kind == "text" else list(values)


def _pandas_array(pd: ModuleType, values: Sequence[Any], kind: ColumnType) -> Any:
    if kind in ("integer", "flag"):
        # Without its masked arrays pandas makes floats of integers with missing values, which lose digits above 2**53.
        missing = np.array([value is None for value in values], dtype=bool)
        dtype = {"integer": "int64", "unsigned": "uint64", "flag": "bool"}[_stored_as(values, kind)]
        numbers: NDArray[Any] = np.array([0 if value is None else value for value in values], dtype=dtype)
        array = pd.arrays.BooleanArray if kind == "flag" else pd.arrays.IntegerArray
        return array(numbers, missing)
    if kind == "number":
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return pd.array(_plain_values(values, kind), dtype="str" if int(pd.__version__.split(".")[0]) >= 3 else object)


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""


def as_csv(rows: Table | Iterable[Mapping[str, Any]]) -> str:
    """Return rows with a heading; undefined is an empty cell, and text that looks like a formula is quoted.

    A missing integer of a :class:`Table` is the number that the table states for it (-1 for an id): plain readers make
    floats of a column of integers with an empty cell, and ids above 2⁵³ would lose their last digits.
    """
    import csv
    import io

    table = rows if isinstance(rows, Table) else Table("rows", rows)
    filled = {name: number for name, number in table.absent.items() if table.types[name] == "integer"}
    names = list(table.columns)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_csv_cell(name) for name in names])
    writer.writerows([[_csv_cell(row.get(name), filled.get(name)) for name in names] for row in table])
    return text.getvalue()


def _csv_cell(value: Any, absent: int | None = None) -> Any:
    if value is None:
        return absent
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


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
