"""Protocols of semantic segmentation: every pixel has a class."""
