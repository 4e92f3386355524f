"""The results of items as rows of the tables of a run file."""
