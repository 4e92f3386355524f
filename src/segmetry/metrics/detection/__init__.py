"""Scored detections: average precision and what it is computed from."""
