"""The protocol ``waves``: how the waves of a shore are evaluated."""

from __future__ import annotations

from segmetry.plugins import Grid, Heading, Protocol, ReferenceImplementation, declare_protocol

PROTOCOL = declare_protocol(
    Protocol(
        name="waves",
        field="waves on a shore",
        summary="The share of each wave that was seen, and PQ of waves that share most of their length.",
        header="waves that share three quarters of both; mean over shores",
        decisions=("Two waves match if they share at least three quarters of both.",),
        metrics=("wave_recall", "pq"),
        headline="seen",
        cells=Grid(
            rows=(Heading("waves", level="data set"),),
            columns=(
                Heading("seen", key="wave_recall", average="by_item"),
                Heading("PQ", key="pq", average="by_item"),
            ),
        ),
        reference=ReferenceImplementation("segmetry-waves", "1.2.0", "wave_recall"),
        citation=("Marina Tide. Waves and how to count them. In print.",),
        rule="same_wave(share=3/4)",
    )
)
