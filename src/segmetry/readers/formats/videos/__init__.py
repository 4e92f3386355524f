"""Readers of videos: one item per video, a label array whose first axis is time."""
