"""The command line: one module per command in ``commands``, shared options in ``options``."""
