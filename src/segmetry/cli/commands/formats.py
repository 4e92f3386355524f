"""``segmetry formats``."""

from __future__ import annotations

import click

from segmetry.cli.console import as_listing
from segmetry.cli.listing import ListedEntry, print_listing, search_words
from segmetry.installation import about
from segmetry.readers import READERS, Reader


@click.command(name="formats", epilog="\b\nExamples:\n  segmetry formats\n  segmetry formats nifti")
@search_words
@click.option("--json", "as_data", is_flag=True, help="Print as JSON.")
def command(words: tuple[str, ...], *, as_data: bool) -> None:
    """List the file formats, or those with some words: what is read and written, and the kernels in use."""
    if as_data:
        rows = [
            {"name": reader.name, "extensions": reader.extensions, "summary": reader.summary, "extra": reader.extra}
            | {"writes": reader.writer is not None, "options": [option.flag for option in reader.options]}
            for reader in READERS.values()
        ]
        click.echo(as_listing("formats", rows), nl=False)
        return
    facts = about()
    below = (
        "w: written, too, by 'segmetry convert'; /: a folder. Install extras with pip: 'segmetry[tiff]'. "
        f"segmetry {facts['segmetry']} uses its {facts['kernels']} kernels."
    )
    print_listing([_listed(reader) for reader in READERS.values()], words, "format", below)


def _listed(reader: Reader) -> ListedEntry:
    """Return one entry; its options are last, for they are shown where few formats are."""
    ways = ["w"] * (reader.writer is not None) + ([f"extra {reader.extra}"] if reader.extra else [])
    words = [f"[{', '.join(ways)}]"] if ways else []
    options = "".join(f" {option.flag}" for option in reader.options)
    return ListedEntry(
        reader.name,
        " ".join([*reader.extensions, *words, reader.summary, *([f"options:{options}"] if options else [])]),
    )
