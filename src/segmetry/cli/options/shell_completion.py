"""Shell completion: metric keys, rules, policies, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import click

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
