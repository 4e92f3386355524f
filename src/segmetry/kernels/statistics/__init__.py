"""Kernels for random samples and distributions: draws of items, statistics of a bootstrap, chance overlaps."""
