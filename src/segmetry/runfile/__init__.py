"""The run file: the overlaps, sizes and stored scores of a whole data set, in one SQLite database.

:class:`~segmetry.runfile.writer.RunWriter` writes it item by item, :class:`~segmetry.runfile.contents.RunContents`
reads it; ``docs/run-file.md`` documents the tables. No metric is known here: what follows from a run is in
:mod:`segmetry.run`.
"""
