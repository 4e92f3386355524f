"""Reading segmentations from files: what a reader is, its options, and how the items of two data sets are paired."""
