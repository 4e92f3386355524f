"""Protocols of videos and of sequences of point clouds."""
