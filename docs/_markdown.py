"""Every page as Markdown beside its HTML, and ``llms.txt``, which lists them: for programs that read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes


def markdown(page: nodes.Node, level: int = 0) -> str:
    """Return a parsed page as Markdown: code with what it printed, tables, lists, links and formulas.

    >>> markdown(nodes.paragraph("", "", nodes.Text("see "), nodes.literal("", "pq")))
    'see `pq`'
    """
    return "\n\n".join(part for part in _blocks(page, level) if part)


def _blocks(node: nodes.Node, level: int) -> Iterator[str]:
    if isinstance(node, nodes.Inline | nodes.TextElement) and not isinstance(node, nodes.FixedTextElement):
        yield from (
            (_inline(node),) if not isinstance(node, nodes.title) else (f"{'#' * max(level, 1)} {_inline(node)}",)
        )
    elif isinstance(node, nodes.literal_block | nodes.math_block):
        language = "math" if isinstance(node, nodes.math_block) else node.get("language", "")
        yield f"```{language}\n{node.astext()}\n```"
    elif isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        sign = "-" if isinstance(node, nodes.bullet_list) else "1."
        items = (markdown(item, level).replace("\n", "\n  ") for item in node.children)
        yield "\n".join(f"{sign} {item}" for item in items)
    elif isinstance(node, nodes.table):
        rows = [[_cell(entry, level) for entry in row.children] for row in node.findall(nodes.row)]
        if rows:
            head, *body = (f"| {' | '.join(row)} |" for row in rows)
            yield "\n".join([head, "|" + "---|" * len(rows[0]), *body])
    elif isinstance(node, nodes.raw | nodes.comment | nodes.target | nodes.image) or "toctree" in type(node).__name__:
        return
    else:
        deeper = level + isinstance(node, nodes.section)
        for child in node.children:
            yield from _blocks(child, deeper)


def _cell(entry: nodes.Node, level: int) -> str:
    return " ".join(markdown(entry, level).split()).replace("|", r"\|")


def _inline(node: nodes.Node) -> str:
    if isinstance(node, nodes.Text):
        return str(node.astext())
    inner = "".join(map(_inline, node.children))
    if isinstance(node, nodes.literal):
        return f"`{node.astext()}`"
    if isinstance(node, nodes.math):
        return f"${node.astext()}$"
    if isinstance(node, nodes.strong | nodes.emphasis):
        return (
            f"{'**' if isinstance(node, nodes.strong) else '*'}{inner}{'**' if isinstance(node, nodes.strong) else '*'}"
        )
    if isinstance(node, nodes.reference):
        address = node.get("refuri") or f"#{node.get('refid', '')}"
        return f"[{inner}]({address.replace('.html', '.md')})" if inner else ""
    return "" if isinstance(node, nodes.raw | nodes.image) else inner


def write_page(out: Path, name: str, doctree: nodes.document | None) -> None:
    """Write one page as Markdown, beside its HTML."""
    if doctree is not None:
        path = out / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markdown(doctree) + "\n", encoding="utf-8")


def write_index(out: Path, env: Any) -> None:
    """Write ``llms.txt``: what segmetry is, and every page with its title."""
    names = sorted(env.found_docs, key=lambda name: (name.count("/"), name))
    lines = [
        "# segmetry",
        "",
        "> Evaluate segmentations of anything: images, volumes, video, point clouds, text, sound, page streams, maps.",
        "> Python (`import segmetry as sm`), command line (`segmetry score TRUE PRED --protocol NAME`), HTML report.",
        "",
    ]
    groups: dict[str, list[str]] = {}
    for name in names:
        title = env.titles[name].astext() if name in env.titles else name
        groups.setdefault(name.rpartition("/")[0] or "guides", []).append(f"- [{title}]({name}.md)")
    for group, members in groups.items():
        lines += [f"## {group}", "", *members, ""]
    (out / "llms.txt").write_text("\n".join(lines), encoding="utf-8")
