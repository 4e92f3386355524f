"""Options that several commands have: files that are written, inputs that were moved, pairing, parts, pictures.

The values of options are completed in the shell: metric keys, rules, policies, formats.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from segmetry.alignments import Breakdown, BySize
from segmetry.errors import OptionError
from segmetry.readers import Pairing, load_json, read_table
from segmetry.run import ByItem, Run

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _among(words: Callable[[], Iterable[str]], *, listed: bool = False) -> Completer:
    """Return a completer of these words; in a list with commas (``listed``) the last word is completed."""

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[str]:
        before, comma, last = text.rpartition(",") if listed else ("", "", text)
        return sorted(before + comma + word for word in words() if word.startswith(last))

    return complete


def _registry(module: str, name: str) -> Callable[[], Any]:
    """Return what imports a registry, which happens only when a word is completed."""
    return lambda: getattr(import_module(f"segmetry.{module}"), name)


_metrics = _registry("metrics.declare", "METRICS")
_averages = _registry("metrics.average", "AVERAGES")
_rules = _registry("alignments.candidates", "RULES")
_policies = _registry("alignments.policy", "POLICIES")
_protocols = _registry("protocols.protocol", "PROTOCOLS")
_readers = _registry("readers.reader", "READERS")


def _families() -> Iterable[str]:
    return {metric.family for metric in _metrics().values()}


def _metric_options() -> Iterable[str]:
    return (f"{key}.{name}=" for key, metric in _metrics().items() for name in metric.options)


def _bounds(separator: str) -> Iterable[str]:
    keys = [key for key, metric in _metrics().items() if metric.better != "neither"]
    return (f"{key}{end}{separator}" for key in keys for end in ("", *(f".{word}" for word in _averages())))


metric_keys = _among(lambda: {*_metrics(), *_families(), "all"}, listed=True)
sort_key = _among(lambda: {*_metrics(), "item"})
bound = _among(lambda: _bounds("="))
gate = _among(lambda: _bounds(":"))
explained = _among(lambda: {*_metrics(), *_rules(), *_protocols()})
families = _among(_families)
metric_option = _among(_metric_options)
rules = _among(_rules)
policies = _among(_policies)
protocols = _among(_protocols)
formats = _among(_readers)
written_formats = _among(lambda: (name for name, reader in _readers().items() if reader.writer is not None))


Part = TypeVar("Part", bound="Breakdown | ByItem")
Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


def option_group(*options: Decorator) -> Callable[[Command], Command]:
    """Return a decorator that gives a command all of these options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def text_target(name: str, what: str) -> Decorator:
    """Return the option that names a file for text, or standard output."""
    return click.option(f"--{name}", f"{name}_to", metavar="FILE", help=f"Write {what}; - is standard output.")


def folder_option(name: str, help: str, **settings: Any) -> Decorator:  # noqa: A002 - as click calls it
    """Return an option that names a folder."""
    return click.option(name, type=click.Path(path_type=Path), metavar="DIR", help=help, **settings)


def choice_option(name: str, choices: Sequence[str], default: str, help: str, **settings: Any) -> Decorator:  # noqa: A002 - as click calls it
    """Return an option with one of some values."""
    return click.option(name, type=click.Choice(choices), default=default, show_default=True, help=help, **settings)


def count_option(name: str, help: str, default: int | None = None, **settings: Any) -> Decorator:  # noqa: A002
    """Return an option with a number from 1 on."""
    shown: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    most = 2**15 if name in ("--threads", "--jobs") else 2**62
    return click.option(name, type=click.IntRange(1, most), help=help, **shown, **settings)


def run_names(options: Mapping[str, Any]) -> list[str] | None:
    """Return the names that the user gives to runs."""
    return None if options["names"] is None else [name.strip() for name in options["names"].split(",")]


json_target = text_target("json", "everything as JSON")
partial_option = click.option("--partial", is_flag=True, help="Accept a run that is not finished.")
sizes_option = click.option("--sizes", metavar="EDGES", help="Lower edges of size bins. [default: 1024,9216]")
names_option = click.option(
    "--names", metavar="NAMES", help="Names of the runs, separated by commas. [default: file names]"
)
moved_inputs = option_group(
    click.option("--true", metavar="PATH", type=click.Path(path_type=Path), help="The truth, if it was moved."),
    click.option(
        "--pred", metavar="PATH", multiple=True, type=click.Path(path_type=Path),
        help="The prediction, if it was moved; once for each run.",
    ),
    click.option(
        "--sensitivity", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
        help="Output of 'segmetry sensitivity TRUE PRED --json FILE'; once for each run.",
    ),
)  # fmt: skip
"""What a report needs besides runs: their inputs, for pictures, and boundary sensitivities."""
images_options = option_group(
    click.option(
        "--images", metavar="DIR|none",
        help="Photographs shown under the masks in the report, found by the file names in a COCO file or the names of "
        "items. [default: those next to a COCO file, up to 500 items]",
    ),
    click.option(
        "--image-budget", metavar="MB", type=float,
        help="Megabytes that photographs may add to the report; they are made smaller until they fit. [default: 20]",
    ),
)  # fmt: skip
pairing_options = option_group(
    click.option(
        "--strip", multiple=True, metavar="PATTERN",
        help="Remove this from item names before pairing, such as _gt or '_pred*'; may be repeated.",
    ),
    click.option(
        "--pair", metavar="REGEX",
        help=r"Pair items by the group of a regular expression, such as '(\d+)', instead of their names.",
    ),
    click.option("--true-pair", metavar="REGEX", help="The same for TRUE only."),
    click.option("--pred-pair", metavar="REGEX", help="The same for PRED only."),
    click.option(
        "--pairs", metavar="FILE",
        help="CSV file with the columns true, pred[, name]: the items or files to compare; others are left out.",
    ),
)  # fmt: skip
"""The options that say how items are paired."""


def pairing_of(options: Mapping[str, Any]) -> Pairing:
    """Return how items are paired."""
    sides = tuple(options[f"{side}_pair"] or options["pair"] for side in ("true", "pred"))
    return Pairing(options["strip"], sides, options["pairs"])


SIZE = "size"
EMPTY = ByItem("empty", {})
"""Stands for the items without a true segment, which are known when a run is."""

breakdown_options = option_group(
    click.option(
        "--by", "parts_by", multiple=True, metavar="COLUMN",
        help="Parts to score or filter by: size (or size:EDGES such as size:100,1000), empty (items with and without "
        "a true segment), or groups of items by a column of --columns; may be repeated.",
    ),
    click.option(
        "--columns", "columns_file", metavar="FILE",
        help="CSV file with a column item and further columns about the items, such as tissue or scanner; "
        "PanNuke's types.npy.",
    ),
)  # fmt: skip
"""The options that name parts."""


cluster_option = click.option(
    "--cluster", metavar="COLUMN",
    help="What intervals and tests draw and exchange as a whole, by a column of --columns, such as patient or video.",
)  # fmt: skip
comparison_options = option_group(
    breakdown_options,
    cluster_option,
    click.option(
        "--correct", metavar="OVER", default="pairs", show_default=True,
        help="Over what p-values are corrected, separated by commas: pairs (of systems), parts (classes, groups), "
        "metrics.",
    ),
    choice_option("--correction", ["holm", "bh"], "holm", "Holm, or Benjamini and Hochberg (false discovery rate)."),
    click.option(
        "--margin", "margins", multiple=True, metavar="KEY[.AVERAGE]:MARGIN",
        help="Test whether systems are worse than the first by less than a margin, such as pq:0.01; may be repeated.",
    ),
    click.option(
        "--difference", type=click.FloatRange(0, min_open=True),
        help="Items needed to detect this difference with 80 % power, from these runs as a pilot.",
    ),
)  # fmt: skip
"""The options of a comparison of systems: groups and clusters of items, corrections, margins."""


def item_groups(options: Mapping[str, Any]) -> tuple[ByItem | None, list[ByItem]]:
    """Return the clusters and the groups of items that the user names."""
    file, names = options["columns_file"], options["parts_by"]
    if file and not ({*names} - {EMPTY.name} or options["cluster"]):
        raise OptionError("--columns holds columns about items, but neither --by nor --cluster names one of them")
    if any(name.partition(":")[0] == SIZE for name in names):
        raise OptionError("--by size groups segments; compare groups items by a column of --columns")
    return cluster_of(options), [one for one in (_asked(name, file) for name in names) if isinstance(one, ByItem)]


def cluster_of(options: Mapping[str, Any]) -> ByItem | None:
    """Return what the user names to be drawn as a whole."""
    file, cluster = options["columns_file"], options.get("cluster")
    if cluster and file is None:
        raise OptionError(f"--cluster {cluster} names a column about items; give --columns a CSV file with it")
    return ByItem.read(file, cluster) if cluster else None


def parts_asked(options: Mapping[str, Any], true: Path | None = None) -> list[Breakdown | ByItem]:
    """Return the breakdowns that the user names; the tissues of PanNuke are beside its masks."""
    file, names = options["columns_file"], options["parts_by"]
    if file is None and true is not None and "tissue" in names and (true / "types.npy").is_file():
        file = str(true / "types.npy")
    if (
        file
        and not options.get("cluster")
        and not any(name.partition(":")[0] not in (SIZE, EMPTY.name) for name in names)
    ):
        raise OptionError("--columns holds columns about items, but --by names none of them; add --by COLUMN")
    return [_asked(name, file) for name in names]


def read_class_names(file: str | None) -> dict[Hashable, str] | None:
    """Return the names of classes: a JSON object of labels and names, or a table with the columns label and name."""
    if file is None:
        return None
    path = Path(file)
    if path.suffix == ".json":
        found = load_json(path)
        pairs = list(found.items()) if isinstance(found, dict) else []
    else:
        pairs = [(row.get("label", ""), row.get("name", "")) for _, row in read_table(path, ("label", "name"))]
    if not pairs or not all(str(label).strip() and isinstance(name, str) and name.strip() for label, name in pairs):
        raise OptionError(
            f'{path} names no classes; expected a JSON object such as {{"1": "liver"}}, or a table with '
            "the columns label and name"
        )
    return {int(label) if str(label).lstrip("-").isdecimal() else label: name for label, name in pairs}


class_names_option = click.option(
    "--class-names", metavar="FILE",
    help="Names of classes: a JSON object of labels and names, or a CSV file with the columns label and name.",
)  # fmt: skip


def opened_run(path: Path, options: Mapping[str, Any]) -> Run:
    """Open a run file; its classes have the names that the user gives them."""
    run = Run.open(path)
    if names := read_class_names(options.get("class_names")):
        run.name_classes(names)
    return run


def check_parts(options: Mapping[str, Any], asked: Sequence[Breakdown | ByItem]) -> None:
    """Raise an error for ``--table parts`` unless there is one breakdown to write."""
    if options["table"] == "parts" and len(asked) != 1:
        raise OptionError(f"--table parts writes the parts of one --by COLUMN, but there are {len(asked)}")


def parts_of(run: Run, asked: Sequence[Part]) -> list[Part]:
    """Return the breakdowns that were asked for, with that by empty truth of this run."""
    return [ByItem.of_empty_truth(run) if part is EMPTY else part for part in asked]  # type: ignore[misc]


def _asked(name: str, file: str | None) -> Breakdown | ByItem:
    column, _, edges = name.partition(":")
    if column == EMPTY.name:
        return EMPTY
    if column == SIZE:
        try:
            return BySize(tuple(map(int, edges.split(",")))) if edges else BySize()
        except OptionError:
            raise
        except ValueError:
            raise OptionError(f"--by size has the edges {edges!r}; expected integers such as size:100,1000") from None
    if file is None:
        raise OptionError(
            f"--by {name} names a column about items, but --columns names no file; give it a CSV file with the columns "
            f"item and {name} (or say --by size)"
        )
    return ByItem.read(file, name)
