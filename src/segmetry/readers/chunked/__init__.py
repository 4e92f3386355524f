"""Volumes cut into chunks, in untrusted folders: metadata, absent chunks."""
