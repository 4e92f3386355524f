"""Overlap tables: exact counts of the elements that true and predicted segments share."""
