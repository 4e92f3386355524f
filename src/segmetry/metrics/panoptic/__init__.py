"""Panoptic quality and its relatives: scores of an alignment of segments."""
