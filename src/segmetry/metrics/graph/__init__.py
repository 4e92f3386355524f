"""Metrics of the graph of overlapping segments: splits, merges, partial detections."""
