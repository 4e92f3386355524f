"""The napari plug-in in a viewer without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm

pytestmark = pytest.mark.filterwarnings("ignore")

TRUE = np.zeros((8, 8), int)
TRUE[1:4, 1:4], TRUE[5:8, 5:8] = 1, 2
PRED = np.zeros((8, 8), int)
PRED[1:4, 1:5], PRED[0, 6:8] = 7, 9


@pytest.fixture(scope="module")
def application() -> Any:
    from qtpy.QtWidgets import QApplication

    return QApplication.instance() or QApplication([])


@pytest.fixture
def viewer(application: Any) -> Any:
    from napari.components import ViewerModel

    return ViewerModel()


def test_the_manifest_is_valid_and_names_the_widget() -> None:
    from npe2 import PluginManifest

    from segmetry.adapters.napari_widget import CompareLabels

    manifest = PluginManifest.from_file(Path(sm.__file__).parent / "napari.yaml")
    manifest.validate_imports()
    (widget,) = manifest.contributions.widgets
    (command,) = manifest.contributions.commands
    assert widget.command == command.id
    assert str(command.python_name) == f"{CompareLabels.__module__}:{CompareLabels.__name__}"


def test_two_layers_give_a_table_and_an_error_layer(viewer: Any) -> None:
    from segmetry.adapters.napari_widget import CONFUSED, ERRORS, MISSED, SPURIOUS, CompareLabels, compare_labels

    widget = CompareLabels(viewer)
    assert widget.true.count() == 0
    widget.compare()  # a notification, no error
    viewer.add_labels(TRUE, name="truth", scale=(2, 2))
    viewer.add_labels(PRED, name="prediction", scale=(2, 2))
    assert (widget.true.currentText(), widget.pred.currentText()) == ("truth", "prediction")
    widget.button.click()
    assert widget.summary.text().startswith(f"PQ {sm.pq(TRUE, PRED).value:.4f}")
    cells = [[widget.table.item(row, column).text() for column in range(4)] for row in range(widget.table.rowCount())]
    assert cells == [["missed", "2", "", ""], ["spurious", "", "9", ""], ["matched", "1", "7", "0.7500"]]
    errors = viewer.layers[ERRORS].data
    assert errors[6, 6] == MISSED and errors[0, 7] == SPURIOUS and errors[2, 4] == SPURIOUS and errors[2, 2] == 0
    assert compare_labels([[1, 1, 1]], [[5, 6, 0]], "iou(above=3/4)").errors.tolist() == [[CONFUSED, CONFUSED, MISSED]]
    widget.button.click()
    assert [layer.name for layer in viewer.layers].count(ERRORS) == 1


def test_a_click_goes_to_the_segment(viewer: Any) -> None:
    from segmetry.adapters.napari_widget import CompareLabels

    volume, other = np.stack([np.zeros_like(TRUE), TRUE]), np.stack([np.zeros_like(PRED), PRED])
    viewer.add_labels(volume, name="truth", scale=(5, 2, 2))
    viewer.add_labels(other, name="prediction", scale=(5, 2, 2))
    viewer.dims.ndisplay = 2
    widget = CompareLabels(viewer)
    widget.compare()
    widget.table.cellClicked.emit(0, 0)
    assert viewer.layers["truth"].selected_label == 2
    assert viewer.dims.point[0] == 5
    assert tuple(viewer.camera.center[-2:]) == (12, 12)
    widget.table.cellClicked.emit(2, 0)
    assert viewer.layers["prediction"].selected_label == 7


def test_labels_that_do_not_fit_are_a_notification(viewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from segmetry.adapters import napari_widget

    shown: list[str] = []
    monkeypatch.setattr(napari_widget, "show_warning", shown.append)
    viewer.add_labels(TRUE, name="truth")
    viewer.add_labels(PRED[:4], name="prediction")
    widget = napari_widget.CompareLabels(viewer)
    widget.compare()
    assert len(shown) == 1 and "shape" in shown[0]
    widget.pred.setCurrentText("truth")
    widget.compare()
    assert shown[1] == "Choose two different Labels layers."
