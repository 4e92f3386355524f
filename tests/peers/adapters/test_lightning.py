"""The torchmetrics adapter in a real Trainer of Lightning: logged in every epoch, equal to ``evaluate``."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("pytorch_lightning")
pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

READ = {"labels": "classes", "outside": None}
METRICS = "pq,mean_iou"
NAMES = {0: "road", 1: "sky", 2: "car"}


class Images(torch.utils.data.Dataset):
    def __init__(self, items: int) -> None:
        rng = np.random.default_rng(5)
        self.labels = torch.from_numpy(rng.integers(0, 3, (items, 6, 5)))
        noise = torch.from_numpy(rng.normal(0, 0.8, (items, 3, 6, 5)))
        self.images = (torch.nn.functional.one_hot(self.labels, 3).movedim(-1, 1) + noise).float()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: int) -> tuple[Any, Any, str]:
        return self.images[at], self.labels[at], f"image {at}"


class Network(lightning.LightningModule):
    """One convolution; the metric is an attribute, as Lightning expects it."""

    def __init__(self) -> None:
        from segmetry.adapters.torchmetrics import Segmetry

        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 1)
        self.metric = Segmetry(METRICS, read=READ, per_class=True, class_names=NAMES)

    def training_step(self, batch: Any, _: int) -> Any:
        return torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])

    def validation_step(self, batch: Any, _: int) -> None:
        images, labels, names = batch
        self.metric.update(self.layer(images).argmax(1), labels, names)

    def on_validation_epoch_end(self) -> None:
        self.log_dict({f"val/{name}": value for name, value in self.metric.compute().items()})
        self.metric.reset()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.5)


def test_every_epoch_of_a_trainer_is_scored_as_evaluate_does(tmp_path: Path) -> None:
    lightning.seed_everything(1)
    images, network = Images(7), Network()
    loader = torch.utils.data.DataLoader(images, batch_size=3)
    checkpoint = lightning.callbacks.ModelCheckpoint(tmp_path, monitor="val/pq/by_class", mode="max")
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "log_every_n_steps": 1}
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", devices=1, default_root_dir=tmp_path, callbacks=[checkpoint], **quiet
    )
    trainer.fit(network, loader, loader)
    with torch.no_grad():
        pred = network.layer(images.images).argmax(1)
    names = [images[at][2] for at in range(len(images))]
    sides = (dict(zip(names, side.numpy(), strict=True)) for side in (images.labels, pred))
    expected = sm.evaluate(*sides, metrics=METRICS, read=READ, class_names=NAMES).scalars()
    logged = {name.removeprefix("val/"): float(value) for name, value in trainer.callback_metrics.items()}
    assert logged.keys() == expected.keys()
    assert "class/road/pq/pooled" in logged
    np.testing.assert_allclose([logged[name] for name in expected], list(expected.values()), rtol=1e-6)
    assert checkpoint.best_model_path  # a checkpoint was chosen by the metric
    network.load_state_dict(torch.load(checkpoint.best_model_path, weights_only=True)["state_dict"])
