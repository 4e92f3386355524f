"""Put drop-ins in the place of the packages whose names they have, and say once where these are known to be wrong."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from types import MappingProxyType, ModuleType

from segmetry.errors import DataWarning, UnknownNameError

_MODULES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pycocotools": {
            "pycocotools.mask": ("encode", "decode", "iou", "merge", "area", "toBbox", "frPyObjects"),
            "pycocotools.coco": ("COCO",),
            "pycocotools.cocoeval": ("COCOeval", "Params"),
        },
        "panopticapi": {"panopticapi.evaluation": ("pq_compute",)},
        "seqeval": {
            "seqeval.metrics": (
                "accuracy_score", "classification_report", "f1_score", "performance_measure", "precision_score",
                "recall_score",
            ),
            "seqeval.metrics.sequence_labeling": ("get_entities", "precision_recall_fscore_support"),
        },
        "surface_distance": {
            "surface_distance": (
                "compute_surface_distances", "compute_average_surface_distance", "compute_robust_hausdorff",
                "compute_surface_overlap_at_tolerance", "compute_surface_dice_at_tolerance",
                "compute_dice_coefficient",
            ),
        },
        "medpy": {
            "medpy.metric.binary": (
                "dc", "jc", "precision", "recall", "sensitivity", "specificity", "true_negative_rate",
                "true_positive_rate", "positive_predictive_value", "hd", "hd95", "asd", "assd", "ravd",
                "volume_correlation", "volume_change_correlation", "obj_asd", "obj_assd", "obj_fpr", "obj_tpr",
            ),
        },
        "stardist": {"stardist.matching": ("matching", "matching_dataset", "matching_dataset_lazy")},
        "nltk": {"nltk.metrics.segmentation": ("pk", "windowdiff")},
    }
)  # fmt: skip
"""The modules of each package, and the names in them that its drop-in has."""
_ALSO = MappingProxyType(
    {
        "seqeval.metrics.sequence_labeling": "seqeval.metrics",
        "medpy.metric.binary": "medpy.metric",
        "nltk.metrics.segmentation": "nltk.metrics",
        "nltk.metrics": "nltk",
    }
)
"""Modules that hand names of another one on."""
_said: set[str] = set()


def say_once(fault: str, words: Callable[[], str]) -> None:
    """Warn of a known fault of a package, the first time it matters in this process; ``words`` may take time."""
    if fault not in _said:
        _said.add(fault)
        warnings.warn(f"{words()} (said once; see docs/migration)", DataWarning, stacklevel=3)


def patch(package: str) -> AbstractContextManager[object]:
    """Let a package be computed by segmetry from now on; what it has beside the drop-in stays as it is.

    A package that is not installed is there afterwards, with the names of the drop-in alone. Modules that were imported
    before and took a function by ``from … import …`` keep theirs.

    Parameters
    ----------
    package : {'pycocotools', 'panopticapi', 'seqeval', 'surface_distance', 'medpy', 'stardist', 'nltk'}
        The package.

    Returns
    -------
    contextlib.AbstractContextManager
        Put into a ``with`` statement or closed (``.close()``), it undoes the patch at the end.

    Examples
    --------
    >>> import segmetry.compat
    >>> with segmetry.compat.patch("nltk"):
    ...     from nltk.metrics.segmentation import pk
    ...     pk.__module__
    'segmetry.compat.nltk'
    """
    if package not in _MODULES:
        raise UnknownNameError(f"there is no drop-in for {package!r}; expected one of {', '.join(_MODULES)}")
    undo = ExitStack()
    for name, given in _MODULES[package].items():
        drop_in = importlib.import_module(f"segmetry.compat.{'coco_rle' if name == 'pycocotools.mask' else package}")
        for module in _with_parents(name, undo):
            for attribute in given:
                if module.__name__ == name or hasattr(module, attribute):
                    undo.callback(_restore, module, attribute, module.__dict__.get(attribute, undo))
                    setattr(module, attribute, getattr(drop_in, attribute))
    return undo


def _with_parents(name: str, undo: ExitStack) -> Iterator[ModuleType]:
    """Import a module, or make it where its package is not installed; then those that hand its names on."""
    for at in range(name.count(".") + 1):
        whole = ".".join(name.split(".")[: at + 1])
        with suppress(ImportError):
            importlib.import_module(whole)
        if whole not in sys.modules:
            made = sys.modules[whole] = ModuleType(whole, "Made by segmetry.compat.patch.")
            made.__path__ = []
            undo.callback(sys.modules.pop, whole, None)
            parent, _, own = whole.rpartition(".")
            if parent:
                undo.callback(_restore, sys.modules[parent], own, undo)
                setattr(sys.modules[parent], own, made)
    place: str | None = name
    while place in sys.modules:
        yield sys.modules[place]
        place = _ALSO.get(place)


def _restore(module: ModuleType, attribute: str, value: object) -> None:
    if isinstance(value, ExitStack):
        module.__dict__.pop(attribute, None)
    else:
        setattr(module, attribute, value)
