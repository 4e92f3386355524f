"""What a reader of the page does with the text of an item, written down again from the documentation alone."""

from __future__ import annotations

import base64
import zlib

import numpy as np


def lists(text: str) -> list[list[int]]:
    content = iter(zlib.decompress(base64.b64decode(text), wbits=-15))
    numbers, value, shift = [], 0, 0
    for byte in content:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    lists, at = [], 0
    while at < len(numbers):
        lists.append(numbers[at + 1 : at + 1 + numbers[at]])
        at += 1 + numbers[at]
    return lists


def plane(text: str, rows: int, columns: int) -> np.ndarray:
    distances, lengths, words = lists(text)
    codes = [[0] * columns for _ in range(rows)]

    def at(row: int, column: int) -> int:
        return codes[row][column] if row >= 0 and 0 <= column < columns else 0

    changes, place = {}, 0
    for distance, length, word in zip(distances, lengths, words, strict=True):
        place += distance
        changes[place] = (length + 1, word)
        place += length + 1
    left, code = 0, 0
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        if place in changes:
            left, word = changes[place]
            code = at(row, column - 1) if word == 0 else at(row - 1, column + 1) if word == 1 else word - 2
        codes[row][column] = code if left else at(row - 1, column)
        left = max(left - 1, 0)
    return np.array(codes).reshape(rows, columns)


def masks(text: str, shape: tuple[int, int]) -> np.ndarray:
    counts, distances, lengths = lists(text)
    stack = np.zeros((len(counts), shape[0] * shape[1]), dtype=bool)
    run = 0
    for mask, count in enumerate(counts):
        place = 0
        for _ in range(count):
            place += distances[run]
            stack[mask, place : place + lengths[run]] = True
            place += lengths[run]
            run += 1
    return stack.reshape(len(counts), shape[1], shape[0]).transpose(0, 2, 1)


def spans(text: str) -> list[tuple[int, int]]:
    spans, place = [], 0
    for distance, length in zip(*lists(text), strict=True):
        spans.append((place + distance, place + distance + length))
        place += distance + length
    return spans
