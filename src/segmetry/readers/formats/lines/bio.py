"""Tags in columns, as in CoNLL files: a token per line, its tag (``B-PER``, ``I-PER``, ``O``) in the last column.

Empty lines separate sentences. Each sentence is an item named by its number or by a preceding comment ``# sent_id =
NAME``; with ``--sentences line`` the file is one item. A line ``-DOCSTART-`` separates like an empty line. ``--column``
counts from 1. The letters of a file say whether it is BIO, IOBES or BILOU; ``--scheme`` states it, and must for IOB1;
it is one for both sides unless each has its own (``--true-scheme``). Tags that the scheme does not allow are an error;
``--tags loose`` takes them as a segment, as the CoNLL script does, ``--tags drop`` leaves them out, as seqeval's strict
mode does.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.errors import DataWarning, FormatError, SegmetryError, SpanError
from segmetry.kernels import scan_tags
from segmetry.readers.items import Item, check_label
from segmetry.readers.line_files import LineFile
from segmetry.readers.parts.text_file import bytes_of_cells, read_text, whole_lines
from segmetry.readers.reader import Choice, Integer, Option, ReadOptions, Writer, reads
from segmetry.results import counted
from segmetry.segmentation import (
    LETTERS,
    SCHEMES,
    Malformed,
    Scheme,
    SpanLines,
    Spans,
    Tag,
    TagPieces,
    detect_scheme,
    place_in_lines,
    tag_pieces,
    tag_pieces_of,
)

COLUMN: Option[int | None] = Option("column", "BIO: the column of the tag. [default: the last]", Integer(least=1))
SENTENCES: Option[str] = Option(
    "sentences", "BIO: each sentence is an item (default), or the file is one line.", Choice(("items", "line")), "items"
)
TAGS: Option[str] = Option(
    "tags",
    "BIO: tags that the scheme does not allow: an error (strict), a segment (loose), none (drop).",
    Choice(("strict", "loose", "drop")),
    "strict",
)
SCHEME: Option[Scheme | None] = Option(
    "scheme",
    "BIO: the scheme of the tags. [default: found from the letters; iob1 is not]",
    Choice(SCHEMES),
    per_side=True,
)
_MALFORMED: dict[str, Malformed] = {"strict": "keep", "loose": "keep", "drop": "drop"}

_TAG = re.compile(r"O|[BIESLU](-\S+)?")
_COMMENT = re.compile(r"#\s*([\w.:-]+)\s*=\s*(.*)")
_BREAK = "-DOCSTART-"
NO_TOKEN = "_"  # noqa: S105 - as CoNLL-U writes a missing form


@dataclass
class _Sentence:
    """Tokens and tags with their lines and columns."""

    name: str | None = None
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    places: Any = field(default_factory=list)


def _line_by_line(text: str, stated_column: int | None, path: Path) -> Iterator[_Sentence]:
    current, known = _Sentence(), set[str]()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        content = line.strip()
        comment = _COMMENT.fullmatch(content) if content.startswith("#") else None
        if not content or line.startswith(_BREAK):
            if current.tags:
                yield current
                current = _Sentence()
        elif comment and not current.tags:
            if comment[1] == "sent_id":
                current.name = comment[2]
        else:
            _add_token(current, line, number, known, path, stated_column)
    if current.tags:
        yield current


def _add_token(
    sentence: _Sentence, line: str, number: int, known: set[str], path: Path, stated_column: int | None
) -> None:
    """Add the token of a line; ``known`` are the tags that were seen before, which need no second look."""
    cells = line.split("\t") if "\t" in line else line.split()
    column = stated_column or len(cells)
    if not 1 <= column <= len(cells):
        raise FormatError(f"{path}, line {number}: {len(cells)} columns; --column is {column}")
    tag = cells[column - 1].strip()
    if tag not in known:
        if not _TAG.fullmatch(tag):
            raise FormatError(
                f"{path}, line {number}, column {column}: {tag[:40]!a} is not a tag; expected O, or B, I, E, S, L or "
                "U, with the class after a dash"
            )
        known.add(tag)
    sentence.tokens.append(NO_TOKEN if len(cells) == 1 else cells[0].strip())
    sentence.tags.append(tag)
    sentence.places.append((number, column))


def _place_of(tags: Collection[str], sentences: Sequence[_Sentence], path: Path) -> tuple[str, str]:
    """Return the first of these tags in a file, and where it is in words."""
    line, column, tag = next(
        (*place, tag)
        for sentence in sentences
        for tag, place in zip(sentence.tags, sentence.places, strict=True)
        if tag in tags
    )
    return tag, f"{path}, line {line}, column {column}"


def _check_classes(used: Collection[str], sentences: Sequence[_Sentence], path: Path) -> None:
    """Require that all segments of a file have a class or none has."""
    bare = {tag for tag in used if tag != "O" and not tag[2:]}
    classed = {tag for tag in used if tag[2:]}
    for tag in classed:
        try:
            check_label(tag[2:], "")
        except FormatError:
            first, where = _place_of({tag}, sentences, path)
            check_label(first[2:], f"{where}: the class")
    if bare and classed:
        raise FormatError(f"{_place_of(bare, sentences, path)[1]}: a tag without a class, but others have one")


def _scheme_of(used: Collection[str], sentences: Sequence[_Sentence], path: Path, stated: Scheme | None) -> Scheme:
    """Return the scheme of a file, stated or detected; a letter that it does not have is an error."""
    try:
        scheme = stated or detect_scheme(tag[0] for tag in used)
    except SpanError as problem:
        raise FormatError(f"{path}: {problem}") from None
    foreign = {tag for tag in used if tag[0] not in LETTERS[scheme]}
    if foreign:
        tag, where = _place_of(foreign, sentences, path)
        raise FormatError(
            f"{where}: {tag[:40]!a} is not a tag of the scheme {scheme}; expected the letters "
            f"{', '.join(LETTERS[scheme])} (--scheme states another)"
        )
    return scheme


def _check_pieces(pieces: TagPieces, sentences: Sequence[_Sentence], scheme: Scheme, path: Path) -> None:
    if pieces.well_formed.all():
        return
    at = int(np.argmin(pieces.well_formed))
    opened = bool(pieces.opened[at])
    token = int(pieces.stops[at]) - 1 if opened else int(pieces.starts[at])
    number, place, _ = place_in_lines(token, pieces.lengths)
    tag, (line, column) = sentences[number].tags[place], sentences[number].places[place]
    found = f"{path}, line {line}, column {column}: {tag[:40]!a}"
    if opened:
        raise FormatError(
            f"{found} ends no segment of the scheme {scheme} (--tags loose lets it, --tags drop leaves it out)"
        )
    raise FormatError(
        f"{found} continues nothing; expected B{tag[1:40]} first (--tags loose lets {tag[0]} open a segment)"
    )


def _is_bio(_path: Path, head: bytes) -> bool:
    lines = [line for line in whole_lines(head) if line.strip() and not _COMMENT.fullmatch(line.strip())]
    return bool(lines) and all(_TAG.fullmatch(line.split()[-1]) for line in lines)


def _write_bio(items: Sequence[Item], path: Path) -> str:
    lines = []
    for number, item in enumerate(items, start=1):
        if item.name != str(number):
            lines.append(f"# sent_id = {item.name}")
        tags = ["O"] * item.spans.n
        for at, (start, stop) in enumerate(zip(item.spans.starts.tolist(), item.spans.stops.tolist(), strict=True)):
            label = "" if item.spans.classes is None else f"-{item.spans.classes[at + 1]}"
            if label.split() != ([label] if label else []):
                raise FormatError(
                    f"{path}: the class {label[1:]!r} contains white space, which separates columns in this format"
                )
            tags[start:stop] = [f"B{label}"] + [f"I{label}"] * (stop - start - 1)
        tokens = item.units or (NO_TOKEN,) * item.spans.n
        for token, tag in zip(tokens, tags, strict=True):
            if token.strip() != token or not token or "\t" in token or token.startswith(("#", _BREAK)):
                raise FormatError(f"{path}: the token {token[:40]!a} cannot be written in this format")
            lines.append(f"{token}\t{tag}")
        lines.append("")
    return "\n".join(lines) + "\n"


def _left_out(path: Path, n: int, scheme: Scheme) -> str:
    return (
        f"{path}: {counted(n, 'segment')} of tags that the scheme {scheme} does not allow left out (--tags loose keeps "
        "them)"
    )


def _read_at_once(path: Path, options: ReadOptions) -> LineFile | None:
    """Return the sentences of a file whose lines have equally many cells and in which nothing is wrong."""
    content = bytes_of_cells(read_text(path))
    found = None if content is None else scan_tags(content, options[COLUMN])
    if found is None or options[SENTENCES] == "line":
        return None
    tags = [Tag.of(tag) for tag in found.tags]
    known = [tag for tag in tags if tag is not None]
    classes = {tag.name for tag in known if tag.letter != "O"}
    if len(known) < len(tags) or (len(classes) > 1 and "" in classes) or not all(map(_TAG.fullmatch, found.tags)):
        return None
    try:
        scheme = options[SCHEME] or detect_scheme(tag.letter for tag in known)
        pieces = tag_pieces_of(found.codes, found.lengths, known, scheme)
        for name in classes - {""}:
            check_label(name, "the class")
        options.check_size((int(found.lengths.max()),), str(path))
    except SegmetryError:
        return None
    n = int((~pieces.well_formed).sum())
    if (n and options[TAGS] == "strict") or not {tag.letter for tag in known} <= set(LETTERS[scheme]):
        return None
    return LineFile(
        list(map(str, range(1, found.lengths.size + 1))),
        SpanLines.of_runs(pieces.allowed() if n and options[TAGS] == "drop" else pieces),
        has_classes=bool(classes - {""}),
        units=found.tokens,
        no_unit=NO_TOKEN,
        scheme=scheme if classes and options[SCHEME] is None else None,
        note=_left_out(path, n, scheme) if n and options[TAGS] == "drop" else None,
    )


@reads(
    "bio",
    "BIO, IOBES or BILOU tags in the columns of a CoNLL file, a token per line",
    (".conll", ".bio", ".iob", ".tsv"),
    sniff=_is_bio,
    options=(COLUMN, SENTENCES, TAGS, SCHEME),
    lines=_read_at_once,
    writer=Writer(
        _write_bio,
        holds=frozenset({"several items", "classes", "first gap", "inner gaps", "last gap", "no spans", "text"}),
    ),
)
def _read_bio(path: Path, options: ReadOptions) -> Iterator[Item]:
    sentences = list(_line_by_line(read_text(path), options[COLUMN], path))
    if not sentences:
        raise FormatError(f"{path}: contains no tagged tokens")
    if options[SENTENCES] == "line":
        joined = _Sentence(path.stem)
        for part in sentences:
            joined.tokens += part.tokens
            joined.tags += part.tags
            joined.places += list(part.places)
        sentences = [joined]
    used = set(chain.from_iterable(sentence.tags for sentence in sentences))
    _check_classes(used, sentences, path)
    scheme = _scheme_of(used, sentences, path, options[SCHEME])
    options.check_size((max(len(sentence.tags) for sentence in sentences),), str(path))
    tags = [sentence.tags for sentence in sentences]
    if options[TAGS] == "strict":
        _check_pieces(tag_pieces(tags, scheme), sentences, scheme, path)
    elif options[TAGS] == "drop" and (n := int((~tag_pieces(tags, scheme).well_formed).sum())):
        warnings.warn(_left_out(path, n, scheme), DataWarning, stacklevel=2)
    classed = any("-" in tag for tag in used)
    found = scheme if used != {"O"} and options[SCHEME] is None else None
    lines = SpanLines.from_tags(tags, scheme=scheme, malformed=_MALFORMED[options[TAGS]])
    for number, (sentence, spans) in enumerate(zip(sentences, lines, strict=True), start=1):
        units = None if all(token == NO_TOKEN for token in sentence.tokens) else tuple(sentence.tokens)
        content = spans if classed else Spans(spans.starts, spans.stops, spans.n)
        yield Item(sentence.name or str(number), content, units=units, scheme=found)
