"""Facts that files state beside the segments."""
