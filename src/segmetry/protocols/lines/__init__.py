"""Protocols of lines: text, streams of pages, time and sound."""
