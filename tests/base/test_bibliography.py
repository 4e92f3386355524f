"""The subset of BibTeX that references.bib uses, and that file itself."""

from __future__ import annotations

import re

import pytest

from segmetry._base.bibliography import Author, find_reference, is_key, parse, reference, references

COMPLETE = """\
% a comment

@article{doe2001title,
  author = {Doe, Jane and van der Berg, Jan},
  title = {A Title, with a comma},
  journal = {Journal of Things},
  year = {2001},
  volume = {3},
  pages = {1--9},
}
"""


def test_a_complete_entry_is_read_field_by_field() -> None:
    entry = parse(COMPLETE)["doe2001title"]
    assert entry.authors == (Author("Doe", "Jane"), Author("van der Berg", "Jan"))
    assert (entry.title, entry.venue, entry.year) == ("A Title, with a comma", "Journal of Things", 2001)
    assert (entry.volume, entry.number, entry.pages, entry.doi, entry.url) == ("3", None, "1--9", None, None)
    assert entry.link() is None
    assert entry.short() == "Doe and van der Berg 2001"
    assert entry.full() == "Jane Doe and Jan van der Berg. A Title, with a comma. Journal of Things 3:1–9, 2001."


@pytest.mark.parametrize(
    ("authors", "short", "people"),
    [
        ("Doe, Jane", "Doe 2001", "Jane Doe."),
        ("Doe, Jane and Roe, Ann", "Doe and Roe 2001", "Jane Doe and Ann Roe."),
        ("Doe, Jane and Roe, Ann and Poe, Ed", "Doe et al. 2001", "Jane Doe, Ann Roe and Ed Poe."),
        ("Doe, Jane and others", "Doe et al. 2001", "Jane Doe et al."),
    ],
)
def test_authors_are_named_by_their_number(authors: str, short: str, people: str) -> None:
    entry = parse(COMPLETE.replace("Doe, Jane and van der Berg, Jan", authors))["doe2001title"]
    assert entry.short() == short
    assert entry.full().startswith(f"{people} A Title")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@article{doe2001title,", "@article{Doe2001,", "line 3: expected `@kind{family2001word,`"),
        ("  volume = {3},", "  volume = 3,", "line 8: expected `  name = {value},` or `}`"),
        ("  volume = {3},", "  volume = {{3}},", "line 8: expected"),
        ("  volume = {3},", "  volume = {3}", "line 8: expected"),
        ("  volume = {3},", "  colour = {3},", "line 8: unknown field 'colour'"),
        ("  volume = {3},", "  year = {2001},", "line 8: 'doe2001title' has the field 'year' twice"),
        ("  journal = {Journal of Things},\n", "", "needs exactly one of journal, booktitle"),
        ("  volume = {3},", "  publisher = {House},", "needs exactly one of journal, booktitle"),
        ("  title = {A Title, with a comma},\n", "", "'doe2001title' lacks title"),
        ("  year = {2001},", "  year = {2002},", "the year '2002' is not the year in the key"),
        ("  year = {2001},", "  year = {200},", "the year '200' is not the year in the key"),
        ("Doe, Jane and", "Jane Doe and", "the author 'Jane Doe'; expected 'Family, Given'"),
        ("Doe, Jane and", ", Jane and", "the author ', Jane'; expected 'Family, Given'"),
        ("Doe, Jane and van der Berg, Jan", "others", "names no author"),
        ("}\n", "}\nloose words\n", "line 11: expected `@kind{family2001word,`"),
    ],
)
def test_anything_outside_the_subset_is_an_error_that_says_where(old: str, new: str, message: str) -> None:
    head, separator, tail = COMPLETE.rpartition(old)
    assert separator, "the case must change the text"
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(head + new + tail)


def test_a_key_is_used_once() -> None:
    with pytest.raises(ValueError, match="line 12: the key 'doe2001title' is used twice"):
        parse(COMPLETE + "\n" + COMPLETE.partition("\n\n")[2])


def test_an_entry_is_closed() -> None:
    with pytest.raises(ValueError, match="'doe2001title' is not closed"):
        parse(COMPLETE.removesuffix("}\n"))


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(KeyError, match="no entry 'kirilov2019panoptic'; did you mean 'kirillov2019panoptic'"):
        reference("kirilov2019panoptic")
    with pytest.raises(KeyError, match=r"no entry 'zzz'\""):
        reference("zzz")


def test_the_shipped_file_is_consistent() -> None:
    shipped = references()
    assert len(shipped) >= 40
    dois = [entry.doi for entry in shipped.values() if entry.doi]
    assert len(dois) == len(set(dois)), "one paper, one entry"
    for key, entry in shipped.items():
        assert key == entry.key
        first = re.sub(r"[^a-z]", "", entry.authors[0].family.translate(str.maketrans("áéóòöüăš", "aeooouas")).lower())
        assert key.startswith(f"{first}{entry.year}"), "a key is first author, year, word of the title"
        assert entry.doi is None or re.fullmatch(r"10\.[0-9]{4,}/\S+", entry.doi)
        assert entry.url is None or entry.url.startswith("https://")
        assert entry.title in entry.full()
        assert str(entry.year) in entry.short()


def test_the_example_of_find_reference() -> None:
    assert find_reference("Somebody 2020, in print") is None


def test_the_example_of_is_key() -> None:
    assert (is_key("rand1971objective"), is_key("Rand 1971")) == (True, False)
