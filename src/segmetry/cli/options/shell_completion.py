"""Shell completion: metric keys, rules, policies, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _among(words: Callable[[], Iterable[str]], *, listed: bool = False) -> Completer:
    """Return a completer of these words; in a list with commas (``listed``) the last word is completed."""

    def complete(_ctx: click.Context, _param: click.Parameter, text: str) -> list[str]:
        before, comma, last = text.rpartition(",") if listed else ("", "", text)
        return sorted(before + comma + word for word in words() if word.startswith(last))

    return complete


# Registries are imported only when a word is completed.
def _metrics() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return METRICS


def _families() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return {metric.family for metric in METRICS.values()}


def _metric_options() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return (f"{key}.{name}=" for key, metric in METRICS.items() for name in metric.options)


def _bounds(separator: str) -> Callable[[], Iterable[str]]:
    def bounds() -> Iterable[str]:
        from segmetry.metrics.average import AVERAGES
        from segmetry.metrics.declare import METRICS

        keys = [key for key, metric in METRICS.items() if metric.better != "neither"]
        return (f"{key}{end}{separator}" for key in keys for end in ("", *(f".{word}" for word in AVERAGES)))

    return bounds


def _rules() -> Iterable[str]:
    from segmetry.alignments.candidates import RULES

    return RULES


def _policies() -> Iterable[str]:
    from segmetry.alignments.policy import POLICIES

    return POLICIES


def _protocols() -> Iterable[str]:
    from segmetry.protocols.protocol import PROTOCOLS

    return PROTOCOLS


def _formats() -> Iterable[str]:
    from segmetry.readers.reader import READERS

    return READERS


def _written_formats() -> Iterable[str]:
    from segmetry.readers.reader import READERS

    return (name for name, reader in READERS.items() if reader.writer is not None)


metric_keys = _among(lambda: {*_metrics(), *_families(), "all"}, listed=True)
sort_key = _among(lambda: {*_metrics(), "item"})
bound = _among(_bounds("="))
gate = _among(_bounds(":"))
explained = _among(lambda: {*_metrics(), *_rules(), *_protocols()})
families = _among(_families)
metric_option = _among(_metric_options)
rules = _among(_rules)
policies = _among(_policies)
protocols = _among(_protocols)
formats = _among(_formats)
written_formats = _among(_written_formats)
