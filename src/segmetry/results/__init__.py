"""Results: a value and the question it answers, tables of them, and how numbers and tables are written."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.results.records import ColumnType, Exported, ShownAsTable, Table, Tabular, as_csv, as_parquet
    from segmetry.results.records import check_parquet
    from segmetry.results.number_format import TIED, UNDEFINED, NumberStyle, counted, number, p_value, percent, shortest
    from segmetry.results.number_format import signed
    from segmetry.results.render import WIDTH, as_markdown, cut_text, terminal_lines
    from segmetry.results.result_table import SHOWN, Cell, Entry, ResultTable, Value
else:
    __getattr__, __dir__ = names_on_demand(__name__)
