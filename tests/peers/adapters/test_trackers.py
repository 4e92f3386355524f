"""Values of a run in the files of real trackers: MLflow, Weights & Biases offline, TensorBoard."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import OptionError


def run() -> sm.Run:
    names = {1: "person & rider", 2: "sky"}
    true = sm.LabelArray([[1, 1, 2, 2]], classes=names)
    return sm.evaluate(
        {"a": true}, {"a": sm.LabelArray([[1, 1, 2, 0]], classes=names)}, metrics="pq,false_hits", rule="theta_and"
    )


def expected(prefix: str = "") -> dict[str, float]:
    values = {name: value for name, value in run().scalars().items() if not math.isnan(value)}
    return {prefix + name.replace("&", "_"): value for name, value in values.items()}


def test_a_file_of_scalars_is_flat_json(tmp_path: Path) -> None:
    run().log_to(tmp_path / "metrics.json", prefix="val/")
    written = json.loads((tmp_path / "metrics.json").read_text())
    assert {name: value for name, value in written.items() if value is not None} == {
        f"val/{name}": value for name, value in run().scalars().items() if not math.isnan(value)
    }
    assert set(written) == {f"val/{name}" for name in run().scalars()}
    with pytest.raises(OptionError, match=r"expected a name that ends with \.json"):
        run().log_to(tmp_path / "metrics.yaml")


def test_what_cannot_log_is_named() -> None:
    with pytest.raises(OptionError, match="log_to got a int; expected a tracker with a method log_metrics"):
        run().log_to(3)

    class Live:
        """The documented interface of DVCLive."""

        def __init__(self) -> None:
            self.step, self.values = 0, dict[str, float]()

        def log_metric(self, name: str, value: float) -> None:
            self.values[name] = value

    live = Live()
    run().log_to(live, step=4, classes=False)
    assert live.step == 4
    assert live.values == {name: value for name, value in expected().items() if not name.startswith("class/")}


@pytest.mark.filterwarnings("ignore")
def test_tensorboard_reads_the_values_back(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        run().log_to(writer, step=7)
    events = EventAccumulator(str(tmp_path)).Reload()
    found = {name: (event.step, event.value) for name in events.Tags()["scalars"] for event in events.Scalars(name)}
    assert found == {name: (7, pytest.approx(value, abs=1e-6)) for name, value in expected().items()}


MLFLOW = """
import sys, mlflow
from test_trackers import run
mlflow.set_tracking_uri("file://" + sys.argv[1] + "/mlruns")
with mlflow.start_run() as active:
    run().log_to(mlflow, step=2)
import json
client = mlflow.MlflowClient()
history = {name: [(m.step, m.value) for m in client.get_metric_history(active.info.run_id, name)]
           for name in client.get_run(active.info.run_id).data.metrics}
print(json.dumps(history))
"""
WANDB = """
import sys, wandb
from test_trackers import run
active = wandb.init(mode="offline", dir=sys.argv[1], project="segmetry")
run().log_to(active, step=5)
active.finish()
"""


def in_a_process(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "-c", script, *arguments]
    environment = {
        "PYTHONPATH": str(Path(__file__).parent),
        "WANDB_SILENT": "true",
        "HOME": arguments[0],
        "MLFLOW_ALLOW_FILE_STORE": "true",
    }
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})


def test_mlflow_keeps_the_values(tmp_path: Path) -> None:
    history = json.loads(in_a_process(MLFLOW, str(tmp_path)).stdout.splitlines()[-1])
    assert history == {name: [[2, value]] for name, value in expected().items()}


def test_wandb_keeps_the_values_offline(tmp_path: Path) -> None:
    in_a_process(WANDB, str(tmp_path))
    (log,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    content = log.read_bytes()  # length and name, then the value as JSON; "pq" also ends "class/sky/pq"
    for name, value in expected().items():
        _, found, after = content.partition(bytes([len(name)]) + name.encode())
        assert found and (b"%g" % value) in after[:30], name
