"""The frame of a report: its title, and what its items are filtered by."""
