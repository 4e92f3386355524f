"""Evaluate segmentations of anything: exact overlaps, honest alignment, every metric of the field."""
