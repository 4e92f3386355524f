"""The questions that lead to a protocol and a command, from `questions.toml`.

Every question is a section, its answers are links to sections, and the style sheet shows the one that is addressed: the
buttons work without scripts, and the browser's back key takes back an answer.
"""

from __future__ import annotations

import tempfile
import tomllib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from _tries import run_segmetry, tried

from segmetry.metrics.declare import METRICS
from segmetry.protocols.protocol import PROTOCOLS
from segmetry.samples.shipped import write_demo

HERE = Path(__file__).resolve().parent
TREE: dict[str, dict[str, Any]] = tomllib.loads((HERE / "questions.toml").read_text("utf-8"))
PROTOCOL = "protocol "
BACK = '<p class="back"><a href="#which-start">begin again</a></p>'


def questions_page() -> str:
    """Return all questions and what they lead to, as Markdown around HTML."""
    lines = ['<div class="questions">']
    for name, question in TREE["questions"].items():
        back = "" if name == "start" else BACK
        answers = "".join(
            f'<a class="answer" href="#which-{slug(target)}">{escape(words)}</a>'
            for words, target in question["answers"]
        )
        lines.append(f'<section id="which-{name}"><h3>{escape(question["ask"])}</h3><p>{answers}</p>{back}</section>')
    targets = {target for question in TREE["questions"].values() for _, target in question["answers"]}
    for target in sorted(targets - TREE["questions"].keys()):
        body = _protocol(target.removeprefix(PROTOCOL)) if target.startswith(PROTOCOL) else _advice(target)
        lines.append(f'<section id="which-{slug(target)}">{body}{BACK}</section>')
    return "\n".join(["```{raw} html", *lines, "</div>", "```"])


def slug(target: str) -> str:
    """Return a target as part of an address."""
    return target.replace(" ", "-")


def _links(keys: list[str]) -> str:
    return " ".join(
        f'<a class="metric" href="metrics/{key}.html" title="{escape(METRICS[key].summary)}">{key}</a>' for key in keys
    )


def _protocol(name: str) -> str:
    protocol = PROTOCOLS[name]
    found = tried(name)
    return (
        f'<h3>The protocol <a href="protocols/{name}.html">{name}</a></h3>'
        f"<p>{escape(protocol.summary)} Equal to {escape(protocol.reference.package)}.</p>"
        f'<div class="highlight"><pre>segmetry score TRUE PRED --protocol {name}</pre></div>'
        f'<p class="prints"><img src="scenes/{found.picture}" alt="an example" loading="lazy"></p>'
        f"<details><summary>What it prints on this example</summary><pre>$ {escape(found.command)}\n"
        f"{escape(found.output)}</pre></details><p>Metrics: {_links(list(protocol.metrics))}</p>"
    )


def _advice(name: str) -> str:
    advice = TREE["advice"][name]
    words = advice["say"]
    for part in words.split("[")[1:]:  # links as Markdown writes them
        text, _, rest = part.partition("](")
        address = rest.partition(")")[0]
        words = words.replace(f"[{text}]({address})", f'<a href="{address.replace(".md", ".html")}">{text}</a>')
    output = _on_demo(advice["command"])
    return (
        f"<h3>{_links(advice['metrics'])}</h3><p>{words}</p>"
        f'<div class="highlight"><pre>{escape(advice["command"])}</pre></div>'
        f"<details><summary>What it prints on the files of segmetry demo</summary><pre>{escape(output)}</pre></details>"
    )


@cache
def demo_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with the files of the demo, which lives as long as the build."""
    folder = tempfile.TemporaryDirectory()
    write_demo(Path(folder.name) / "demo")
    return folder


def _on_demo(command: str) -> str:
    """Return what a command prints on the files of the demo; an error if it fails."""
    output = run_segmetry(*command.split()[1:], folder=Path(demo_folder().name))
    if output is None:
        raise RuntimeError(f"{command} failed")
    return output


def check() -> None:
    """Raise for an answer that leads nowhere, and for a protocol that no answer leads to."""
    targets = [target for question in TREE["questions"].values() for _, target in question["answers"]]
    known = {*TREE["questions"], *TREE["advice"], *(f"{PROTOCOL}{name}" for name in PROTOCOLS)}
    lost = set(targets) - known
    missed = {f"{PROTOCOL}{name}" for name in PROTOCOLS} - set(targets)
    unknown = {key for advice in TREE["advice"].values() for key in advice["metrics"]} - set(METRICS)
    if lost or missed or unknown:
        raise ValueError(f"answers lead nowhere: {lost}; protocols without an answer: {missed}; no metrics: {unknown}")
