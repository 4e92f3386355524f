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
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, distinct, frozen_dataclass
from segmetry.errors import OptionError, SpanError
from segmetry.kernels import number_labels
from segmetry.segmentation.spans import LabelRuns

Scheme = Literal["bio", "iob1", "iobes", "bilou"]
Malformed = Literal["error", "keep", "drop"]
"""What becomes of a piece that the scheme does not allow: an error, a span all the same, or nothing."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
LETTERS: dict[Scheme, str] = {"bio": "OBI", "iob1": "OBI", "iobes": "OBIES", "bilou": "OBILU"}
# Outside, begin, inside, end, single; L(ast) and U(nit) of BILOU are E and S of IOBES.
_O, _B, _I, _E, _S = range(5)
_PLACES = {"O": _O, "B": _B, "I": _I, "E": _E, "L": _E, "S": _S, "U": _S}


@frozen_dataclass()
class Tag:
    """A tag: its letter, and its class ("" where it has none)."""

    letter: str
    name: str

    @classmethod
    def of(cls, text: Any) -> Tag | None:
        """Return a tag from its text; None where it is none."""
        if not isinstance(text, str):
            return None
        letter, dash, name = text.partition("-")
        if letter not in _PLACES or bool(dash) != bool(name) or (letter == "O" and name):
            return None
        return cls(letter, name)


@frozen_dataclass(eq=False)
class TagPieces(LabelRuns):
    """The pieces of the given lines; ``well_formed`` says which the scheme allows, ``opened`` which begin so."""

    well_formed: NDArray[np.bool_]
    opened: NDArray[np.bool_]

    def allowed(self) -> LabelRuns:
        """Return the pieces that the scheme allows."""
        keep, codes = self.well_formed, self.codes[self.well_formed]
        used = distinct(codes)
        names = tuple(self.names[code] for code in used.tolist())
        return LabelRuns(self.starts[keep], self.stops[keep], np.searchsorted(used, codes), names, self.lengths)


def detect_scheme(letters: Iterable[str]) -> Scheme:
    """Return the scheme of letters: BIO unless another has letters of its own (IOB1, as BIO, must be stated)."""
    found = set(letters)
    both = found & set("ES"), found & set("LU")
    if both[0] and both[1]:
        raise SpanError(
            f"the tags have the letters {', '.join(sorted(found))}: {' and '.join(sorted(both[0]))} belong to IOBES, "
            f"{' and '.join(sorted(both[1]))} to BILOU; expected one scheme"
        )
    return "iobes" if both[0] else "bilou" if both[1] else "bio"


def tagged_runs(lines: Collection[Sequence[str]], scheme: Any, malformed: Any) -> LabelRuns:
    """Return the entities of all lines; see :meth:`Spans.from_tags`."""
    if scheme is not None and scheme not in SCHEMES:
        raise OptionError(f"scheme is {scheme!r}; expected one of {', '.join(SCHEMES)}, or None to detect it")
    if malformed not in ("error", "keep", "drop"):
        raise OptionError(f"malformed is {malformed!r}; expected 'error', 'keep' or 'drop'")
    pieces = tag_pieces(lines, scheme)
    keep = pieces.well_formed
    if malformed == "keep" or keep.all():
        return pieces
    if malformed == "error":
        raise SpanError(_malformed_tags(lines, pieces, int(np.argmin(keep))))
    return pieces.allowed()


def tag_pieces(lines: Collection[Sequence[str]], scheme: Scheme | None) -> TagPieces:
    """Return the pieces of all lines."""
    try:
        numbered = number_labels(lines)
    except TypeError:
        raise SpanError("a tag is a list or another object; expected text such as B-PER") from None
    codes, lengths = numbered.codes, numbered.lengths
    tags = [Tag.of(text) for text in numbered.labels]
    for number, text in enumerate(numbered.labels):
        if tags[number] is None:
            raise SpanError(
                f"{_first_place(codes, number, lengths)} is {text!r}; expected O, or one of B, I, E, S, L, U, with the "
                "class after a dash"
            )
    known = [tag for tag in tags if tag is not None]
    chosen = scheme or detect_scheme(tag.letter for tag in known)
    for number, tag in enumerate(known):
        if tag.letter not in LETTERS[chosen]:
            raise SpanError(
                f"{_first_place(codes, number, lengths)} is {numbered.labels[number]!r}; expected the letters "
                f"{', '.join(LETTERS[chosen])} of the scheme {chosen}"
            )
    return tag_pieces_of(codes, lengths, known, chosen)


def _malformed_tags(lines: Collection[Sequence[str]], pieces: TagPieces, at: int) -> str:
    """Return the words of an error about the piece ``at``: which tag is malformed, and what to do."""
    start, last = int(pieces.starts[at]), int(pieces.stops[at]) - 1
    name = str(pieces.names[int(pieces.codes[at])])
    remedy = "malformed='keep' takes such tags as a segment, malformed='drop' leaves them out"
    wrong = last if pieces.opened[at] else start
    line, place, where = place_in_lines(wrong, pieces.lengths)
    found = f"{where} is {list(lines)[line][place]!r}"
    if pieces.opened[at]:
        return f"{found}, which ends no segment of the scheme; {remedy}"
    return (
        f"{found} but no {name or 'segment'} is open; expected B{f'-{name}' if name else ''} first, or "
        f"scheme='iob1'; {remedy}"
    )


def _first_place(codes: IndexArray, number: int, lengths: IndexArray) -> str:
    return place_in_lines(int(np.argmax(codes == number)), lengths)[2]


def place_in_lines(token: int, lengths: IndexArray) -> tuple[int, int, str]:
    """Return the line of a token that counts on over all lines, its place there, and both in words."""
    line = int(np.searchsorted(np.cumsum(lengths), token, side="right"))
    place = token - int(lengths[:line].sum())
    return line, place, f"line {line}: tags[{place}]" if lengths.size > 1 else f"tags[{place}]"


def tag_pieces_of(codes: IndexArray, lengths: IndexArray, tags: Sequence[Tag], scheme: Scheme) -> TagPieces:
    """Return the pieces of tags that are positions in ``tags``, whose letters are those of the scheme."""
    names = {name: at for at, name in enumerate(dict.fromkeys(tag.name for tag in tags if tag.letter != "O"))}
    letters = np.array([_PLACES[tag.letter] for tag in tags], dtype=np.int8)
    kinds = np.array([names.get(tag.name, -1) for tag in tags], dtype=np.intp)
    first = np.zeros(codes.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths) - lengths] = True
    at = np.flatnonzero((letters != _O).take(codes))  # the tokens that are not outside
    code, previous = codes.take(at), codes.take(np.maximum(at - 1, 0))
    letter, kind = letters.take(code), kinds.take(code)
    before = letters.take(previous)
    before[first.take(at)] = _O
    # The token before is in the same line, not outside, and of the same class.
    follows = (before != _O) & (kinds.take(previous) == kind)
    after_open = follows & ((before == _B) | (before == _I))
    if scheme == "iob1":
        # A B that follows no entity of its class begins nothing, so an I after it begins an entity.
        opening = (letter == _B) & after_open
        opened_before = np.concatenate(([False], opening[:-1]))
        inside = (letter == _I) & follows & ((before == _I) | ((before == _B) & opened_before))
        begins = opening | ((letter == _I) & ~inside)
    else:
        inside = ((letter == _I) | (letter == _E)) & after_open
        begins = (letter == _B) | (letter == _S)
    heads = np.flatnonzero(~inside)
    sizes = np.diff(np.append(heads, letter.size))
    last = letter[heads + sizes - 1]
    if scheme in ("iobes", "bilou"):
        closed = (last == _E) | (last == _S)
    elif scheme == "iob1":
        # B after B of another class is not allowed, so the first of them is not an entity either.
        clash = (letter[heads] == _B) & (before[heads] == _B) & ~follows[heads]
        closed = ~((last == _B) & np.append(clash[1:], False)[: heads.size])
    else:
        closed = np.ones(heads.size, dtype=np.bool_)
    starts, opened = at[heads], begins[heads]
    return TagPieces(starts, starts + sizes, kind[heads], tuple(names), lengths, opened & closed, opened)
