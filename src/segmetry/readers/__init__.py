"""Reading segmentations from files, one format per module."""
