"""Alignment rules: local rules decide on each pair alone, assignment rules compare candidates."""
