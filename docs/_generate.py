"""Write the metric reference from the declarations: one table of all metrics, and a page for each.

A metric is declared once, in code; these pages, `segmetry explain` and the tooltips of the report repeat it. The values
under the pictures, the call and the command of a page are computed while it is written, on the scenes of `_scenes`;
`pitfalls.toml` adds what no declaration says.
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from inspect import cleandoc
from itertools import combinations
from pathlib import Path
from typing import Any

from _scenes import SCENES, Scene, Seen, homes_of, options_of, seen_by
from _task_tables import protocols_by_task
from click.testing import CliRunner

import segmetry as sm
from segmetry._base.bibliography import Reference, find_reference
from segmetry.metrics.declare import METRICS, Metric, family_title
from segmetry.metrics.metric_docstring import example_lines
from segmetry.metrics.metric_names import NOT_COMPUTED
from segmetry.protocols.protocol import PROTOCOLS
from segmetry.results import number

HERE = Path(__file__).resolve().parent
PEERS: list[dict[str, Any]] = tomllib.loads((HERE / "peers.toml").read_text("utf-8"))["peer"]
"""Which other packages compute a metric, and how they differ."""
PITFALLS: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "pitfalls.toml").read_text("utf-8"))
"""When not to use a metric, by key and by family."""

TASKS: Mapping[str, str] = {
    "classes": "classes",
    "shape": "classes",
    "nuclei": "objects",
    "partition": "partitions",
    "line": "lines",
    "song": "lines",
    "speech": "lines",
    "entities": "spans",
    "detections": "detections",
    "video": "video",
    "panoptic": "objects",
}
"""What is compared, by the scene that shows it."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "images": ("semantic", "instances", "panoptic", "superpixels"),
    "medicine": ("medicine", "lesions"),
    "cells": ("cells",),
    "neurons": ("connectomics",),
    "maps": ("maps",),
    "video": ("video", "lidar"),
    "text": ("text", "pages", "entities"),
    "sound": ("sound", "time"),
    "annotators": (),
}
"""The tasks of the protocols by field."""
USUAL_FIELD: Mapping[str, str] = {
    "panoptic": "images",
    "alignments": "images",
    "curves": "images",
    "instances": "cells",
    "detection": "images",
    "semantic": "images",
    "regions": "images",
    "graph": "neurons",
    "clustering": "neurons",
    "geometry": "medicine",
    "lesions": "medicine",
    "windows": "text",
    "boundaries": "text",
    "time": "sound",
    "labelled": "text",
    "agreement": "annotators",
    "video": "video",
}
FOILS: Mapping[str, tuple[str, ...]] = {
    "panoptic": ("dice", "vi_merge", "n_splits", "n_merges", "segment_f1"),
    "alignments": ("pq", "vi_merge", "n_merges"),
    "curves": ("pq", "vi_merge"),
    "instances": ("pq", "vi_merge", "n_merges", "n_splits"),
    "detection": ("average_precision", "ar_10", "ap50"),
    "semantic": ("class_hausdorff95", "mean_iou", "pixel_accuracy"),
    "regions": ("pq", "vi_split", "vi_merge"),
    "graph": ("pq", "dice", "vi_merge"),
    "clustering": ("pq", "vi_split", "vi_merge", "purity"),
    "geometry": ("class_hausdorff95", "dice", "pq", "boundary_iou"),
    "lesions": ("dice", "pq"),
    "windows": ("boundary_similarity", "boundary_f1", "pq"),
    "boundaries": ("window_diff", "pk", "pq"),
    "time": ("der", "event_based_f1", "hit_rate_f_3", "label_pair_f", "frame_accuracy"),
    "labelled": ("entity_f1", "semeval_partial", "frame_accuracy"),
    "video": ("idf1", "j_and_f", "hota"),
}
"""Metrics that show what those of a family do not see."""
CLOSE = 0.004
"""Values whose relative difference is less are called nearly the same."""


def write_if_changed(path: Path, text: str) -> None:
    """Write a file whose content is new, so that a second build reads only what has changed."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_pages(metrics: Mapping[str, Metric], folder: Path, scenes: Path) -> None:
    """Write the pages of the metrics into a folder, and leave nothing else in it; `scenes` has the files of scenes."""
    pages = {f"{key}.md": metric_page(metric, scenes) for key, metric in metrics.items()}
    pages["index.md"] = index_page(metrics.values())
    for name, page in pages.items():
        write_if_changed(folder / name, page)
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()


# --- The table -------------------------------------------------------------------------------------------------------


def index_page(metrics: Iterable[Metric]) -> str:
    """Return the table of all metrics; the boxes that choose are shown where scripts run, the table always."""
    rows = [_row(metric) for metric in metrics]
    lines = [
        "---",
        "hide-toc: true",
        "---",
        "# Metrics",
        "",
        f"{len(rows)} metrics, each under one key: the same in Python, on the command line, in JSON and in the report.",
        "Keys may be written in any case, with `-` or `_`, and many have other names: `HD95` is `hausdorff95`.",
        "Not sure which? [Which metric?](../which-metric.md) asks a few questions.",
        "",
        "```{raw} html",
        '<div class="find" data-filter="metric-table" hidden>',
        '<input type="search" placeholder="Filter: boundary, lesion, speaker, count …" aria-label="Filter metrics">',
        *(_chips(name, words) for name, words in CHIPS.items()),
        f'<p class="found" role="status">{len(rows)} of {len(rows)}</p></div>',
        '<table class="metric-table" id="metric-table"><thead><tr><th>metric</th><th>what it says</th>',
        "<th>range</th><th>for</th></tr></thead><tbody>",
        *rows,
        "</tbody></table>",
        "```",
        "",
        "## Computed elsewhere",
        "",
        "Names that people look for here. Asking for one of them says the same.",
        "",
        "| name | |",
        "|---|---|",
        *(f"| `{name}` | {words} |" for name, words in NOT_COMPUTED.items()),
        "",
    ]
    return "\n".join(lines)


CHIPS: Mapping[str, tuple[str, ...]] = {
    "what": (*dict.fromkeys(TASKS.values()), "annotations"),
    "range": ("0 to 1", "a count", "another range"),
    "direction": ("higher is better", "lower is better"),
    "distances": ("needs distances",),
    "field": tuple(FIELDS),
}


def _chips(name: str, words: Sequence[str]) -> str:
    buttons = "".join(
        f'<button type="button" data-word="{word}" aria-pressed="false">{word}</button>' for word in words
    )
    return f'<div class="chips" data-group="{name}"><span>{name}</span>{buttons}</div>'


def words_of(metric: Metric) -> dict[str, list[str]]:
    """Return what the boxes of the table choose by, for one metric.

    >>> words_of(METRICS["pq"])["field"]
    ['images', 'medicine', 'cells', 'video', 'text']
    """
    seen = seen_by(metric)
    span = "a count" if metric.is_count else "0 to 1" if metric.bounds == (0.0, 1.0) else "another range"
    return {
        "what": [TASKS[seen.scene.name] if seen else "annotations"],
        "range": [span],
        "direction": [] if metric.better == "neither" else [f"{metric.better} is better"],
        "distances": ["needs distances"] if depends_on_spacing(metric.key) else [],
        "field": fields_of(metric),
    }


def fields_of(metric: Metric) -> list[str]:
    """Return the fields whose protocols print the metric, and the usual one of its family."""
    tasks: set[str] = {
        task
        for task, protocols in protocols_by_task().items()
        for protocol in protocols
        if metric.key in protocol.metrics
    }
    usual = USUAL_FIELD.get(metric.family)
    return [field for field, names in FIELDS.items() if field == usual or tasks & set(names)]


@cache
def depends_on_spacing(key: str) -> bool:
    """Return whether the value of a metric changes with the distance between pixels.

    >>> depends_on_spacing("class_hausdorff95"), depends_on_spacing("dice")
    (True, False)
    """
    metric = METRICS[key]
    seen = seen_by(metric)
    if seen is None or "labels" not in metric.kinds or seen.scene.suffix != ".png":
        return False
    values: list[float] = []
    for spacing in ((1.0, 1.0), (1.0, 3.0)):
        pred = next(iter(seen.scene.preds.values()))
        sides = (sm.LabelArray(side, spacing=spacing) for side in (seen.scene.true, pred))
        values.append(metric(*sides, **seen.options).value)
    return values[0] != values[1]


def _row(metric: Metric) -> str:
    words = words_of(metric)
    also = " ".join([*metric.aliases, metric.family, family_title(metric.family)])
    data = escape(f"{metric.key} {also} {metric.summary} {metric.notes}".lower(), quote=True)
    low, high = metric.bounds
    chips = "|".join(word for group in words.values() for word in group)
    name = metric.summary.partition(":")[0] if ":" in metric.summary[:48] else metric.key.replace("_", " ")
    span = f"{low:g} … {_bound(high)}" + {"higher": " ↑", "lower": " ↓"}.get(metric.better, "")
    fields = "".join(f"<i>{field}</i>" for field in words["field"])
    return (
        f'<tr data-words="{escape(chips)}" data-text="{data}"><td><a href="{metric.key}.html"><b>{escape(name)}</b>'
        f"</a><code>{metric.key}</code></td><td>{escape(metric.summary)}</td><td>{span}</td><td>{fields}</td></tr>"
    )


def _bound(value: float) -> str:
    return "∞" if value == float("inf") else f"{value:g}"


# --- The page of a metric --------------------------------------------------------------------------------------------


def metric_page(metric: Metric, scenes: Path) -> str:
    """Return the page of a metric; its call and its command run in the folder with the files of the scenes."""
    seen = seen_by(metric)
    lines = [
        "---",
        "orphan: true",
        "---",
        f"(metric-{slug(metric.key)})=",
        f"# {metric.key}",
        "",
        f"[Metrics](index.md) / {family_title(metric.family)}",
        "",
        f"{{math}}`{metric.symbol}`: {metric.summary}",
        "",
        *(_seen_section(seen) if seen else []),
        "```{math}",
        metric.formula,
        "```",
        "",
        "## At a glance",
        "",
        "| | |",
        "|---|---|",
        *(f"| {name} | {words} |" for name, words in _facts(metric).items()),
        "",
        *([metric.notes, ""] if metric.notes else []),
        "## Compute it",
        "",
        *(_example_section(metric, seen, scenes) if seen and seen.scene.suffix else []),
        "On a few elements:",
        "",
        "```pycon",
        *_shortened(example_lines(metric.key, metric.examples)),
        "```",
        "",
        *_option_table(metric),
        *_limits(metric, seen),
        *_related(metric),
        *_peers(metric.key),
    ]
    return "\n".join(lines)


def _shortened(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a session; very long ones of masks are left to the help."""
    for line in lines:
        yield line if len(line) < 400 else f"{line[:390]} …"


def _facts(metric: Metric) -> dict[str, str]:
    low, high = metric.bounds
    used = [f"[`{name}`](../protocols/{name}.md)" for name, one in PROTOCOLS.items() if metric.key in one.metrics]
    facts = {
        "key": f"`{metric.key}`" + (f"; also {_aliases(metric)}" if metric.aliases else ""),
        "range": f"{_bound(low)} to {_bound(high)}"
        + ("" if metric.better == "neither" else f", {metric.better} is better"),
        "unit": "that of the spacing of the image, such as mm" if depends_on_spacing(metric.key) and high > 1 else "",
        "takes": f"{', '.join(metric.kinds)}; computed from {metric.needs}",
        "symmetric in true and pred": "yes"
        if metric.symmetric
        else f"no; exchanged, it is [`{metric.swaps_with}`]({metric.swaps_with}.md)"
        if metric.swaps_with
        else "no",
        "over many items": ", ".join(metric.averages),
        "printed by": ", ".join(used),
        "paper": "; ".join(map(_cited, metric.citation)),
    }
    return {name: words for name, words in facts.items() if words}


def _figures(scene: Scene, under: Mapping[str, str], root: str = "../") -> list[str]:
    """Return the pictures of some predictions, each with what stands under it."""
    return [
        "```{raw} html",
        '<div class="scene">',
        *(
            f'<figure><img src="{root}scenes/{scene.picture(name)}" alt="{escape(f"{scene.title}: {name}")}" '
            f'loading="lazy"><figcaption>{words}</figcaption></figure>'
            for name, words in under.items()
        ),
        "</div>",
        "```",
        "",
    ]


def _value(score: Any) -> str:
    return number(score.value, 3) if score.is_defined else "undefined"


LEGEND = (
    " Missed pixels are solid orange, spurious ones hatched; the outline of the truth is black, that of the prediction"
    " blue."
)


def _seen_section(seen: Seen) -> list[str]:
    """Return what the metric says of the predictions of its scene, with a sentence about those it cannot tell apart."""
    under = {"truth": "truth"} if seen.scene.suffix in (".png", ".npy", "") else {}
    under |= {name: f"<b>{_value(score)}</b>{escape(name)}" for name, score in seen.scores.items()}
    groups: dict[str, list[str]] = {}
    for name, score in seen.scores.items():
        groups.setdefault(_value(score), []).append(name)
    same = [names for names in groups.values() if len(names) > 1]
    told = "It tells all of them apart." if not same else "It cannot tell apart: " + "; ".join(map(_listed, same)) + "."
    if len(groups) == 1:
        told = "None of these errors changes the value."
    legend = LEGEND if seen.scene.name in ("shape", "nuclei") else ""
    return [*_figures(seen.scene, under), f"*{seen.scene.title}.* {told}{legend}", ""]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _example_section(metric: Metric, seen: Seen, scenes: Path) -> list[str]:
    """Return a call and a command on the files of the first prediction, with what they print."""
    from segmetry.cli.main import cli

    caption = next(name for name, score in seen.scores.items() if score.is_defined) if seen.values else "truth"
    files = [seen.scene.file(), seen.scene.file(caption)]
    options = "".join(f", {name}={value!r}" for name, value in seen.options.items())
    call = f"sm.{metric.key}({files[0]!r}, {files[1]!r}{options})".replace("'", '"')
    settings = [f"{metric.key}.{name}={value}" for name, value in seen.options.items()]
    reading = list(seen.scene.reading)
    arguments = [*files, *reading, "--metrics", metric.key, *(word for one in settings for word in ("--option", one))]
    shown = "segmetry score " + " ".join(arguments)
    with _inside(scenes):
        try:
            printed: str | None = repr(eval(call, {"sm": sm}))  # noqa: S307 - the call that the page shows
        except sm.SegmetryError:
            printed = None  # files of this kind say more than arrays do, so only the command is shown
        result = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(cli, ["score", *arguments])
    words = f"{_link(files[0])}, {_link(files[1])}, all in {_link('scenes.zip', '')}"
    lines = [f"On the files of the pictures ({words}):", ""]
    if printed is not None and "\n" not in printed:
        lines += ["```pycon", f">>> {call}", printed, "```", ""]
    if result.exit_code == 0:
        lines += ["```console", f"$ {shown}", *result.stdout.rstrip().splitlines(), "```", ""]
    if len(lines) == 2:
        return []
    return lines


def _link(name: str, folder: str = "scenes/") -> str:
    return f'<a href="../{folder}{name}" download>{name.rpartition("/")[2]}</a>'


ENTRY = re.compile(r"\n(?=\S)")


def _option_table(metric: Metric) -> list[str]:
    """Return the options with their types and what they mean, from the help of the function."""
    _, _, rest = cleandoc(metric.function.__doc__ or "").partition("Parameters\n----------\n")
    entries = [entry.partition("\n") for entry in ENTRY.split(rest.partition("\n\n")[0].strip())]
    rows = [
        f"| `{head.partition(' : ')[0]}` | {_cell(head.partition(' : ')[2])} | {_cell(' '.join(body.split()))} |"
        for head, _, body in entries
        if head.partition(" : ")[0] not in ("true", "pred", "annotations")
    ]
    return ["## Options", "", "| option | value | |", "|---|---|---|", *rows, ""] if rows else []


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


# --- When not to use it ----------------------------------------------------------------------------------------------


def _limits(metric: Metric, seen: Seen | None) -> list[str]:
    """Return two predictions that the metric confuses and another does not, and the sentences of `pitfalls.toml`."""
    own = PITFALLS["metrics"].get(metric.key, [])
    sentences = [*own, *PITFALLS["families"].get(metric.family, [])]
    found = contrast(metric) if seen else None
    if not sentences and found is None:
        return []
    lines = ["## When not to use it", "", *(f"- {sentence}" for sentence in sentences), ""]
    if found is not None:
        lines += found
    return lines


def contrast(metric: Metric) -> list[str] | None:
    """Return pictures with the same value of the metric and different ones of another, or which the two order in
    opposite ways; None where neither is found.
    """
    found: list[tuple[float, list[str]]] = []
    for scene in (make() for make in homes_of(metric)):
        mine = _scores(metric.key, scene.name)
        for rank, foil in enumerate(FOILS.get(metric.family, ())):
            theirs = _scores(foil, scene.name)
            if foil == metric.key or not theirs:
                continue
            for a, b in combinations([name for name in mine if name in theirs], 2):
                own, other = _spread(mine[a], mine[b]), _spread(theirs[a], theirs[b])
                gain = other - 0.03 * rank
                if own <= CLOSE and gain > 0.05:
                    alike = [name for name in mine if name in theirs and _spread(mine[a], mine[name]) <= CLOSE]
                    found.append((1 + gain, _contrast_lines(metric, METRICS[foil], scene, alike)))
                elif own > 0.02 and other > 0.02 and _opposed(metric, METRICS[foil], scene, a, b):
                    best, second = (a, b) if (mine[a] > mine[b]) == (metric.better == "higher") else (b, a)
                    found.append((own * gain, _contrast_lines(metric, METRICS[foil], scene, [best, second])))
    return max(found, key=lambda one: one[0])[1] if found else None


def _opposed(first: Metric, second: Metric, scene: Scene, a: str, b: str) -> bool:
    """Return whether one metric prefers the first of two predictions and the other the second."""
    signs = [
        (_scores(metric.key, scene.name)[a] - _scores(metric.key, scene.name)[b])
        * {"higher": 1, "lower": -1, "neither": 0}[metric.better]
        for metric in (first, second)
    ]
    return signs[0] * signs[1] < 0


def _spread(a: float, b: float) -> float:
    return 0.0 if a == b else abs(a - b) / max(abs(a), abs(b))


@cache
def _scores(key: str, scene: str) -> Mapping[str, float]:
    """Return the defined values of a metric on a scene; none where it does not take it."""
    metric, made = METRICS[key], next(make() for make in SCENES if make().name == scene)
    try:
        scores = {name: metric(made.true, pred, **options_of(metric)) for name, pred in made.preds.items()}
    except sm.SegmetryError:
        return {}
    return {name: float(score.value) for name, score in scores.items() if getattr(score, "is_defined", False)}


def _contrast_lines(metric: Metric, foil: Metric, scene: Scene, names: Sequence[str]) -> list[str]:
    mine, theirs = _scores(metric.key, scene.name), _scores(foil.key, scene.name)
    shown = {number(mine[name], 3) for name in names}
    same = "Same" if len(shown) == 1 else "Nearly the same"
    title = f"{same} {metric.key}, different {foil.key}."
    if _spread(mine[names[0]], mine[names[1]]) > CLOSE:
        title = f"{metric.key} prefers the first, {foil.key} the second."
    under = {
        name: f"<b>{number(mine[name], 3)}</b>{metric.key}<b>{number(theirs[name], 3)}</b>"
        f'<a href="{foil.key}.html">{foil.key}</a><span>{escape(name)}</span>'
        for name in names
    }
    return [
        f"**{title}** Where that difference matters, report [`{foil.key}`]({foil.key}.md) as well: {foil.summary}",
        "",
        *_figures(scene, under),
    ]


def _related(metric: Metric) -> list[str]:
    """Return the metrics that the declaration names or that name this one, and its neighbours in the family."""
    word = re.compile(rf"\b{metric.key}\b")
    named = [key for key in METRICS if key != metric.key and re.search(rf"\b{key}\b", metric.notes)]
    naming = [key for key, other in METRICS.items() if key != metric.key and word.search(other.notes)]
    family = [key for key, other in METRICS.items() if other.family == metric.family and key != metric.key]
    place = list(METRICS).index(metric.key)
    family.sort(key=lambda key: abs(list(METRICS).index(key) - place))
    keys = list(dict.fromkeys([*([metric.swaps_with] if metric.swaps_with else []), *named, *naming[:4], *family[:3]]))
    lines = [f"- [`{key}`]({key}.md): {METRICS[key].summary}" for key in keys[:9]]
    return ["## Related", "", *lines, ""] if lines else []


def _aliases(metric: Metric) -> str:
    """The aliases, with the options that they bring along."""
    return ", ".join(
        f"`{alias}`" + "".join(f" (`{name}={value}`)" for name, value in options.items())
        for alias, options in metric.aliases.items()
    )


def _peers(key: str) -> list[str]:
    rows = [f"| {row['by']} | {row['differs']} |" for row in PEERS if key in row["keys"]]
    head = ["## In other packages", "", "| computed elsewhere by | how it differs |", "|---|---|"]
    return [*head, *rows, ""] if rows else []


def _cited(key: str | Reference) -> str:
    paper = find_reference(key)
    if paper is None:
        return str(key)
    link = paper.link()
    return f"{f'[{paper.short()}]({link})' if link else paper.short()}: {paper.title}"


def slug(key: str) -> str:
    """Return the key as part of an address: `pq_dagger` becomes `pq-dagger`."""
    return key.replace("_", "-")
