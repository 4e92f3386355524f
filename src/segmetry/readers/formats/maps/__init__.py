"""Polygons of maps."""
