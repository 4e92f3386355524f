"""``medpy.metric.binary``: overlaps, volumes and distances of two binary objects, and of their connected parts.

MedPy names the prediction first: ``dc(result, reference)``. An array is an object wherever it is not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from segmetry._base import FloatArray
from segmetry.compat.patched import say_once
from segmetry.geometry import Mask, trimmed
from segmetry.kernels import distances_between, surface_distances


def _masks(*sides: ArrayLike) -> list[Mask]:
    return [np.atleast_1d(np.asarray(side).astype(bool)) for side in sides]


def _share(name: str, part: Any, whole: Any, empty: float) -> float:
    if whole:
        return float(part / float(whole))
    say_once(f"medpy.{name}", lambda: f"medpy's {name} of nothing is {empty:g}; 0/0 is undefined, segmetry's is NaN")
    return empty


def dc(result: ArrayLike, reference: ArrayLike) -> float:
    """Return Dice; 1 if both are empty.

    >>> dc([1, 1, 0], [0, 1, 0])
    0.6666666666666666
    """
    pred, true = _masks(result, reference)
    return _share("dc", 2 * np.count_nonzero(pred & true), np.count_nonzero(pred) + np.count_nonzero(true), 1.0)


def jc(result: ArrayLike, reference: ArrayLike) -> float:
    """Return the Jaccard coefficient; 1 if both are empty."""
    pred, true = _masks(result, reference)
    return _share("jc", np.count_nonzero(pred & true), np.count_nonzero(pred | true), 1.0)


def precision(result: ArrayLike, reference: ArrayLike) -> float:
    """Return the share of the prediction that is true; 0 if there is none."""
    pred, true = _masks(result, reference)
    return _share("precision", np.count_nonzero(pred & true), np.count_nonzero(pred), 0.0)


def recall(result: ArrayLike, reference: ArrayLike) -> float:
    """Return the share of the truth that was found; 0 if there is none."""
    pred, true = _masks(result, reference)
    return _share("recall", np.count_nonzero(pred & true), np.count_nonzero(true), 0.0)


def specificity(result: ArrayLike, reference: ArrayLike) -> float:
    """Return the share of the background of the truth that was left alone; 0 if there is none."""
    pred, true = _masks(result, reference)
    return _share("specificity", np.count_nonzero(~pred & ~true), np.count_nonzero(~true), 0.0)


sensitivity = true_positive_rate = recall
positive_predictive_value = precision
true_negative_rate = specificity


def ravd(result: ArrayLike, reference: ArrayLike) -> float:
    """Return how much larger the prediction is than the truth, as a share of the truth."""
    pred, true = (np.count_nonzero(mask) for mask in _masks(result, reference))
    if not true:
        raise RuntimeError("The second supplied array does not contain any binary object: no element is not 0.")
    return (pred - true) / float(true)


def _distances(result: ArrayLike, reference: ArrayLike, voxelspacing: Any, connectivity: int) -> tuple[FloatArray, ...]:
    """Return the distances from the border of the first object to that of the second, and back."""
    masks = _masks(result, reference)
    for mask, which in zip(masks, ("first", "second"), strict=True):
        if not mask.any():
            raise RuntimeError(f"The {which} supplied array does not contain any binary object: no element is not 0.")
    axes = masks[0].ndim
    steps = np.ones(axes) if voxelspacing is None else np.broadcast_to(np.asarray(voxelspacing, np.float64), (axes,))
    first, second = trimmed(*masks)
    if connectivity == 1:
        return tuple(surface_distances(first, second, steps))
    from scipy.ndimage import binary_erosion, generate_binary_structure

    around = generate_binary_structure(axes, connectivity)
    own, other = (mask & ~binary_erosion(mask, around) for mask in (first, second))
    return tuple(distances_between(own, other, np.ascontiguousarray(steps)))


def hd(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the Hausdorff distance of the borders.

    >>> hd([[1, 1, 0, 0]], [[0, 0, 0, 1]])
    3.0
    """
    return float(np.max(np.concatenate(_distances(result, reference, voxelspacing, connectivity))))


def hd95(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the 95th percentile of the distances of both borders together."""
    return float(np.percentile(np.concatenate(_distances(result, reference, voxelspacing, connectivity)), 95))


def asd(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the mean distance from the border of the prediction to that of the truth."""
    return float(_distances(result, reference, voxelspacing, connectivity)[0].mean())


def assd(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the mean of the distances of both borders together."""
    return float(np.concatenate(_distances(result, reference, voxelspacing, connectivity)).mean())


def _correlation(results: FloatArray, references: FloatArray) -> Any:
    from scipy.stats import pearsonr

    return pearsonr(results, references)


def _volumes(images: ArrayLike) -> FloatArray:
    return np.array([np.count_nonzero(image) for image in np.atleast_2d(np.asarray(images))], dtype=np.float64)


def volume_correlation(results: ArrayLike, references: ArrayLike) -> Any:
    """Return Pearson's correlation of the volumes, and its p-value."""
    return _correlation(_volumes(results), _volumes(references))


def volume_change_correlation(results: ArrayLike, references: ArrayLike) -> Any:
    """Return Pearson's correlation of the changes of volume, and its p-value."""
    return _correlation(np.diff(_volumes(results)), np.diff(_volumes(references)))


def _parts(result: ArrayLike, reference: ArrayLike, connectivity: int) -> tuple[Any, Any, dict[int, int]]:
    """Return the numbered parts of both objects, and for parts of the second their only partner among the first.

    Parts that touch a single part of the other side choose first, then those with the fewest that are left.
    """
    from scipy.ndimage import generate_binary_structure, label

    masks = _masks(result, reference)
    around = generate_binary_structure(masks[0].ndim, connectivity)
    first, second = (label(mask, around)[0] for mask in masks)
    both = masks[0] & masks[1]
    touching: dict[int, set[int]] = {}
    for own, other in np.unique(np.stack((second[both], first[both]), axis=1), axis=0).tolist():
        touching.setdefault(own, set()).add(other)
    partners: dict[int, int] = {}
    taken: set[int] = set()
    for own, others in touching.items():
        if len(others) == 1 and not others <= taken:
            (partners[own],) = others
            taken |= others
    waiting = [(own, others) for own, others in touching.items() if len(others) > 1]
    while waiting := sorted(
        ((own, left) for own, others in waiting if (left := others - taken)), key=lambda entry: len(entry[1])
    ):
        own, others = waiting.pop(0)
        partners[own] = others.pop()
        taken.add(partners[own])
    return first, second, partners


def _part_distances(result: ArrayLike, reference: ArrayLike, voxelspacing: Any, connectivity: int) -> FloatArray:
    first, second, partners = _parts(reference, result, connectivity)
    found = [
        _distances(first == partner, second == own, voxelspacing, connectivity)[0] for own, partner in partners.items()
    ]
    return np.concatenate(found or [np.array([])])


def obj_asd(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the mean distance to the parts of the prediction from their partners, MedPy's direction here.

    Without parts it is NaN.
    """
    return float(np.mean(_part_distances(result, reference, voxelspacing, connectivity)))


def obj_assd(result: ArrayLike, reference: ArrayLike, voxelspacing: Any = None, connectivity: int = 1) -> float:
    """Return the mean of the distances between parts and their partners, both ways."""
    ways = ((result, reference), (reference, result))
    return float(np.concatenate([_part_distances(*way, voxelspacing, connectivity) for way in ways]).mean())


def obj_fpr(result: ArrayLike, reference: ArrayLike, connectivity: int = 1) -> float:
    """Return what MedPy calls the false positive rate: the share of the parts of the *truth* without a partner."""
    found = _alone(result, reference, connectivity)
    right = _alone(reference, result, connectivity)
    if found != right:
        say_once(
            "medpy.obj_fpr",
            lambda: (
                f"medpy's obj_fpr is the share of true parts without a partner, {found:.4g}; that of predicted ones, "
                f"which the name means, is {right:.4g}: exchange the arguments"
            ),
        )
    return found


def _alone(result: ArrayLike, reference: ArrayLike, connectivity: int) -> float:
    _, second, partners = _parts(result, reference, connectivity)
    n_parts = int(second.max())
    return (n_parts - len(partners)) / n_parts if n_parts else np.nan


def obj_tpr(result: ArrayLike, reference: ArrayLike, connectivity: int = 1) -> float:
    """Return what MedPy calls the true positive rate: the share of the parts of the *prediction* with a partner."""
    first, _, partners = _parts(result, reference, connectivity)
    n_parts, n_true = int(first.max()), int(_parts(reference, result, connectivity)[0].max())
    if n_parts != n_true:
        say_once(
            "medpy.obj_tpr",
            lambda: (
                f"medpy's obj_tpr divides by the {n_parts} predicted parts; of the {n_true} true ones "
                f"{len(partners)} have a partner"
            ),
        )
    return len(partners) / n_parts if n_parts else np.nan
