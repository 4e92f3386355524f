"""Log the values of a run to an experiment tracker, or to a flat file of scalars.

Trackers are recognised by the method that logs: ``log_metrics(values, step)`` (MLflow, the loggers of Lightning),
``add_scalar(name, value, step)`` (TensorBoard), ``log_metric(name, value)`` (DVCLive, Comet), ``log(values, step)``
(Weights & Biases). No tracker is imported here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry._base import json_text, write_atomically
from segmetry.errors import OptionError

_NOT_IN_NAMES = re.compile(r"[^\w.\-/ ]")
"""MLflow takes letters, digits, underscores, dots, dashes, slashes and spaces; all others take these, too."""


def log_scalars(scalars: Mapping[str, float], target: Any, *, step: int | None = None) -> None:
    """Log named numbers; undefined ones (NaN) are left out of trackers, and null in a file.

    >>> class Tracker:
    ...     def log_metrics(self, values, step=None):
    ...         print(values, step)
    >>> log_scalars({"pq/by_item": 0.5, "class/a & b/pq/by_item": 1.0, "sq/by_item": math.nan}, Tracker(), step=3)
    {'pq/by_item': 0.5, 'class/a _ b/pq/by_item': 1.0} 3
    """
    if isinstance(target, str | Path):
        write_scalars(scalars, Path(target))
        return
    values = _tracker_names({name: value for name, value in scalars.items() if not math.isnan(value)})
    if hasattr(target, "log_metrics"):
        target.log_metrics(values, step=step)
    elif hasattr(target, "add_scalar"):
        for name, value in values.items():
            target.add_scalar(name, value, step)
    elif hasattr(target, "log_metric"):
        if step is not None:
            target.step = step
        for name, value in values.items():
            target.log_metric(name, value)
    elif hasattr(target, "log"):
        target.log(values, step=step)
    else:
        raise OptionError(
            f"log_to got a {type(target).__name__}; expected a tracker with a method log_metrics, add_scalar, "
            "log_metric or log, or the name of a JSON file"
        )


def log_provenance(words: str, target: Any) -> None:
    """Tell a tracker that keeps text whose numbers it has."""
    if hasattr(target, "set_tag"):
        target.set_tag("segmetry", words)
    elif hasattr(target, "add_text"):
        target.add_text("segmetry", words)
    elif hasattr(getattr(target, "config", None), "update"):
        target.config.update({"segmetry": words}, allow_val_change=True)


def write_scalars(scalars: Mapping[str, float], path: Path) -> None:
    """Write named numbers as one flat JSON object, the form of a metrics file of DVC."""
    if path.suffix.lower() != ".json":
        raise OptionError(f"{path}: scalars are written as JSON; expected a name that ends with .json")
    write_atomically(path, scalars_text(scalars))


def scalars_text(scalars: Mapping[str, float]) -> str:
    """Return named numbers as JSON, null for those that are undefined.

    >>> print(scalars_text({"pq/by_item": 0.5, "sq/by_item": math.nan}), end="")
    {
      "pq/by_item": 0.5,
      "sq/by_item": null
    }
    """
    plain = {name: None if math.isnan(value) else value for name, value in scalars.items()}
    return json_text(plain, indent=2, ensure_ascii=False) + "\n"


def _tracker_names(values: Mapping[str, float]) -> dict[str, float]:
    named: dict[str, float] = {}
    for name, value in values.items():
        plain = _NOT_IN_NAMES.sub("_", name)
        if plain in named:
            raise OptionError(f"two values are called {plain!r} where a tracker keeps them; expected one of each name")
        named[plain] = value
    return named
