"""The order in which families and metrics are shown: tables, JSON, docs. What is not listed comes last."""

from __future__ import annotations

KEYS: dict[str, tuple[str, ...]] = {
    "panoptic": (
        "pq", "sq", "rq", "precision", "recall", "f1", "weighted_precision", "weighted_recall", "weighted_f1",
        "n_matched", "n_missed", "n_spurious", "sum_iou", "npq", "pq_dagger", "average_precision", "mean_best_iou",
    ),
    "alignments": ("additional_pairs", "false_hits", "false_hit_fraction", "fair", "one_to_one"),
    "curves": ("precision_at", "recall_at", "f1_at"),
    "regions": (
        "hoover_index", "hoover_classes", "area_fit_index", "shape_index", "rand_index", "rand_error",
        "rand_per_partner", "partner_precision", "partner_recall", "partner_f", "partner_f_error", "covering",
        "covering_error", "rbsb",
    ),
    "graph": (
        "n_splits", "n_merges", "objects_and_parts_precision", "objects_and_parts_recall", "objects_and_parts_f",
        "deteval_precision", "deteval_recall", "deteval_f", "zonemap",
    ),
    "clustering": (
        "pair_counts", "adjusted_rand_index", "adapted_rand_error", "pair_precision", "pair_recall", "pair_f",
        "jaccard_index", "fowlkes_mallows", "variation_of_information", "vi_split", "vi_merge", "mutual_information",
        "nmi", "ami", "homogeneity", "completeness", "v_measure", "purity", "coverage", "bcubed_precision",
        "bcubed_recall", "bcubed_f1", "elm_precision", "elm_recall", "elm_f1",
    ),
    "geometry": (
        "boundary_iou", "boundary_pq", "hausdorff", "hausdorff95", "average_surface_distance", "surface_dice",
        "centre_distance",
    ),
    "windows": (
        "pk", "window_diff", "pr_error", "pr_miss", "pr_false_alarm", "winpr_precision", "winpr_recall", "winpr_f1",
    ),
    "boundaries": (
        "boundary_precision", "boundary_recall", "boundary_f1", "boundary_similarity", "segmentation_similarity",
        "generalized_hamming", "alignment_index",
    ),
    "agreement": ("agreement_observed", "agreement_pi", "agreement_kappa", "agreement_bias"),
    "video": ("vpq", "stq"),
}  # fmt: skip


def place(family: str, key: str) -> tuple[int, int, str]:
    """Where a metric stands: sort by this.

    >>> sorted([("panoptic", "sq"), ("mine", "a"), ("panoptic", "pq")], key=lambda entry: place(*entry))
    [('panoptic', 'pq'), ('panoptic', 'sq'), ('mine', 'a')]
    """
    families = list(KEYS)
    keys = KEYS.get(family, ())
    return (
        families.index(family) if family in KEYS else len(families),
        keys.index(key) if key in keys else len(keys),
        key,
    )
