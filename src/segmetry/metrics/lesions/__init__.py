"""Metrics of lesions: connected parts of a class, each scored by itself, as the BraTS challenges do since 2023.

The lesions of a class are those of :mod:`segmetry.geometry.lesions`: what lies in one connected component of the
dilated truth is one lesion, and all predicted components that touch it are its prediction together [saluja2023brats].
Found lesions are TP, missed ones FN, and predicted components that touch none FP. Dice and the 95 % Hausdorff distance
are means over all three, in which missed and spurious lesions count 0, or a fixed distance.
"""
