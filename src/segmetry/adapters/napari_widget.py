"""A dock widget for napari: compare two Labels layers, list their segments, show errors, go to a segment by a click.

The manifest ``segmetry/napari.yaml`` names it; napari imports this module when the widget is opened.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from napari.layers import Labels
from napari.utils.notifications import show_warning
from napari.viewer import Viewer
from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from segmetry.alignments import Alignment, align, segment_rows
from segmetry.errors import SegmetryError
from segmetry.overlaps import overlap

RULES = ("theta_plus", "theta_and", "iou(above=3/4)")
COLUMNS = ("outcome", "true_id", "pred_id", "iou", "shared", "missed", "spurious")
ERRORS = "errors (segmetry)"
MISSED, SPURIOUS, CONFUSED = 1, 2, 3
"""Values of the error layer: truth that is not found, prediction without truth, both in segments that do not match."""
COLOURS = {MISSED: "#0072b2", SPURIOUS: "#d55e00", CONFUSED: "#cc79a7", None: "transparent"}


class LayerComparison(NamedTuple):
    """The alignment of two label images, its segments worst first, and the errors of every element."""

    alignment: Alignment
    rows: list[dict[str, Any]]
    errors: np.ndarray[Any, Any]


def compare_labels(true: Any, pred: Any, rule: str = "theta_plus") -> LayerComparison:
    """Compare two label images; an element is right if it is outside on both sides, or in a matched pair."""
    alignment = align(overlap(true, pred), rule)
    rows = segment_rows(alignment)
    rows.sort(key=lambda row: (row["outcome"] == "matched", row["iou"] or 0.0))
    partner = {row["true_id"]: row["pred_id"] for row in rows if row["outcome"] == "matched"}
    first, second = np.asarray(true), np.asarray(pred)
    labels, at = np.unique(first, return_inverse=True)
    expected = np.array([partner.get(label, -1) for label in labels.tolist()])[at].reshape(first.shape)
    wrong = ((first != 0) | (second != 0)) & (expected != second)
    kinds = np.select([second == 0, first == 0], [MISSED, SPURIOUS], CONFUSED)
    return LayerComparison(alignment, rows, np.where(wrong, kinds, 0).astype(np.uint8))


class CompareLabels(QWidget):  # type: ignore[misc]
    """Choose two Labels layers and a rule, and press Compare."""

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.viewer = viewer
        self.true, self.pred, self.rule = QComboBox(), QComboBox(), QComboBox()
        self.rule.addItems(RULES)
        self.button, self.summary = QPushButton("Compare"), QLabel("Choose two Labels layers.")
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setHorizontalHeaderLabels([name.replace("_", " ") for name in COLUMNS])
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        form = QFormLayout()
        for word, box in (("truth", self.true), ("prediction", self.pred), ("rule", self.rule)):
            form.addRow(word, box)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        for part in (self.button, self.summary, self.table):
            layout.addWidget(part)
        self.comparison: LayerComparison | None = None
        self.button.clicked.connect(self.compare)
        self.table.cellClicked.connect(lambda row, _: self.show_segment(row))
        viewer.layers.events.inserted.connect(self.list_layers)
        viewer.layers.events.removed.connect(self.list_layers)
        self.list_layers()

    def list_layers(self, *_: Any) -> None:
        """List the Labels layers of the viewer, and keep what was chosen."""
        names = [layer.name for layer in self.viewer.layers if isinstance(layer, Labels) and layer.name != ERRORS]
        taken = ""
        for box in (self.true, self.pred):
            chosen = box.currentText()
            box.clear()
            box.addItems(names)
            others = [name for name in names if name != taken]
            taken = chosen if chosen in others else next(iter(others or names), "")
            box.setCurrentText(taken)

    def compare(self) -> None:
        """Compare the chosen layers; what is wrong with them is a notification."""
        names = self.true.currentText(), self.pred.currentText()
        if "" in names or names[0] == names[1]:
            show_warning("Choose two different Labels layers.")
            return
        try:
            true, pred = (self.viewer.layers[name] for name in names)
            self.comparison = compare_labels(np.asarray(true.data), np.asarray(pred.data), self.rule.currentText())
        except SegmetryError as problem:
            show_warning(str(problem))
            return
        alignment, rows, errors = self.comparison
        self.summary.setText(f"PQ {alignment.pq.value:.4f}   SQ {alignment.sq.value:.4f}   RQ {alignment.rq.value:.4f}")
        self._fill_table(rows)
        if ERRORS in self.viewer.layers:
            self.viewer.layers.remove(ERRORS)
        self.viewer.add_labels(errors, name=ERRORS, colormap=COLOURS, scale=true.scale, translate=true.translate)

    def _fill_table(self, rows: list[dict[str, Any]]) -> None:
        self.table.setRowCount(len(rows))
        for at, row in enumerate(rows):
            for column, name in enumerate(COLUMNS):
                value = row[name]
                text = "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
                cell = QTableWidgetItem(text)
                cell.setTextAlignment(Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft)
                self.table.setItem(at, column, cell)
        self.table.resizeColumnsToContents()

    def show_segment(self, at: int) -> None:
        """Select the segments of a row in their layers, and move the camera to them."""
        if self.comparison is None:
            return
        row = self.comparison.rows[at]
        sides = [(self.true.currentText(), row["true_id"]), (self.pred.currentText(), row["pred_id"])]
        for name, label in sides:
            if label is not None and name in self.viewer.layers:
                self.viewer.layers[name].selected_label = int(label)
        name, label = next(side for side in sides if side[1] is not None)
        layer = self.viewer.layers[name]
        centre = np.mean(np.nonzero(np.asarray(layer.data) == label), axis=1)
        place = layer.data_to_world(tuple(centre))
        for axis, position in enumerate(place):
            if axis not in self.viewer.dims.displayed:
                self.viewer.dims.set_point(axis, position)
        self.viewer.camera.center = tuple(place[axis] for axis in self.viewer.dims.displayed)
