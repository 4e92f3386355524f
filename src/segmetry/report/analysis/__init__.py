"""What is computed about a run for its report: intervals, and the gain if errors are fixed."""
