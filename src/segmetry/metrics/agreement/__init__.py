"""Agreement of several annotators."""
