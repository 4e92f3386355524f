"""Decoding in a child process: a decoder that crashes, hangs or asks for too much memory becomes one error."""
