"""Metrics of labelled spans of a line: frames and actions of a video, entities of a text.

Spans of a side are disjoint and have one class each; many lines are scored at once. All of them count over the whole
data set before a quotient is taken (micro), unless a mean over classes (macro) is asked for.

* ``segmental_f1``: segmental F1 at an overlap, edit score and frame accuracy of actions [lea2017temporal].
* ``entity_scores``: precision, recall and F1 of entities found exactly, as the CoNLL shared tasks and seqeval count
  [tjongkimsang2003introduction]; F1 in the four schemas of SemEval'13 task 9, as nervaluate [segurabedmar2013semeval].
"""
