"""Metrics of the shapes of matched segments: boundary IoU, surface distances."""
