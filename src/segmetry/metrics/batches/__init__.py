"""Scores of many small items at once: stacks of label arrays, and lines of spans."""
