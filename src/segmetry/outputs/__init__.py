"""Showing results: tables, plots, images."""
