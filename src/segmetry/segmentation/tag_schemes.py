"""Tag schemes of entities: BIO, IOB1, IOBES and BILOU, read for many lines at once [ratinov2009design].

A tag is a letter and a class, ``B-PER``; ``O`` is outside. The letters say where an entity begins and ends:

=========  ===========================================================================================================
``bio``    every entity begins with B and goes on with I (IOB2)
``iob1``   an entity consists of I; its first is B only where it follows another entity of its class
``iobes``  an entity of one token is S; a longer one is B I … I E
``bilou``  the same with U for S and L for E
=========  ===========================================================================================================

Tags are read in pieces: a piece goes on while a token belongs to the same entity as the one before it. A piece that the
scheme does not allow, such as an I after O in BIO, is *malformed*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray
from segmetry.errors import OptionError, SpanError

Scheme = Literal["bio", "iob1", "iobes", "bilou"]
Malformed = Literal["error", "keep", "drop"]
"""What becomes of a piece that the scheme does not allow: an error, a span all the same, or nothing."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
LETTERS: dict[Scheme, str] = {"bio": "OBI", "iob1": "OBI", "iobes": "OBIES", "bilou": "OBILU"}
_O, _B, _I, _E, _S = range(5)
_PLACES = {"O": _O, "B": _B, "I": _I, "E": _E, "L": _E, "S": _S, "U": _S}


@dataclass(frozen=True)
class Tag:
    """A tag: its letter, and its class ("" where it has none)."""

    letter: str
    name: str

    @classmethod
    def of(cls, text: Any) -> Tag | None:
        """Return a tag from its text; None where it is none.

        >>> Tag.of("B-PER"), Tag.of("O"), Tag.of("O-PER")
        (Tag(letter='B', name='PER'), Tag(letter='O', name=''), None)
        """
        if not isinstance(text, str):
            return None
        letter, dash, name = text.partition("-")
        if letter not in _PLACES or bool(dash) != bool(name) or (letter == "O" and name):
            return None
        return cls(letter, name)


@dataclass(frozen=True, eq=False)
class TagPieces:
    """The pieces of some lines, one after the other: tokens ``[starts, stops)`` of all lines together.

    ``codes`` are positions of their classes in ``names``; ``well_formed`` says which of them the scheme allows.
    """

    starts: IndexArray
    stops: IndexArray
    codes: IndexArray
    well_formed: NDArray[np.bool_]
    opened: NDArray[np.bool_]
    names: tuple[str, ...]

    def chosen(self, malformed: Malformed) -> TagPieces:
        """Return the pieces that are spans."""
        if malformed == "keep":
            return self
        keep = self.well_formed
        return TagPieces(
            self.starts[keep], self.stops[keep], self.codes[keep], keep[keep], self.opened[keep], self.names
        )


def detect_scheme(letters: Iterable[str]) -> Scheme:
    """Return the scheme that a set of letters belongs to: BIO unless one of the others has letters of its own.

    IOB1 has the letters of BIO, so it must be stated.

    >>> detect_scheme("OBI"), detect_scheme("OBIE"), detect_scheme("OU")
    ('bio', 'iobes', 'bilou')
    """
    found = set(letters)
    both = found & set("ES"), found & set("LU")
    if both[0] and both[1]:
        raise SpanError(
            f"the tags have the letters {', '.join(sorted(found))}: {' and '.join(sorted(both[0]))} belong to IOBES, "
            f"{' and '.join(sorted(both[1]))} to BILOU; expected one scheme"
        )
    return "iobes" if both[0] else "bilou" if both[1] else "bio"


def checked_scheme(scheme: Any) -> Scheme | None:
    """Return the name of a scheme; None where it is to be detected."""
    if scheme is None or scheme in SCHEMES:
        return scheme  # type: ignore[no-any-return]
    raise OptionError(f"scheme is {scheme!r}; expected one of {', '.join(SCHEMES)}, or None to detect it")


def tag_pieces(lines: Collection[Sequence[str]], scheme: Scheme | None) -> TagPieces:
    """Return the pieces of all lines.

    >>> pieces = tag_pieces([["B-PER", "I-PER", "O"], ["I-LOC"]], "bio")
    >>> pieces.starts.tolist(), pieces.stops.tolist(), pieces.well_formed.tolist(), pieces.names
    ([0, 3], [2, 4], [True, False], ('PER', 'LOC'))
    """
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    known = _KnownTags()
    codes = np.fromiter(map(known.__getitem__, chain.from_iterable(lines)), dtype=np.int64, count=int(lengths.sum()))
    for number, text in enumerate(known):
        if known.tags[number].letter not in _PLACES:
            raise SpanError(
                f"{_place(codes, number, lengths)} is {text!r}; expected O, or one of B, I, E, S, L, U, with the class "
                "after a dash"
            )
    chosen = scheme or detect_scheme(tag.letter for tag in known.tags)
    for number, (text, tag) in enumerate(zip(known, known.tags, strict=True)):
        if tag.letter not in LETTERS[chosen]:
            raise SpanError(
                f"{_place(codes, number, lengths)} is {text!r}; expected the letters "
                f"{', '.join(LETTERS[chosen])} of the scheme {chosen}"
            )
    letter = np.array([_PLACES[tag.letter] for tag in known.tags], dtype=np.int8)[codes]
    names = {name: at for at, name in enumerate(dict.fromkeys(tag.name for tag in known.tags if tag.letter != "O"))}
    kind = np.array([names.get(tag.name, -1) for tag in known.tags], dtype=np.int64)[codes]
    first = np.zeros(codes.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths) - lengths] = True
    return _pieces(letter, kind, first[: codes.size], chosen, tuple(names))


def malformed_tags(tags: Sequence[str], pieces: TagPieces, at: int, offset: int = 0) -> str:
    """Return the words of an error about the piece ``at``: which tag is malformed, and what to do.

    ``tags`` are those of its line, which begins at ``offset``.
    """
    start, last = int(pieces.starts[at]) - offset, int(pieces.stops[at]) - 1 - offset
    name = pieces.names[int(pieces.codes[at])]
    what = f"-{name}" if name else ""
    remedy = "malformed='keep' takes such tags as a segment, malformed='drop' leaves them out"
    if pieces.opened[at]:
        return f"tags[{last}] is {tags[last]!r}, which ends no segment of the scheme; {remedy}"
    return (
        f"tags[{start}] is {tags[start]!r} but no {name or 'segment'} is open; expected B{what} first, or "
        f"scheme='iob1'; {remedy}"
    )


class _KnownTags(dict[Any, int]):
    """The number of every distinct tag; each is parsed once, and has no letter if it is none."""

    def __init__(self) -> None:
        self.tags: list[Tag] = []

    def __missing__(self, text: Any) -> int:
        self[text] = number = len(self.tags)
        self.tags.append(Tag.of(text) or Tag("", ""))
        return number


def _place(codes: IndexArray, number: int, lengths: IndexArray) -> str:
    """Return where a tag first occurs."""
    at = int(np.argmax(codes == number))
    line = int(np.searchsorted(np.cumsum(lengths), at, side="right"))
    where = f"line {line}: tags" if lengths.size > 1 else "tags"
    return f"{where}[{at - int(lengths[:line].sum())}]"


def _pieces(
    letter: NDArray[np.int8],
    kind: IndexArray,
    first: NDArray[np.bool_],
    scheme: Scheme,
    names: tuple[str, ...],
) -> TagPieces:
    before = np.concatenate(([_O], letter[:-1])).astype(np.int8)
    before[first] = _O
    same = kind == np.concatenate(([-1], kind[:-1]))
    open_before = ((before == _B) | (before == _I)) & same
    if scheme == "iob1":
        # A B that follows no entity of its class begins nothing, so an I after it begins an entity.
        opening = (letter == _B) & open_before
        opening_before = np.concatenate(([False], opening[:-1]))
        inside = (letter == _I) & same & ((before == _I) | ((before == _B) & opening_before))
        begins = opening | ((letter == _I) & ~inside)
    else:
        inside = ((letter == _I) | (letter == _E)) & open_before
        begins = (letter == _B) | (letter == _S)
    heads = np.flatnonzero(~inside)
    ends = np.append(heads[1:], letter.size)
    segments = letter[heads] != _O
    starts, stops = heads[segments], ends[segments]
    opened = begins[starts]
    last = letter[stops - 1]
    if scheme in ("iobes", "bilou"):
        closed = (last == _E) | (last == _S)
    elif scheme == "iob1":
        after = np.minimum(stops, letter.size - 1)
        in_line = (stops < letter.size) & ~first[after]
        closed = ~((last == _B) & in_line & (letter[after] == _B) & ~same[after])
    else:
        closed = np.ones(starts.size, dtype=np.bool_)
    return TagPieces(starts, stops, kind[starts], opened & closed, opened, names)
