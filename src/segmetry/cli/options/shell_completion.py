"""What the shell offers when the tab key is pressed: metric keys, rules, policies, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _among(words: Callable[[], Iterable[str]], *, listed: bool = False) -> Completer:
    """Offers the words that begin so; where they are ``listed`` with commas, the last one is completed."""

    def offers(_ctx: click.Context, _param: click.Parameter, written: str) -> list[str]:
        before, comma, last = written.rpartition(",") if listed else ("", "", written)
        return sorted(before + comma + word for word in words() if word.startswith(last))

    return offers


# Whatever stands behind these words is imported only when somebody presses the key.
def _metrics() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return METRICS


def _families() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return {found.family for found in METRICS.values()}


def _metric_options() -> Iterable[str]:
    from segmetry.metrics.declare import METRICS

    return (f"{key}.{name}=" for key, found in METRICS.items() for name in found.options)


def _rules() -> Iterable[str]:
    from segmetry.alignments.candidates import RULES

    return RULES


def _policies() -> Iterable[str]:
    from segmetry.alignments.policy import POLICIES

    return POLICIES


def _formats() -> Iterable[str]:
    from segmetry.readers.reader import READERS

    return READERS


def _written_formats() -> Iterable[str]:
    from segmetry.readers.reader import READERS

    return (name for name, reader in READERS.items() if reader.writer is not None)


metric_keys = _among(lambda: {*_metrics(), *_families()}, listed=True)
one_metric = _among(_metrics)
families = _among(_families)
metric_option = _among(_metric_options)
rules = _among(_rules)
policies = _among(_policies)
formats = _among(_formats)
written_formats = _among(_written_formats)
