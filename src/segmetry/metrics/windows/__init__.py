"""Sliding-window metrics of linear segmentations: Pk, WindowDiff and successors."""
