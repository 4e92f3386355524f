"""Showing results: terminal tables, JSON, pictures."""
