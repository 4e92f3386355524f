"""What the own options of the metrics mean, for ``help`` and the reference: the lines of ``option_texts.txt``."""

from __future__ import annotations

import os
from collections.abc import Mapping


def _read_texts() -> Mapping[str, str]:
    with open(f"{os.path.dirname(__file__)}/option_texts.txt", encoding="utf-8") as file:  # noqa: PTH120, PTH123 - pathlib takes 3 ms to import
        lines = [line.rstrip("\n").partition(": ") for line in file if not line.startswith("#")]
    return {name: text for name, _, text in lines}


OPTION_HELP = _read_texts()


def option_help(metric: str, option: str) -> str | None:
    """Return what an option of a metric means; None where it has no help."""
    return _BY_METRIC.get(f"{metric}.{option}", OPTION_HELP.get(option))


_BY_METRIC = {
    f"{metric}.{option}": text
    for key, text in OPTION_HELP.items()
    for metrics, _, option in (key.rpartition("."),)
    for metric in metrics.split()
}
