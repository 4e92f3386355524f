"""Metrics of labelled time: turns of speakers, sound events, sections of music, change points."""
