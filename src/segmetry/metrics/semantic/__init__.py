"""Metrics of classes of elements: which class does each pixel, voxel or token have?

Of a class, n are its elements on both sides (TP), t those in the truth and p those in the prediction: FN = t − n,
FP = p − n, and TN are the rest of the elements that are void on neither side. Elements that are void on a side never
count; those of no class count for the class of the other side. Where segments carry no classes, the metrics that
compare labels take equal labels for one class.

* ``mean_iou``: IoU of classes in four averages, weighted by frequency; accuracy [long2015fully].
* ``element_counts``: IoU [jaccard1912distribution] and Dice [dice1945measures] of masks and labels; errors of volume;
  the counts of a class against all others. ``class_rates`` are what is made of these: sensitivity, specificity, F, MCC,
  kappa, costs [maierhein2024metrics].
* ``category_iou``: categories of classes, and iIoU, in which all instances of a class weigh alike
  [cordts2016cityscapes].

Elements are added over a data set before the quotient of a class is taken, then classes are averaged, unless a metric
says otherwise: the mean over images of the IoUs of their classes is another number.
"""
