"""Panoptic quality and its relatives: scores of an alignment of segments [kirillov2019panoptic].

A rule pairs true segments t with predicted ones h (by default IoU > 1/2, which makes pairs one-to-one). TP are the
pairs, FN the true and FP the predicted segments without a partner. The parts of panoptic quality follow:
SQ = Σ IoU/TP says how well the pairs fit, RQ = F1 = TP/(TP + ½FP + ½FN) how many there are, and PQ = SQ · RQ.

* ``panoptic_quality``: PQ, SQ, RQ, precision, recall, F1, their forms weighted by IoU [marx2022most], and counts.
* ``weighted_quality``: another weight of a pair than its IoU, volumes of pairs [kofler2023panoptica], counts of
  leaves; stuff classes by their plain IoU [porzi2019seamless].
* ``threshold_scores``: NPQ and scores at one threshold on the curves of [chazalon2021revisiting].
* ``alignment_facts``: pairs beyond θ⁺, false hits, fairness [vanheusden2024sharper].
* ``precision_recall_maps``: every segment painted with the weight of its best partner.

All but the last are functions of counts, so they exist for an item, a class and a data set. Where segments of the same
class are matched, the value of an item is the mean over its classes; ``average="segments"`` counts all together.
"""
