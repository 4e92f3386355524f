"""What an item's pictures need beside its labels: photographs, colours of segments, the slice to open with."""
