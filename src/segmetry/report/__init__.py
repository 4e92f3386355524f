"""The report: a run as one HTML file that draws, aligns and scores by itself."""
