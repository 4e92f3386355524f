"""Metrics of instances in microscopy, plant science and pathology: scores at IoU thresholds, AJI, SBD, SEG, DET."""
