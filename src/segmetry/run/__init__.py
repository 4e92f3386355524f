"""A run: the overlaps of a whole data set in one file, from which every score can be computed again.

:class:`~segmetry.run.run.Run` reads it, :class:`~segmetry.run.writer.RunWriter` writes it item by item;
``docs/run-file.md`` documents the tables.
"""
