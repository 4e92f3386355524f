"""Data sets: annotation files with images, and folders of label files."""
