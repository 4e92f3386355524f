"""The counts of an item in one row of the run file: how they are packed, read back, and shown to SQL as rows."""
