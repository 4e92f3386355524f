"""Counting where the labels are: label pairs of tensors on a GPU, without moving the tensors."""
