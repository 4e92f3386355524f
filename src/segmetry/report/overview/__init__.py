"""What the first screen of the report says: how good, where it fails, and whether to trust it."""
