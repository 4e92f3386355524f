"""The papers behind the metrics: ``references.bib``, read by a small strict parser.

The file is a subset of BibTeX, so other tools can read it too: entries ``@kind{key,`` … ``}``, one ``name = {value},``
per line, comments after ``%`` at the start of a line. Anything else is an error with its line number: a bibliography
is never read approximately. Lines are taken apart without patterns, which take longer to compile than an entry to read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from segmetry._base.frozen_records import frozen_dataclass

_LETTERS = "abcdefghijklmnopqrstuvwxyz"  # those of the module string, which every first metric would import
_VENUES = ("journal", "booktitle", "publisher", "howpublished")
_VENUE_OF = {"article": "journal", "inproceedings": "booktitle", "book": "publisher", "phdthesis": "publisher"}
_OPTIONAL = ("volume", "number", "pages", "doi", "url")
_KNOWN = frozenset({"author", "title", "year", *_OPTIONAL, *_VENUES})


@frozen_dataclass()
class Author:
    """One author."""

    family: str
    given: str


@frozen_dataclass()
class Reference:
    """One paper. ``et_al``: there are more authors than those named here."""

    key: str
    authors: tuple[Author, ...]
    et_al: bool
    title: str
    venue: str
    year: int
    volume: str | None
    number: str | None
    pages: str | None
    doi: str | None
    url: str | None
    kind: str = "article"

    def short(self) -> str:
        """Return the paper as it is cited in running text.

        >>> reference("kirillov2019panoptic").short()
        'Kirillov et al. 2019'
        >>> reference("vanheusden2024sharper").short()
        'van Heusden and Marx 2024'
        """
        families = [author.family for author in self.authors]
        if self.et_al or len(families) > 2:
            return f"{families[0]} et al. {self.year}"
        return f"{' and '.join(families)} {self.year}"

    def full(self) -> str:
        """Return the paper as it appears in a list of references.

        >>> reference("tversky1977features").full()
        'Amos Tversky. Features of similarity. Psychological Review 84(4):327–352, 1977. https://doi.org/10.1037/0033-295X.84.4.327'
        """
        names = [f"{author.given} {author.family}".strip() for author in self.authors]
        if self.et_al:
            people = f"{', '.join(names)} et al."
        else:
            people = f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}."
        address = self.link()
        return f"{people} {self.title}. {self.venue}{self._publication_place()}, {self.year}." + (
            f" {address}" if address else ""
        )

    def link(self) -> str | None:
        """Return the address of the paper: its DOI if it has one, else its URL, else None.

        >>> reference("rosenberg2007vmeasure").link()
        'https://aclanthology.org/D07-1043/'
        """
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    def bibtex(self) -> str:
        """Return the paper as an entry of BibTeX.

        >>> print(reference("vanrijsbergen1979information").bibtex())
        @book{vanrijsbergen1979information,
          author = {van Rijsbergen, C. J.},
          title = {Information Retrieval},
          publisher = {Butterworths},
          year = {1979},
        }
        """
        names = [f"{author.family}, {author.given}" for author in self.authors] + ["others"] * self.et_al
        fields = {
            "author": " and ".join(names),
            "title": self.title,
            _VENUE_OF.get(self.kind, "howpublished"): self.venue,
            **{name: getattr(self, name) for name in ("year", *_OPTIONAL)},
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value is not None]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    def _publication_place(self) -> str:
        """Return volume, number and pages, as far as they are known: `` 84(4):327–352`` or ``, pages 9404–9413``."""
        pages = self.pages.replace("--", "–") if self.pages else None
        if self.volume is None:
            return f", pages {pages}" if pages else ""
        number = f"({self.number})" if self.number else ""
        return f" {self.volume}{number}" + (f":{pages}" if pages else "")


def reference(key: str) -> Reference:
    """Return the paper with this key in ``references.bib``."""
    paper = _paper_of_key(key)
    if paper is None:
        from difflib import get_close_matches

        near = get_close_matches(key, references(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise KeyError(f"references.bib has no entry {key!r}{hint}")
    return paper


def find_reference(citation: str | Reference) -> Reference | None:
    """Return the paper of a citation, a reference or the key of one; None for a citation in plain text."""
    return citation if isinstance(citation, Reference) else _paper_of_key(citation)


def is_key(citation: str) -> bool:
    """Return whether a text is written like a key of ``references.bib``."""
    rest = citation.lstrip(_LETTERS)
    return rest != citation and _is_year(rest[:4]) and _is_word(rest[4:])


@cache
def references() -> Mapping[str, Reference]:
    """Return every paper by its key, in the order of the file."""
    return parse(_file_content())


@cache
def _file_content() -> str:
    with open(f"{os.path.dirname(__file__)}/references.bib", encoding="utf-8") as file:  # noqa: PTH120, PTH123 - pathlib takes 3 ms to import
        return file.read()


@cache
def _paper_of_key(key: str) -> Reference | None:
    """Return one paper, without reading the others: the help of a metric names one or two; None for no key."""
    content = _file_content()
    place = content.find(f"{{{key},\n") if is_key(key) else -1
    if place < 0:
        return None
    entry = content[content.rfind("\n", 0, place) + 1 : content.index("\n}\n", place) + 2]
    return parse(entry)[key]


def _is_word(text: str) -> bool:
    return bool(text) and not text.strip(_LETTERS)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdecimal()


def parse(text: str) -> dict[str, Reference]:
    """Read a bibliography in our subset of BibTeX; ValueError with the line number for anything outside it."""
    papers: dict[str, Reference] = {}
    key: str | None = None
    kind = ""
    fields: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"references.bib, line {number}"
        if key is None:
            if not line.strip() or line.startswith("%"):
                continue
            (kind, key), fields = _entry_start(line, where), {}
            if key in papers:
                raise ValueError(f"{where}: the key {key!r} is used twice")
        elif line == "}":
            papers[key] = _build_reference(kind, key, fields, where)
            key = None
        else:
            name, value = _entry_field(line, where)
            if name in fields:
                raise ValueError(f"{where}: {key!r} has the field {name!r} twice")
            fields[name] = value
    if key is not None:
        raise ValueError(f"references.bib: the entry {key!r} is not closed by a line `}}`")
    return papers


def _entry_start(line: str, where: str) -> tuple[str, str]:
    """Return kind and key of ``@kind{key,``."""
    kind, _, key = line.partition("{")
    if not (kind[:1] == "@" and _is_word(kind[1:]) and key[-1:] == "," and is_key(key[:-1])):
        raise ValueError(f"{where}: expected `@kind{{family2001word,` or a comment, found {line!r}")
    return kind[1:], key[:-1]


def _entry_field(line: str, where: str) -> tuple[str, str]:
    """Return name and value of ``  name = {value},``."""
    start, _, rest = line.partition(" = {")
    name, value = start[2:], rest[:-2]
    if not (start[:2] == "  " and _is_word(name) and rest[-2:] == "}," and value) or "{" in value or "}" in value:
        raise ValueError(f"{where}: expected `  name = {{value}},` or `}}`, found {line!r}")
    if name not in _KNOWN:
        raise ValueError(f"{where}: unknown field {name!r}; known: {', '.join(sorted(_KNOWN))}")
    return name, value


def _build_reference(kind: str, key: str, fields: Mapping[str, str], where: str) -> Reference:
    missing = [name for name in ("author", "title", "year") if name not in fields]
    if missing:
        raise ValueError(f"{where}: {key!r} lacks {', '.join(missing)}")
    venues = [name for name in _VENUES if name in fields]
    if len(venues) != 1:
        raise ValueError(f"{where}: {key!r} needs exactly one of {', '.join(_VENUES)}, found {venues or 'none'}")
    if not _is_year(fields["year"]) or fields["year"] not in key:
        raise ValueError(f"{where}: the year {fields['year']!r} is not the year in the key {key!r}")
    authors, et_al = _author_names(fields["author"], key, where)
    return Reference(
        key=key,
        authors=authors,
        et_al=et_al,
        title=fields["title"],
        venue=fields[venues[0]],
        year=int(fields["year"]),
        kind=kind,
        **{name: fields.get(name) for name in _OPTIONAL},
    )


def _author_names(text: str, key: str, where: str) -> tuple[tuple[Author, ...], bool]:
    """Split "Family, Given and Family, Given and others"."""
    names = text.split(" and ")
    et_al = names[-1] == "others"
    authors = []
    for name in names[:-1] if et_al else names:
        family, _, given = name.partition(", ")
        if not family or not given:
            raise ValueError(f"{where}: {key!r} has the author {name!r}; expected 'Family, Given'")
        authors.append(Author(family, given))
    if not authors:
        raise ValueError(f"{where}: {key!r} names no author")
    return tuple(authors), et_al
