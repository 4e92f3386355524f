"""Write the metric reference from the declarations: one page for each family, one section for each metric.

A metric is declared once, in code; this page, `segmetry explain` and the report's tooltips all repeat the declaration.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from segmetry._base.bibliography import reference
from segmetry.metrics.declare import family_title
from segmetry.metrics.metric_names import NOT_COMPUTED


class Metric(Protocol):
    """The facts of a declaration that the reference shows."""

    @property
    def key(self) -> str: ...
    @property
    def symbol(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def citation(self) -> tuple[Any, ...]: ...
    @property
    def notes(self) -> str: ...
    @property
    def bounds(self) -> tuple[Any, Any]: ...
    @property
    def better(self) -> str: ...
    @property
    def symmetric(self) -> bool: ...
    @property
    def needs(self) -> Any: ...
    @property
    def averages(self) -> Any: ...
    @property
    def aliases(self) -> Mapping[str, Mapping[str, Any]]: ...


PEERS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("peers.toml").read_text("utf-8"))["peer"]
"""Which other packages compute a metric, and how they differ."""
Draw = Callable[[Any], "str | None"]
"""The picture of a metric's first example as SVG text, None where it has none."""


def no_picture(_metric: Metric) -> None:
    """For declarations without examples."""


def write_pages(metrics: Mapping[str, Metric], folder: Path, draw: Draw = no_picture) -> None:
    """Replace `folder` by freshly written pages, with the picture of an example for each metric that has one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    families: dict[str, list[Metric]] = {}
    drawn = set()
    for metric in metrics.values():
        families.setdefault(metric.family, []).append(metric)
        picture = draw(metric)
        if picture is not None:
            (folder / f"{metric.key}.svg").write_text(picture, encoding="utf-8")
            drawn.add(metric.key)
    for family, members in families.items():
        (folder / f"{family}.md").write_text(family_page(family, members, drawn), encoding="utf-8")
    (folder / "index.md").write_text(index_page(families), encoding="utf-8")


def index_page(families: Mapping[str, Iterable[Metric]]) -> str:
    """Return the list of families, each with its keys."""
    rows = [
        f"| [{family}]({family}.md) | {' '.join(f'[`{m.key}`](#metric-{slug(m.key)})' for m in members)} |"
        for family, members in families.items()
    ]
    return "\n".join(
        [
            "# Metrics",
            "",
            "Every metric has one key, the same in Python, on the command line, in JSON and in the report.",
            "This reference is written from the declarations in the code.",
            "",
            "| family | keys |",
            "|---|---|",
            *rows,
            "",
            "Keys may be written in any case, with `-` or `_`, and many have other names: `HD95` is `hausdorff95`.",
            "",
            "## Computed elsewhere",
            "",
            "Names that people look for here. Asking for one of them says the same.",
            "",
            "| name | |",
            "|---|---|",
            *(f"| `{name}` | {words} |" for name, words in NOT_COMPUTED.items()),
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *families,
            "```",
            "",
        ]
    )


def family_page(family: str, members: Iterable[Metric], drawn: Container[str] = ()) -> str:
    """One section for each metric of the family."""
    sections = (line for metric in members for line in _section(metric, drawn=metric.key in drawn))
    return "\n".join([f"# {family_title(family)}", "", *sections])


def _section(metric: Metric, *, drawn: bool) -> list[str]:
    low, high = metric.bounds
    return [
        f"(metric-{slug(metric.key)})=",
        f"## `{metric.key}`",
        "",
        f"{{math}}`{metric.symbol}`: {metric.summary}",
        "",
        "```{math}",
        metric.formula,
        "```",
        "",
        "| | |",
        "|---|---|",
        f"| range | {_bound(low)} to {_bound(high)} |",
        f"| better | {metric.better} |",
        f"| symmetric in true and pred | {'yes' if metric.symmetric else 'no'} |",
        f"| computed from | {_listed(metric.needs)} |",
        f"| over many items | {_listed(metric.averages)} |",
        *([f"| also called | {_aliases(metric)} |"] if metric.aliases else []),
        *(f"| paper | {_cited(key)} |" for key in metric.citation),
        "",
        *([metric.notes, ""] if metric.notes else []),
        *_peers(metric.key),
        *([f"![An example of {metric.key}]({metric.key}.svg)", ""] if drawn else []),
    ]


def _aliases(metric: Metric) -> str:
    """The aliases, with the options that they bring along."""
    return ", ".join(
        f"`{alias}`" + "".join(f" (`{name}={value}`)" for name, value in options.items())
        for alias, options in metric.aliases.items()
    )


def _peers(key: str) -> list[str]:
    rows = [f"| {row['by']} | {row['differs']} |" for row in PEERS if key in row["keys"]]
    return ["| computed elsewhere by | how it differs |", "|---|---|", *rows, ""] if rows else []


def _cited(key: str) -> str:
    paper = reference(key)
    link = paper.link()
    return f"{f'[{paper.short()}]({link})' if link else paper.short()}: {paper.title}"


def slug(key: str) -> str:
    """Return the key as part of an address: `pq_dagger` becomes `pq-dagger`."""
    return key.replace("_", "-")


def _bound(value: object) -> str:
    if value is None or value in (float("inf"), float("-inf")):
        return "unbounded"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _listed(value: object) -> str:
    """Return a word unchanged, several words joined by commas, in sorted order if they are a set."""
    if isinstance(value, str):
        return value
    if isinstance(value, (set, frozenset)):
        return ", ".join(sorted(str(word) for word in value))
    if isinstance(value, Iterable):
        return ", ".join(str(word) for word in value)
    return str(value)
