"""The version of the package, which run files and outputs name."""

__version__ = "0.1.0"
