"""Segmentations: label arrays, spans on a line, masks, polygons, sets of anything."""
