"""What the own options of the metrics mean, for ``help`` and the reference.

A key is the name of an option, or ``metric.option`` where the name means something else for that metric (``one
two.option`` for several). A plug-in describes its options with ``@metric(parameters={…})``.
"""

from __future__ import annotations

from collections.abc import Mapping

OPTION_HELP: Mapping[str, str] = {
    "absent": "The value of a class that occurs on neither side: 1 as PyTorch Geometric, 0 as SemanticKITTI; by "
    "default it is left out. Needs ``n_classes``.",
    "absolute": "Average the absolute values of the differences, so that errors of opposite sign do not cancel.",
    "alpha": "The weight of precision, from 0 (recall alone) to 1 (precision alone).",
    "npq.alpha": "The least weight that a pair can have; by default the known lower bound of the rule.",
    "area": "``'steps'`` is the area of the step function, ``'trapezoid'`` joins the steps by straight lines.",
    "at": "The threshold whose value is the score; None, the default, takes the mean over all thresholds.",
    "ami nmi.average": "The average of the two entropies in the denominator.",
    "average_surface_distance.average": "``'pooled'`` weighs every surface element equally, ``'directed'`` is the "
    "mean of the two directed means.",
    "bcubed_f1.average": "``'elements'`` is the mean of each element's own F, ``'means'`` the harmonic mean of the "
    "mean precision and the mean recall.",
    "boundary_pq.average": "``'class'`` is the mean over the classes, the default where segments of the same class "
    "are matched, ``'segments'`` counts all segments together.",
    "class_surface_distance.average": "``'pooled'`` weighs every surface element equally (ASSD), "
    "``'pred_to_true'`` measures from the prediction only.",
    "dice iou.average": "``'labels'`` is the mean over labels, ``'elements'`` the quotient of the sums over all "
    "labels.",
    "mean_iou.average": "``'dataset'`` counts the elements of the data set before the IoU of each class is taken, "
    "``'items'`` is the mean over items, ``'samples-and-classes'`` over all pairs of an item and a class in it.",
    "partner_f partner_f_error.average": "``'segments'`` is the mean of F over true segments, ``'means'`` the F of "
    "the mean precision and the mean recall, ``'pooled'`` the F of the summed counts.",
    "partner_precision partner_recall.average": "``'segments'`` is the mean over true segments, ``'pooled'`` the "
    "quotient of the summed counts.",
    "beta": "The weight of completeness relative to homogeneity.",
    "class_f_beta.beta": "The weight of recall relative to precision.",
    "blocks": "``'counted'`` takes the sizes of segments without the elements that ``background`` leaves out, "
    "``'whole'`` those of whole segments.",
    "both_empty": "The value where neither side has a label; by default undefined.",
    "c_miss": "The weight of missed boundaries; spurious ones have the rest to 1.",
    "categories": "The classes of each category, by its name; by default every class is its own.",
    "class_weight": "The weight of classification errors against segmentation errors.",
    "collar": "Seconds around every start and end of a true turn that are not scored.",
    "event_based_error_rate event_based_f1.collar": "Seconds that onsets and offsets may be apart.",
    "collar_width": "``'each_side'``: the collar is before and after an end, as in md-eval; ``'whole'``: it is the "
    "width of both together, as in pyannote.metrics.",
    "compare": "``'exact'`` compares integers, ``'float32'`` IoUs and thresholds in single precision, as stardist.",
    "connectivity": "The neighbours of a foreground element: 8 or 4 in an image, 26 or 6 in a volume; the "
    "background has the other number.",
    "cost_fn": "The cost of an element that is missed; with ``cost_fp``.",
    "cost_fp": "The cost of an element that is predicted wrongly; with ``cost_fn``.",
    "d": "The width of the band, in elements or units of the spacing; by default 2 % of the image diagonal.",
    "class_boundary_iou.d": "The width of the band, or ``'surface'`` for the surface elements; by default 2 % of "
    "the image diagonal.",
    "delete": "The cost of deleting a boundary.",
    "dilation": "How many steps the truth is dilated, so that parts close together are one lesion.",
    "dimension": "0 for connected parts, 1 for holes or tunnels, 2 for cavities; by default the sum over all.",
    "divide_by": "``'segments'`` divides by the size of all segments, ``'domain'`` by the number of all elements.",
    "empty": "The value in place of 0/0; by default undefined.",
    "ends": "Which ends must agree: ``'both'``, the ``'onset'`` or the ``'offset'``.",
    "segmental_f1.ends": "``'whole'`` takes segments as they are, ``'ms-tcn2'`` ends one that reaches the end of "
    "its line one frame early, as MS-TCN++ does.",
    "exchange_rate": "How many hits a false alarm is worth: 1/9 where nine false alarms are accepted for a hit.",
    "federated": "Drop predictions of classes that were not looked for in their image, and ignore unmatched ones "
    "of classes that are annotated incompletely, as LVIS does.",
    "foreground": "Take all labels of a side together, as one mask.",
    "form": "``'pieces'`` counts the overlaps beside the strongest link once per piece, as the public programs; "
    "``'area'`` counts those beside the largest overlap once.",
    "fragmentation": "The value of a segment that is split or that merges: a number, or ``'logarithmic'`` for 1/(1 "
    "+ ln k) with k parts; by default 0.8, with ``variant='seed'`` logarithmic.",
    "frame": "The length of a frame in seconds: labels are sampled as mir_eval does; None counts all time.",
    "if_no_pairs": "The value where no moment is closer to one than to another; None leaves it undefined.",
    "if_one_label": "The value where the sides have one label, so that it is 0/0; None leaves it undefined.",
    "ignore_empty": "Leave out the labels that the truth does not have, as MONAI.",
    "insert": "The cost of inserting a boundary.",
    "iou_type": "What is compared: ``'segm'`` masks, ``'bbox'`` boxes, ``'boundary'`` the smaller of the IoU of "
    "masks and that of their boundaries.",
    "k": "The number of gaps in a window; by default half the mean length of the true segments. ``'segeval'`` and "
    "``'nltk'`` round as these packages do.",
    "vpq.k": "The numbers of consecutive frames in a window.",
    "least_coverage": "The share of what is left of a true zone that a link must cover (exclusive).",
    "least_share": "The share of a true entity that a prediction must cover to overlap it.",
    "least_volume": "The volume that a true lesion must exceed to count, in units of the spacing.",
    "limit": "Whether ``max_detections`` holds for each class of an image, or for the ``'image'``.",
    "map_by": "The map has the longest common ``'time'``, or the largest sum of ``'jaccard'`` indices, as dscore.",
    "map_within": "Speakers are mapped by their common time that is ``'scored'``, or by that in the whole "
    "``'region'``, collars and overlapped speech included, as in md-eval.",
    "margin": "How many elements apart two change points may be.",
    "match": "``'optimal'`` takes the transpositions of least total cost, ``'greedy'`` those that segeval takes.",
    "matching": "``'optimal'`` matches as many events as possible; ``'greedy'`` takes, for each true event by "
    "onset, the first that fits.",
    "max_detections": "The number of predicted masks per image and class, by descending score, that are considered.",
    "mean_sizes": "The mean number of elements of an instance, by class; by default that of the data.",
    "metric": "How the width of the band is measured: steps including diagonal ones, or straight distances.",
    "min_points": "The number of points from which an unmatched segment counts.",
    "lstq.min_points": "A true track counts in scans in which it has more points.",
    "pat.min_points": "An unmatched segment counts from this number of points on, a true track above it.",
    "missing": "What a segment without a partner counts: None leaves it out, else a distance in units of spacing, "
    "``'diagonal'`` of the image, or ``'inf'``.",
    "boundary_iou surface_dice.missing": "What a segment without a partner counts: None leaves it out, else a "
    "number in [0, 1].",
    "class_boundary_iou class_surface_dice.missing": "What a class on one side only counts: None leaves it out, "
    "else a number in [0, 1].",
    "lesion_hausdorff95.missing": "The distance of a missed or spurious lesion, in units of spacing.",
    "missing_for": "``'segment'`` counts every missed and every spurious segment, ``'item'`` only an item without "
    "a matched pair.",
    "n_classes": "The number of all classes, those that occur nowhere included.",
    "n_t": "The largest distance, plus one, over which a boundary may be transposed.",
    "object_above": "The least share of a segment (exclusive) that another must cover for an object.",
    "of": "Which side is covered.",
    "offset_share": "The share of the true length that offsets may be apart, if that is more than the collar.",
    "one_sided": "F1 of a label that only one side has: ``'zero'``; ``'undefined'``, left out of the mean, as "
    "sed_eval does; ``'zero_without_output'``, 0 only for a true label that is never predicted.",
    "over": "``'elements'`` is the mean over elements, ``'pairs'`` the mean over overlapping pairs of segments.",
    "overlap": "``'skipped'`` leaves out the time in which several true speakers talk.",
    "padded": "Let windows extend past both ends of the text.",
    "pairing": "Each true change point, in order, takes the ``'nearest'`` free prediction, or ``'every'`` one near "
    "it, as ruptures; ``'optimal'`` pairs as many as possible.",
    "part_above": "The least share of a segment (exclusive) that another must cover for a part.",
    "part_weight": "The weight of a part.",
    "patch": "The side of square patches to average over, in elements; by default the whole image.",
    "percentile": "``'directed'`` is the larger of the two directed percentiles, ``'pooled'`` the percentile of "
    "all distances together.",
    "perimeter": "``'crack'`` counts unit edges, ``'inside_frame'`` leaves out those on the frame of the image, "
    "``'pixels'`` counts elements at the border.",
    "pi": "How much of the best overlap another overlap must reach.",
    "points": "``'surface'`` measures from surface elements, ``'all'`` from every element.",
    "policy": "How void elements and crowd segments are treated.",
    "radius": "The number of elements from the centre of the square window to its edge; by default 0.25 % of the "
    "image diagonal, rounded.",
    "raw": "Count all instances, without resolving conflicts between them.",
    "reading": "Whose definition: ``'hover_net'``, ``'monuseg'``, ``'sortedap'`` or ``'cellpose'``.",
    "recall_points": "``'coco'`` are the 101 floats of the reference, ``'exact'`` the fractions i/100.",
    "region": "What is evaluated without a UEM: from the first to the last turn of ``'both'`` sides, or of the "
    "``'true'`` side alone, as md-eval.",
    "resolution": "The length of a segment in seconds.",
    "rule": "Which true and predicted segments are a pair: a rule or its text.",
    "average_precision.rule": "A rule that decides on a pair alone, instead of the thresholds.",
    "n_merges n_splits.rule": "Which overlapping segments count as linked.",
    "self_pairs": "Count every element as a pair with itself, as the published definition does.",
    "shift": "The cost of shifting a boundary by one element.",
    "size": "The areas of the true masks that count: ``'small'``, ``'medium'``, ``'large'``, or the least and the "
    "largest area; by default all.",
    "skip_without_truth": "Leave items without a true segment undefined, whatever is predicted.",
    "split_merge": "The share of the further overlaps of a split or merge that counts as an error.",
    "start": "Count the first element of the line as a change point of both sides.",
    "strict": "Require a weight above ``t``, not one of at least ``t``.",
    "bf_precision bf_recall bf_score.strict": "Require a distance below the tolerance, as published, not one of at "
    "most the tolerance.",
    "mean_matched_iou mean_true_iou segment_accuracy segment_f1 segment_pq segment_precision segment_recall"
    ".strict": "Require an IoU above the threshold, not one of at least the threshold.",
    "stuff": "The stuff classes.",
    "t": "The least weight of a pair that counts.",
    "t_p": "The least precision of an area.",
    "t_r": "The least recall of an area.",
    "task": "``'semi-supervised'``: the labels of the first frame are given to the method; ``'unsupervised'``: "
    "predicted labels are proposals that are assigned to the objects.",
    "things": "The classes that are tracked; by default all.",
    "threshold": "The least coverage, above 1/2 and at most 1.",
    "thresholds": "The least IoU of a match, or several to average over; by default 0.50, 0.55, …, 0.95.",
    "segmental_f1.thresholds": "The least IoU of a hit, or several to average over; by default 0.1, 0.25 and 0.5.",
    "tolerance": "The distance within which a boundary counts as found, in elements.",
    "bf_precision bf_recall bf_score.tolerance": "The distance within which boundaries agree, in units of the "
    "spacing; by default 0.75 % of the image diagonal.",
    "class_surface_dice surface_dice.tolerance": "The distance within which surfaces agree, in units of the spacing.",
    "contour_accuracy j_and_f.tolerance": "How far apart boundaries may be: a share of the image diagonal, rounded "
    "up to pixels, or 1 pixel or more.",
    "region_similarity.tolerance": "The tolerance of the boundaries, by which unsupervised proposals are assigned.",
    "trim": "Leave out the beginning and the end of the line, which are boundaries otherwise.",
    "trivial": "The value where both sides are one segment, or both only single elements; by default undefined.",
    "unpredicted": "``'class'`` counts elements without a predicted class as one more class of IoU 0, as the "
    "reference, ``'missed'`` only against their true class.",
    "variant": "``'original'`` is the published definition, ``'seed'`` its rewriting with thresholds per edge.",
    "weight": "The weight of a pair; by default the IoU.",
    "weighted": "Sum the differences instead of counting the windows that have one.",
    "class_surface_dice surface_dice.weights": "``'area'`` weighs pieces of the surface by their length or area, "
    "as the published tool; ``'elements'`` counts surface elements.",
    "class_hausdorff95 hausdorff95.weights": "``'elements'`` takes the percentile of surface elements, ``'area'`` "
    "the distance within which lies 95 % of the length or area of the surface, as surface-distance.",
    "width": "The width of the band on either side of a true boundary, in units of the spacing.",
    "window": "How many seconds apart two boundaries may be.",
    "windows": "``'pooled'`` adds up the tubes of all windows per class, ``'mean'`` averages the windows.",
    "within": "``'at_most'`` the margin, or ``'below'`` it, as ruptures.",
    "without_pair": "The value where segments occur but none is matched; by default undefined.",
}


def option_help(metric: str, option: str) -> str | None:
    """Return what an option of a metric means; None where it has no help.

    >>> option_help("vpq", "k"), option_help("pk", "nothing")
    ('The numbers of consecutive frames in a window.', None)
    """
    return _BY_METRIC.get(f"{metric}.{option}", OPTION_HELP.get(option))


_BY_METRIC = {
    f"{metric}.{option}": text
    for key, text in OPTION_HELP.items()
    for metrics, _, option in (key.rpartition("."),)
    for metric in metrics.split()
}
