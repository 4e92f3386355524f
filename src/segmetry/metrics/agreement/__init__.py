"""Agreement of several annotators: boundaries beyond chance, and any metric between all pairs of annotators.

``chance_corrected`` has the coefficients π and κ of boundary similarity [fournier2013evaluating];
``several_references`` scores a prediction against every annotator, or all pairs of annotators, with any metric.
"""
