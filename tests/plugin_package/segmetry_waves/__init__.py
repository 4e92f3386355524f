"""Waves for segmetry."""
