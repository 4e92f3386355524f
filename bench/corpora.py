"""Corpora from two files on the disk to the printed numbers, against the packages that people use for them.

Reading the files is part of every time: segment lengths in JSON, tags in two columns, turns of speakers in RTTM.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from bench.entities import tagged_corpus

NLTK, SEQEVAL, PYANNOTE = "nltk pk and windowdiff", "seqeval classification_report, strict", "pyannote.metrics"
READING = "splitting the lines and reading their numbers, in a loop"
N_LINES, N_RECORDINGS, N_TURNS = 100_000, 200, 400
Sides = tuple[str, str]


def _written(suffix: str, contents: tuple[str, str]) -> Sides:
    folder = Path(tempfile.mkdtemp())
    for name, content in zip(("true", "pred"), contents, strict=True):
        (folder / f"{name}{suffix}").write_text(content)
    return str(folder / f"true{suffix}"), str(folder / f"pred{suffix}")


def _ours(files: Sides, protocol: str) -> Call:
    return lambda: str(sm.evaluate(*files, protocol=protocol).protocol_table())


@cache
def _texts() -> Sides:
    """Texts of 20 to 79 units; half of the predictions are right."""
    rng = np.random.default_rng(0)
    sides: tuple[dict[str, list[int]], ...] = ({}, {})
    for at in range(N_LINES):
        n = int(rng.integers(20, 80))
        for side in sides:
            cuts = np.flatnonzero(rng.random(n - 1) < 0.15) + 1
            side[f"text {at}"] = np.diff(np.concatenate(([0], cuts, [n]))).tolist()
        if rng.random() < 0.5:
            sides[1][f"text {at}"] = sides[0][f"text {at}"]
    return _written(".json", (json.dumps(sides[0]), json.dumps(sides[1])))


def _nltk(files: Sides) -> Call | None:
    pk, windowdiff = (optional("nltk.metrics.segmentation", name) for name in ("pk", "windowdiff"))
    if pk is None:
        return None

    def call() -> float:
        true, pred = (json.loads(Path(file).read_text()) for file in files)
        total = 0.0
        for name, lengths in true.items():
            k = max(2, round(sum(lengths) / len(lengths) / 2))
            both = ["1".join("0" * (length - 1) for length in side[name]) for side in (true, pred)]
            if k <= len(both[0]):
                total += pk(*both, k=k) + windowdiff(*both, k)
        return total

    return call


@case("Pk, WindowDiff, B and S of 10⁵ texts in two JSON files", Limit(NLTK, at_least=10), quick=False, from_files=True)
def texts() -> Contest:
    """The peer computes Pk and WindowDiff alone."""
    return Contest(_ours(_texts(), "text"), {NLTK: _nltk(_texts())})


@cache
def _sentences() -> Sides:
    def lines(side: list[list[str]]) -> str:
        return "\n\n".join("\n".join(f"word{at % 997} {tag}" for at, tag in enumerate(tags)) for tags in side) + "\n"

    true, pred = tagged_corpus(N_LINES, 1)
    return _written(".conll", (lines(true), lines(pred)))


def _seqeval(files: Sides) -> Call | None:
    report, scheme = optional("seqeval.metrics", "classification_report"), optional("seqeval.scheme", "IOB2")
    if report is None:
        return None

    def tags(file: str) -> Iterator[list[str]]:
        for sentence in Path(file).read_text().strip().split("\n\n"):
            yield [line.split()[-1] for line in sentence.split("\n")]

    return lambda: report(*(list(tags(file)) for file in files), mode="strict", scheme=scheme, digits=4)


@case("entities of 10⁵ sentences in two CoNLL files", Limit(SEQEVAL, at_least=20), quick=False, from_files=True)
def sentences() -> Contest:
    return Contest(_ours(_sentences(), "ner"), {SEQEVAL: _seqeval(_sentences())})


@cache
def _recordings() -> Sides:
    rng = np.random.default_rng(5)
    sides: tuple[list[str], ...] = ([], [])
    for recording in range(N_RECORDINGS):
        lengths, gaps = rng.integers(500, 7500, N_TURNS), rng.integers(-300, 500, N_TURNS)
        starts, speakers = np.maximum(np.cumsum(lengths + gaps) - lengths, 0), rng.integers(0, 4, N_TURNS)
        moved = np.maximum(starts + rng.integers(-200, 200, N_TURNS), 0)
        guessed = np.where(rng.random(N_TURNS) < 0.1, rng.integers(0, 4, N_TURNS), speakers)
        for side, begins, names in zip(sides, (starts, moved), (speakers, guessed), strict=True):
            for start, length, name in zip(begins.tolist(), lengths.tolist(), names.tolist(), strict=True):
                times = f"{start / 1000:.3f} {length / 1000:.3f}"
                side.append(f"SPEAKER recording{recording} 1 {times} <NA> <NA> speaker{name} <NA> <NA>\n")
    return _written(".rttm", ("".join(sides[0]), "".join(sides[1])))


def _turns(file: str) -> dict[str, list[tuple[float, float, str]]]:
    turns: dict[str, list[tuple[float, float, str]]] = {}
    for line in Path(file).read_text().splitlines():
        cells = line.split()
        turns.setdefault(cells[1], []).append((float(cells[3]), float(cells[4]), cells[7]))
    return turns


def _pyannote(files: Sides) -> Call | None:
    names = ("DiarizationErrorRate", "JaccardErrorRate")
    rates = [optional("pyannote.metrics.diarization", name) for name in names]
    annotation, segment = optional("pyannote.core", "Annotation"), optional("pyannote.core", "Segment")
    if rates[0] is None:
        return None

    def made(turns: list[tuple[float, float, str]]) -> Any:
        found = annotation()
        for number, (start, length, name) in enumerate(turns):
            found[segment(start, start + length), number] = name
        return found

    def call() -> None:
        true, pred = map(_turns, files)
        totals = [rate() for rate in rates]
        for name, turns in true.items():
            both = made(turns), made(pred[name])
            for total in totals:
                total(*both)

    return call


@case(
    "DER and JER of 200 recordings of 400 turns in two RTTM files",
    Limit(PYANNOTE, at_least=20),
    Limit(READING, at_most=5),
    quick=False,
    from_files=True,
)
def recordings() -> Contest:
    files = _recordings()
    peers: dict[str, Call | None] = {PYANNOTE: _pyannote(files), READING: lambda: list(map(_turns, files))}
    return Contest(_ours(files, "diarization"), peers)
