"""``seqeval.metrics``: precision, recall and F1 of entities in lines of tags.

Tags are read as the CoNLL script reads them: an ``I-`` that follows nothing begins an entity, too. ``mode="strict"``
with a ``scheme`` (``IOB1``, ``IOB2``, ``IOBES``, ``BILOU``, or seqeval's class of that name) leaves out what that does
not allow.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import FloatArray, IntArray
from segmetry.compat.patched import say_once
from segmetry.errors import OptionError
from segmetry.segmentation import Scheme, detect_scheme, tag_pieces

TagLines = Sequence[Sequence[str]]
_LETTERS = "OBIES"
_KNOWN = {"O", "B", "I", "E", "S"}
_ENDS, _BEGINS = (np.zeros((7, 7), bool) for _ in range(2))
"""Whether an entity ends, and one begins, between two letters: those of ``_LETTERS``, any other, and a full stop."""
_ENDS[3:5] = _ENDS[np.ix_((1, 2), (0, 1, 4))] = True
_BEGINS[:, (1, 4)] = _BEGINS[np.ix_((0, 3, 4), (2, 3))] = True
_IN_NO_ENTITY = np.array([True, False, False, False, False, False, True])
_STRICT: dict[str, Scheme] = {"IOB1": "iob1", "IOB2": "bio", "IOBES": "iobes", "BILOU": "bilou"}


class _FoundEntities(NamedTuple):
    """The entities of one side, by the place of their last tag in all tags: no two end at the same."""

    names: list[str]
    types: IntArray
    starts: IntArray
    ends: IntArray


def _letter_and_type(tag: str, *, suffix: bool) -> tuple[int, str]:
    signs = [f"-{letter}" if suffix else f"{letter}-" for letter in "BIES"]
    if tag not in _KNOWN and not (tag.endswith if suffix else tag.startswith)(tuple(signs)):
        warnings.warn(f"{tag} seems not to be NE tag.", stacklevel=6)
    letter, rest = (tag[-1], tag[:-1].rsplit("-", 1)[0]) if suffix else (tag[0], tag[1:].split("-", 1)[-1])
    return 6 if letter == "." else _LETTERS.find(letter) % 6, rest or "_"


def _in_a_row(lines: Any) -> Sequence[str]:
    """Return the tags of all lines, an O behind each."""
    if any(isinstance(line, list) for line in lines):
        return list(chain.from_iterable((*line, "O") for line in lines))
    return list(lines)


def _entities(lines: Any, *, suffix: bool) -> _FoundEntities:
    """Find the entities: where one begins, and where the one before ends, follows from two tags that are neighbours."""
    tags, known, numbers = _in_a_row(lines), dict[str, int](), dict[str, int]()
    codes = np.fromiter((known.setdefault(tag, len(known)) for tag in chain(tags, "O")), np.intp, len(tags) + 1)
    pairs = [_letter_and_type(tag, suffix=suffix) for tag in known]
    # An O without a type is before the first tag.
    letters = np.concatenate(([0], np.array([letter for letter, _ in pairs])[codes]))
    types = np.concatenate(([-1], np.array([numbers.setdefault(name, len(numbers)) for _, name in pairs])[codes]))
    changes = types[1:] != types[:-1]
    ends = _ENDS[letters[:-1], letters[1:]] | changes & ~_IN_NO_ENTITY[letters[:-1]]
    begins = _BEGINS[letters[:-1], letters[1:]] | changes & ~_IN_NO_ENTITY[letters[1:]]
    last_start = np.maximum.accumulate(np.where(begins, np.arange(begins.size), 0))
    places = np.flatnonzero(ends)
    return _FoundEntities(list(numbers), types[places], last_start[places - 1], places - 1)


def _strict_entities(lines: TagLines, scheme: Any, *, suffix: bool) -> _FoundEntities:
    name = scheme if isinstance(scheme, str) else getattr(scheme, "__name__", repr(scheme))
    if name not in _STRICT:
        raise OptionError(f"scheme is {name}; expected one of {', '.join(_STRICT)}")
    if suffix:
        lines = [[f"{tag[-1]}-{tag[:-2]}" if tag[-2:-1] == "-" else tag for tag in line] for line in lines]
    runs = tag_pieces(lines, _STRICT[name]).allowed()
    return _FoundEntities(
        ["_" if name in (None, "") else str(name) for name in runs.names], runs.codes, runs.starts, runs.stops - 1
    )


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:  # noqa: FBT001, FBT002 - theirs
    """Return type, first and last place of every entity.

    >>> get_entities(["B-PER", "I-PER", "O", "I-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    found = _entities(seq, suffix=suffix)
    rows = zip(found.types.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True)
    return [(found.names[number], start, end) for number, start, end in rows]


class _EntityCounts(NamedTuple):
    """Entities by type: matched, predicted, true."""

    names: list[str]
    matched: IntArray
    pred: IntArray
    true: IntArray


def _counts(y_true: TagLines, y_pred: TagLines, suffix: bool, strict: Any) -> _EntityCounts:  # noqa: FBT001
    lengths = [list(map(len, side)) for side in (y_true, y_pred)]
    if {type(line) for line in chain(y_true, y_pred)} != {list}:
        raise TypeError("the tags are no lists of lists: expected a list for every line")
    if lengths[0] != lengths[1]:
        raise ValueError(f"inconsistent numbers of samples:\n{lengths[0]}\n{lengths[1]}")
    sides = [
        _entities(lines, suffix=suffix) if strict is None else _strict_entities(lines, strict, suffix=suffix)
        for lines in (y_true, y_pred)
    ]
    names = sorted({side.names[number] for side in sides for number in np.unique(side.types).tolist()})
    place = {name: at for at, name in enumerate(names)}
    types = [np.array([place.get(name, -1) for name in side.names], np.intp)[side.types] for side in sides]
    _, at_true, at_pred = np.intersect1d(sides[0].ends, sides[1].ends, assume_unique=True, return_indices=True)
    same = (types[0][at_true] == types[1][at_pred]) & (sides[0].starts[at_true] == sides[1].starts[at_pred])
    counted = (types[0][at_true][same], types[1], types[0])
    return _EntityCounts(names, *(np.bincount(column, minlength=len(names)) for column in counted))


def _divided(part: IntArray, whole: IntArray, what: str, sample: str, warn_for: Sequence[str], zero: Any) -> FloatArray:
    result: FloatArray = np.where(whole == 0, 0.0 if zero in ("warn", 0) else 1.0, part / np.maximum(whole, 1))
    if zero == "warn" and what in warn_for and (whole == 0).any():
        subject = f"{what.title()} and F-score are" if "f-score" in warn_for else f"{what.title()} is"
        _warn_undefined(subject, sample, whole.size)
    return result


def _warn_undefined(subject: str, sample: str, size: int) -> None:
    with suppress(ImportError):  # seqeval needs scikit-learn, whose warning this is
        importlib.import_module("sklearn.exceptions")
    module = sys.modules.get("sklearn.exceptions")
    where = "due to" if size == 1 else "in labels with"
    warnings.warn(
        f"{subject} ill-defined and being set to 0.0 {where} no {sample} samples. Use `zero_division` parameter to "
        "control this behavior.",
        module.UndefinedMetricWarning if module else UserWarning,
        stacklevel=5,
    )


def _scores(
    counts: _EntityCounts, average: str | None, warn_for: Sequence[str], zero: Any, beta: float = 1.0
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and the number of true entities: of each type, or in an average."""
    if beta < 0:
        raise ValueError(f"beta is {beta}; it should be >=0")
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(f"average is {average!r}; it has to be None, 'micro', 'macro' or 'weighted'")
    matched, pred, true = counts[1:]
    if average == "micro":
        matched, pred, true = (np.array([column.sum()]) for column in (matched, pred, true))
    precision = _divided(matched, pred, "precision", "predicted", warn_for, zero)
    recall = _divided(matched, true, "recall", "true", warn_for, zero)
    if zero == "warn" and tuple(warn_for) == ("f-score",) and (pred[true == 0] == 0).any():
        _warn_undefined("F-score is", "true nor predicted", true.size)
    whole = beta**2 * precision + recall
    f_score = (1 + beta**2) * precision * recall / np.where(whole == 0, 1.0, whole) if np.isfinite(beta) else recall
    if average is None:
        return precision, recall, f_score, true
    if average == "weighted" and not true.sum():
        value = 0.0 if zero in ("warn", 0) else 1.0
        return (0.0 if pred.sum() else value), value, (0.0 if pred.sum() else value), sum(true)
    weights = true if average == "weighted" else None
    mean = partial(np.average, weights=weights)
    return mean(precision), mean(recall), mean(f_score), sum(true)


def precision_recall_fscore_support(
    y_true: TagLines,
    y_pred: TagLines,
    *,
    average: str | None = None,
    warn_for: Sequence[str] = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    suffix: bool = False,
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and support of each type of entities, or in an average."""
    _check_weight(sample_weight)
    return _scores(_counts(y_true, y_pred, suffix, None), average, warn_for, zero_division, beta)


def _check_weight(sample_weight: Any) -> None:
    if sample_weight is not None:
        say_once("seqeval.weight", lambda: "seqeval takes sample_weight and counts every line once all the same")


def _score_of(which: int, warn_for: str) -> Callable[..., Any]:
    def score(
        y_true: TagLines,
        y_pred: TagLines,
        *,
        average: str | None = "micro",
        suffix: bool = False,
        mode: str | None = None,
        sample_weight: Any = None,
        zero_division: Any = "warn",
        scheme: Any = None,
    ) -> Any:
        _check_weight(sample_weight)
        strict = scheme if mode == "strict" and scheme else None
        if mode == "strict" and strict is None:
            say_once(
                "seqeval.strict", lambda: "seqeval's mode='strict' does nothing without scheme=; tags count as read"
            )
        return _scores(_counts(y_true, y_pred, suffix, strict), average, (warn_for,), zero_division)[which]

    return score


precision_score, recall_score, f1_score = _score_of(0, "precision"), _score_of(1, "recall"), _score_of(2, "f-score")


def _tags(side: Any) -> list[str]:
    return list(chain.from_iterable(side)) if any(isinstance(line, list) for line in side) else list(side)


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of tags that are the same."""
    true, pred = _tags(y_true), _tags(y_pred)
    return sum(map(str.__eq__, true, pred)) / len(true)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Return how many tags are true and false positives and negatives.

    A tag in place of another one is a false positive, and no false negative.
    """
    pairs = Counter(
        (pair[0] == pair[1], pair[0] != "O", pair[1] != "O") for pair in zip(_tags(y_true), _tags(y_pred), strict=False)
    )
    wrong = pairs[False, True, True]
    if wrong:
        say_once(
            "seqeval.fn", lambda: f"seqeval counts a wrong type as false positive alone: {wrong} more tags are missed"
        )
    return {
        "TP": pairs[True, True, True],
        "FP": pairs[False, False, True] + wrong,
        "FN": pairs[False, True, False],
        "TN": pairs[True, False, False],
    }


def classification_report(
    y_true: TagLines,
    y_pred: TagLines,
    digits: int = 2,
    suffix: bool = False,  # noqa: FBT001, FBT002 - theirs
    output_dict: bool = False,  # noqa: FBT001, FBT002
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> str | dict[str, dict[str, Any]]:
    """Return precision, recall, F1 and support of each type and in three averages, as a table or a dictionary."""
    _check_weight(sample_weight)
    strict = (scheme or _detected(y_true, suffix=suffix)) if mode == "strict" else None
    counts, names = _counts(y_true, y_pred, suffix, strict), ("precision", "recall", "f1-score", "support")
    kinds = ("precision", "recall", "f-score")
    rows = list(zip(counts.names, *_scores(counts, None, kinds, zero_division), strict=True))
    averages = [
        (f"{name} avg", *_scores(counts, name, kinds, zero_division)) for name in ("micro", "macro", "weighted")
    ]
    if output_dict:
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in (*rows, *averages)}
    width = max(*map(len, counts.names), len("weighted avg"), digits)
    lines = [f"{'':>{width}s}  " + " ".join(f"{name:>9}" for name in names), ""]
    for part in (rows, averages):
        for name, *values, support in part:
            numbers = " ".join(f"{value:>9.{digits}f}" for value in values)
            lines.append(f"{name:>{width}s}  {numbers} {support:>9}")
        lines.append("")
    return "\n".join(lines)


def _detected(lines: TagLines, *, suffix: bool) -> str:
    letters = {tag[-1] if suffix else tag[0] for line in lines for tag in line}
    detected = detect_scheme(letters)
    return next(name for name, scheme in _STRICT.items() if scheme == detected)
