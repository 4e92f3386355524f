"""Boundary metrics of linear segmentations: matching with tolerance, edit distance, alignment index."""
