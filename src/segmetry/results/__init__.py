"""Results: a value and the question it answers, tables of them, and how numbers and tables are written."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.results.files import as_csv as as_csv, as_parquet as as_parquet, check_parquet as check_parquet
    from segmetry.results.number_format import NumberStyle as NumberStyle, TIED as TIED, UNDEFINED as UNDEFINED
    from segmetry.results.number_format import counted as counted, number as number, p_value as p_value
    from segmetry.results.number_format import percent as percent, shortest as shortest, signed as signed, span as span
    from segmetry.results.records import ColumnType as ColumnType, Table as Table, Tabular as Tabular
    from segmetry.results.render import WIDTH as WIDTH, as_markdown as as_markdown, terminal_lines as terminal_lines
    from segmetry.results.result_table import Cell as Cell, Entry as Entry, ResultTable as ResultTable, SHOWN as SHOWN
    from segmetry.results.result_table import Value as Value
else:
    __getattr__, __dir__ = names_on_demand(__name__)
