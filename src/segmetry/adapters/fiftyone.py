"""Evaluate a data set of FiftyOne: semantic masks of two fields, scores of samples, and the run.

Nothing of FiftyOne is imported: samples are read by their documented interface (``dataset.iter_samples``,
``sample[field].mask`` or ``.get_mask()``, ``sample.id``, ``sample.filepath``, ``sample.save()``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry.errors import InputError
from segmetry.evaluation import evaluate
from segmetry.metrics import Score
from segmetry.run import Run


def evaluate_segmentations(
    samples: Any,
    pred_field: str,
    gt_field: str = "ground_truth",
    *,
    eval_key: str | None = None,
    metrics: Any = "mean_iou,dice,pixel_accuracy",
    read: Any = None,
    **options: Any,
) -> Run:
    """Evaluate the predicted masks of a data set or view against the true ones.

    Parameters
    ----------
    samples : fiftyone.core.collections.SampleCollection
        A data set or view.
    pred_field, gt_field : str
        Fields of ``Segmentation`` labels.
    eval_key : str, optional
        Keep the score of every sample and metric in the field ``<eval_key>_<metric>``.
    metrics : iterable of str or str
        As for :func:`segmetry.evaluate`.
    read : mapping, optional
        What labels mean; by default values are classes, and 0 is background, as for FiftyOne.
    options
        Other options of :func:`segmetry.evaluate`.

    Returns
    -------
    Run
        The run; its items are the ids of the samples.
    """
    chosen = {sample.id: sample for sample in samples.iter_samples(progress=False)}
    true = {name: _sample_mask(sample, gt_field) for name, sample in chosen.items()}
    pred = {name: _sample_mask(sample, pred_field) for name, sample in chosen.items()}
    meaning = {"labels": "classes", "outside": 0} if read is None else read
    run = evaluate(true, pred, metrics=metrics, read=meaning, **options)
    if eval_key is not None:
        for name, scores in run.item_scores():
            for key, score in scores.items():
                if isinstance(score, Score):
                    chosen[name][f"{eval_key}_{key}"] = None if math.isnan(score.value) else score.value
            chosen[name].save()
    return run


def _sample_mask(sample: Any, field: str) -> np.ndarray[Any, Any]:
    label = sample[field]
    mask = None if label is None else label.get_mask() if hasattr(label, "get_mask") else label.mask
    if mask is None:
        raise InputError(f"sample {sample.id} ({sample.filepath}) has no mask in the field {field}")
    array = np.asarray(mask)
    if array.ndim != 2:
        raise InputError(f"sample {sample.id} has a mask of shape {array.shape} in {field}; expected labels (H, W)")
    return array
