"""Metrics of lesions: connected parts of a class, each scored by itself."""
