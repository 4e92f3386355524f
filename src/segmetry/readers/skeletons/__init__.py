"""Readers of skeletons: traced neurons, which are graphs and not segmentations."""
