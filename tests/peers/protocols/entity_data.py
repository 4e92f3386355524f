"""Random tagged sentences for the protocols of named entities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Corpus = tuple[list[list[str]], list[list[str]]]
CASES = 500
TYPES = ("PER", "LOC", "ORG")
DEGENERATE: tuple[Corpus, ...] = (
    ([["B-PER"]], [["B-PER"]]),
    ([["B-PER"]], [["O"]]),
    ([["O"]], [["B-PER"]]),
    ([["B-PER", "O"]], [["B-LOC", "B-PER"]]),
    ([["O"], ["B-PER", "I-PER"]], [["O"], ["B-PER", "I-PER"]]),
)
"""One token, an empty side, types that do not meet, a sentence without entities."""


def entities(rng: np.random.Generator, n: int, letters: str) -> list[str]:
    """Well-formed tags of random entities: ``letters`` are B, I, and those of the last and of a single token."""
    tags: list[str] = []
    while len(tags) < n:
        length = min(int(rng.integers(1, 5)), n - len(tags))
        if rng.random() < 0.4:
            tags += ["O"] * length
            continue
        name = str(rng.choice(TYPES))
        inner = [letters[1]] * (length - 1) if length > 1 else []
        word = [letters[0], *inner][:length]
        word[-1] = letters[3] if length == 1 else letters[2]
        tags += [f"{letter}-{name}" for letter in word]
    return tags


def damaged(rng: np.random.Generator, tags: list[str], letters: str, share: float) -> list[str]:
    """Tags of which some are replaced by any tag of the scheme, so that they need not be well formed."""
    every = ["O", *(f"{letter}-{name}" for letter in sorted(set(letters)) for name in TYPES)]
    return [str(rng.choice(every)) if rng.random() < share else tag for tag in tags]


def corpora(seed: int, letters: str = "BIIB", cases: int = CASES, *, truth_damaged: bool = False) -> Iterator[Corpus]:
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        lengths = rng.integers(1, 12, rng.integers(1, 5)).tolist()
        true = [entities(rng, n, letters) for n in lengths]
        share = float(rng.choice([0.0, 0.1, 0.3, 1.0]))
        pred = [damaged(rng, sentence, letters, share) for sentence in true]
        if truth_damaged:
            true = [damaged(rng, sentence, letters, 0.2) for sentence in true]
        yield true, pred
