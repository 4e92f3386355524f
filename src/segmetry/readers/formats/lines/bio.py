"""Tags in columns, as in CoNLL files: a token per line, its tag (``B-PER``, ``I-PER``, ``O``) in the last column.

Empty lines separate sentences. Each sentence is an item named by its number or by a preceding comment
``# sent_id = NAME``; with ``--sentences line`` the file is one item. A line ``-DOCSTART-``
separates like an empty line. ``--column`` counts from 1. The letters of a file say whether it is BIO, IOBES or BILOU;
``--scheme`` states it, and must for IOB1. Tags that the scheme does not allow are an error; ``--tags loose`` takes them
as a segment, as the CoNLL script does, ``--tags drop`` leaves them out, as seqeval's strict mode does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segmetry.errors import FormatError, SpanError
from segmetry.readers.items import Item
from segmetry.readers.parts.safe_names import check_label
from segmetry.readers.parts.text_file import read_lines, whole_lines
from segmetry.readers.reader import Choice, Integer, Option, ReadOptions, Writer, reads
from segmetry.segmentation import LETTERS, SCHEMES, Malformed, Scheme, Spans, detect_scheme, tag_pieces

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
    "scheme", "BIO: the scheme of the tags. [default: found from the letters; iob1 is not]", Choice(SCHEMES)
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
    places: list[tuple[int, int]] = field(default_factory=list)


def _scheme_of(sentences: Sequence[_Sentence], path: Path, stated: Scheme | None) -> Scheme:
    """Return the scheme of a file, stated or detected; a letter that it does not have is an error."""
    try:
        scheme = stated or detect_scheme(tag[0] for sentence in sentences for tag in sentence.tags)
    except SpanError as problem:
        raise FormatError(f"{path}: {problem}") from None
    for sentence in sentences:
        for tag, (line, column) in zip(sentence.tags, sentence.places, strict=True):
            if tag[0] not in LETTERS[scheme]:
                raise FormatError(
                    f"{path}, line {line}, column {column}: {tag[:40]!a} is not a tag of the scheme {scheme}; expected "
                    f"the letters {', '.join(LETTERS[scheme])} (--scheme states another)"
                )
    return scheme


def _read_sentences(path: Path, options: ReadOptions) -> Iterator[_Sentence]:
    current = _Sentence()
    for number, line in enumerate(read_lines(path), start=1):
        comment = _COMMENT.fullmatch(line.strip())
        if not line.strip() or line.startswith(_BREAK):
            if current.tags:
                yield current
                current = _Sentence()
        elif comment and not current.tags:
            if comment[1] == "sent_id":
                current.name = comment[2]
        else:
            _add_token(current, line, f"{path}, line {number}", number, options)
    if current.tags:
        yield current


def _add_token(sentence: _Sentence, line: str, where: str, number: int, options: ReadOptions) -> None:
    cells = line.split("\t") if "\t" in line else line.split()
    column = options[COLUMN] or len(cells)
    if not 1 <= column <= len(cells):
        raise FormatError(f"{where}: {len(cells)} columns; --column is {column}")
    tag = cells[column - 1].strip()
    if not _TAG.fullmatch(tag):
        raise FormatError(
            f"{where}, column {column}: {tag[:40]!a} is not a tag; expected O, or B, I, E, S, L or U, with the class "
            "after a dash"
        )
    sentence.tokens.append(NO_TOKEN if len(cells) == 1 else cells[0].strip())
    sentence.tags.append(tag)
    sentence.places.append((number, column))


def _check_classes(sentences: Sequence[_Sentence], path: Path) -> None:
    """Require that all segments of a file have a class or none has."""
    bare: tuple[int, int] | None = None
    classed = False
    for sentence in sentences:
        for tag, place in zip(sentence.tags, sentence.places, strict=True):
            name = tag[2:]
            if name:
                classed = True
                check_label(name, f"{path}, line {place[0]}, column {place[1]}: the class")
            elif tag != "O" and bare is None:
                bare = place
    if bare is not None and classed:
        raise FormatError(f"{path}, line {bare[0]}, column {bare[1]}: a tag without a class, but others have one")


def _check_pieces(sentence: _Sentence, scheme: Scheme, path: Path) -> None:
    pieces = tag_pieces([sentence.tags], scheme)
    for at in np.flatnonzero(~pieces.well_formed).tolist():
        opened = bool(pieces.opened[at])
        token = int(pieces.stops[at]) - 1 if opened else int(pieces.starts[at])
        tag, (line, column) = sentence.tags[token], sentence.places[token]
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


@reads(
    "bio",
    "BIO, IOBES or BILOU tags in the columns of a CoNLL file, a token per line",
    (".conll", ".bio", ".iob", ".tsv"),
    sniff=_is_bio,
    options=(COLUMN, SENTENCES, TAGS, SCHEME),
    writer=Writer(
        _write_bio,
        holds=frozenset({"several items", "classes", "first gap", "inner gaps", "last gap", "no spans", "text"}),
    ),
)
def _read_bio(path: Path, options: ReadOptions) -> Iterator[Item]:
    sentences = list(_read_sentences(path, options))
    if not sentences:
        raise FormatError(f"{path}: contains no tagged tokens")
    if options[SENTENCES] == "line":
        joined = _Sentence(path.stem)
        for part in sentences:
            joined.tokens += part.tokens
            joined.tags += part.tags
            joined.places += part.places
        sentences = [joined]
    _check_classes(sentences, path)
    scheme = _scheme_of(sentences, path, options[SCHEME])
    classed = any("-" in tag for sentence in sentences for tag in sentence.tags)
    for number, sentence in enumerate(sentences, start=1):
        options.check_size((len(sentence.tags),), str(path))
        if options[TAGS] == "strict":
            _check_pieces(sentence, scheme, path)
        spans = Spans.from_tags(sentence.tags, scheme=scheme, malformed=_MALFORMED[options[TAGS]])
        if not classed:
            spans = Spans(spans.starts, spans.stops, spans.n)
        units = None if set(sentence.tokens) <= {NO_TOKEN} else tuple(sentence.tokens)
        yield Item(sentence.name or str(number), spans, units=units)
