"""Results painted on the pixels of an item."""
