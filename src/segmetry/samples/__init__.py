"""The sample data that ships with segmetry."""
