"""Linear segmentations: text, tags, boundaries, times."""
