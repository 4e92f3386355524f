"""Write the protocol reference from the declarations: an index, and one page for each protocol.

A protocol is declared once, in code; these pages, `segmetry protocols` and `segmetry explain` repeat the declaration.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from _tries import tried

from segmetry._base.bibliography import Reference, find_reference
from segmetry.outputs.tables.explanations import neighbour_sentences, prints, protocol_facts
from segmetry.protocols.decisions import decisions_of
from segmetry.protocols.protocol import Protocol


def write_protocol_pages(protocols: Mapping[str, Protocol], folder: Path) -> None:
    """Replace `folder` by freshly written pages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, protocol in protocols.items():
        (folder / f"{name}.md").write_text(protocol_page(protocol), encoding="utf-8")
    (folder / "index.md").write_text(protocols_index(protocols.values()), encoding="utf-8")


def protocols_index(protocols: Iterable[Protocol]) -> str:
    """Return the list of protocols: name, field, what each prints, and its reference."""
    listed = list(protocols)
    rows = [
        f"| [`{protocol.name}`]({protocol.name}.md) | {protocol.field} | {prints(protocol)} | "
        f"{protocol.reference.package} {protocol.reference.version} |"
        for protocol in listed
    ]
    return "\n".join(
        [
            "# Protocols",
            "",
            "How communities evaluate: what is read how, which metrics, averaged over what, laid out in their table,",
            "and equal to their reference implementation. [The guide](../howto/protocols.md) says how to use one and",
            "how to declare your own.",
            "",
            "| protocol | field | prints | equal to |",
            "|---|---|---|---|",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *(protocol.name for protocol in listed),
            "```",
            "",
        ]
    )


def protocol_page(protocol: Protocol) -> str:
    """Return the page of a protocol: every decision in words."""
    facts = {**protocol_facts(protocol), "metrics": _metrics(protocol)}
    lines = [f"# `{protocol.name}`", "", f"*{protocol.field}*: {protocol.summary}", ""]
    lines += ["| | |", "|---|---|", *(f"| {name} | {words} |" for name, words in facts.items())]
    lines += [f"| paper | {_cited(key)} |" for key in protocol.citation]
    lines += ["", f"Above the table stands: “{protocol.header}”.", "", *example(protocol)]
    for title, sentences in (
        ("Decisions", protocol.decisions),
        ("Differences from the reference", protocol.exceptions),
        (
            f"{protocol.headline_cell.name} as values",
            [f"{one.sentence}. {one.question}" for one in decisions_of(protocol)],
        ),
        ("Neighbours", [re.sub(r"^[^:]*", r"[`\g<0>`](\g<0>.md)", one) for one in neighbour_sentences(protocol)]),
    ):
        if sentences:
            lines += [f"## {title}", "", *(f"- {sentence}" for sentence in sentences), ""]
    return "\n".join(lines)


def example(protocol: Protocol) -> list[str]:
    """Return the protocol tried on a small scene: its picture, the command and what it prints."""
    found = tried(protocol.name)
    picture = (
        f'<img class="picture example" src="../scenes/{found.picture}" alt="the truth and the prediction" width="260">'
    )
    return [
        "## Try it",
        "",
        'On files like this picture, in <a href="../scenes.zip" download>scenes.zip</a>:',
        "",
        f"```{{raw}} html\n{picture}\n```",
        "",
        f"```console\n$ {found.command}\n{found.output}\n```",
        "",
    ]


def _metrics(protocol: Protocol) -> str:
    named = []
    for key in protocol.metrics:
        options = ", ".join(f"{name}={value!r}" for name, value in protocol.options.get(key, {}).items())
        link = f"[`{key}`](#metric-{key.replace('_', '-')})"
        named.append(f"{link} ({options})" if options else link)
    return ", ".join(named)


def _cited(key: str | Reference) -> str:
    paper = find_reference(key)
    if paper is None:
        return str(key)
    link = paper.link()
    return f"{f'[{paper.short()}]({link})' if link else paper.short()}: {paper.title}"
