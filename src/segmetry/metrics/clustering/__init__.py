"""Clustering metrics: the two segmentations compared as partitions of their elements."""
