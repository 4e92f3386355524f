"""Small scenes rich in splits, merges, confusions, void and crowd."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.diagnosis.oracle import RULES, VOID, Scene

CLASSES = ("a", "b")
POLICIES = ("none", "coco", "torchmetrics", "strict-void")


@st.composite
def scenes(draw: st.DrawFn, *, void: bool = True) -> Scene:
    """A line cut into runs on both sides, now and then at the same places."""
    n = draw(st.integers(1, 24))
    labels = [1, 2, 3, 4, 5, 0] + ([VOID] if void else [])

    def side() -> tuple[int, ...]:
        cuts = sorted(draw(st.sets(st.integers(1, n), max_size=8)) | {n})
        elements: list[int] = []
        for cut in cuts:
            elements += [draw(st.sampled_from(labels))] * (cut - len(elements))
        return tuple(elements)

    true, pred = side(), side()
    if not draw(st.booleans()):
        crowd = frozenset() if not void else frozenset(draw(st.sets(st.just(1))))
        return Scene(true, pred, dict.fromkeys(range(1, 6), "a"), dict.fromkeys(range(1, 6), "a"), crowd)
    of_true, of_pred = ({label: draw(st.sampled_from(CLASSES)) for label in range(1, 6)} for _ in range(2))
    crowd = frozenset(draw(st.sets(st.integers(1, 2), max_size=1))) if void else frozenset()
    return Scene(true, pred, of_true, of_pred, crowd)


hows = st.tuples(st.sampled_from(list(RULES)), st.sampled_from(POLICIES), st.sampled_from(("match", "match", "ignore")))
