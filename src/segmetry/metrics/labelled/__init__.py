"""Metrics of labelled lines: frames and actions of a video, entities of a text."""
