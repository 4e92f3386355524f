"""Skeletons: traced neurons as graphs, and the labels of a volume at their nodes."""
