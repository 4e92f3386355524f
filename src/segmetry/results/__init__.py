"""Results: a value and the question it answers, tables of them, and how numbers and tables are written."""
