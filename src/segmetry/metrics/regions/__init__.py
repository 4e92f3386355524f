"""Region metrics: each true segment compared with the predicted segment that overlaps it most.

The *partner* of a true segment shares most elements with it (``partners``); ties go to the larger IoU, then
to the smaller id, and are counted in the details. Partners are not one-to-one, and spurious segments cost nothing
unless they are a partner, so read these metrics together with one that counts them.

* ``largest_partners``: precision, recall and F(α) of each true segment and its partner [vanrijsbergen1979information];
  the best IoU, weighted by size [arbelaez2011contour]; differences in area (AFI, RBSB); how much superpixels leak
  across true borders [stutz2018superpixels].
* ``hoover``: correct detections, over- and under-segmentation [hoover1996experimental].
* ``shape_index``: compactness of segments [neubert2003evaluation], of superpixels [schick2012measuring].
* ``rand_index``: pairs of elements, over all of them or of each partner [rand1971objective, hubert1985comparing].
"""
