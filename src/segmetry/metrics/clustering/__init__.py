"""Clustering metrics: the two segmentations compared as partitions of their elements.

With blocks t of the truth and h of the prediction, everything follows from the sizes |t|, |h| and |t∩h| of n elements,
or from pairs of elements: N11 are together on both sides, N10 in the truth only, N01 in the prediction only, N00
apart on both. Ids do not matter, and no rule matches segments. What is in no segment is a choice, ``background=``:
one more block, single elements, or left out; each convention of a field (CREMI, SNEMI, FG-ARI) is one of them.

* ``element_pairs``: precision, recall, Jaccard, Fowlkes–Mallows of pairs; adapted Rand error. The Rand index and the
  ARI are in ``regions/rand_index``.
* ``variation_of_information``: VI, its split and merge terms in bits, CREMI [meila2007comparing].
* ``mutual_information``: MI, NMI, AMI, homogeneity, completeness, V-measure [vinh2010information,
  rosenberg2007vmeasure], and what chance alone gives.
* ``bcubed``, ``purity``: means over elements of what their two blocks share [bagga1998entity], ELM without the element;
  how many elements must be moved until the sides agree.
"""
