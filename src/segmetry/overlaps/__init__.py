"""Counting overlaps: two segmentations in, one exact table out."""
