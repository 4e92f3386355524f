"""What the composite action runs, against a repository and an API of this machine."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.adapters import github_action
from segmetry.adapters.github_action import ActionInputs

PROJECT = Path(__file__).parents[3]
COMMENTS: list[dict[str, Any]] = []


class Api(BaseHTTPRequestHandler):
    """The part of GitHub's API that lists, writes and rewrites comments."""

    def do_GET(self) -> None:
        if self.path == "/user":  # as the token of a workflow is answered
            self.send_error(403)
            return
        page = int(self.path.rpartition("page=")[2])
        self.answer(COMMENTS if page == 1 else [])

    def do_POST(self) -> None:
        COMMENTS.append({"id": len(COMMENTS) + 1, "user": {"login": "github-actions[bot]"}, **self.body()})
        self.answer(COMMENTS[-1])

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        COMMENTS[number - 1].update(self.body())
        self.answer(COMMENTS[number - 1])

    def body(self) -> dict[str, Any]:
        assert self.headers["Authorization"] == "Bearer secret"
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))  # type: ignore[no-any-return]

    def answer(self, data: Any) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def api() -> Iterator[str]:
    COMMENTS.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


def action(folder: Path, temporary: Path, **inputs: str) -> tuple[int, str]:
    environment = {**os.environ, "RUNNER_TEMP": str(temporary), **inputs}
    command = [sys.executable, "-P", "-m", "segmetry.adapters.github_action"]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


def test_scores_are_compared_with_the_base_branch_and_commented(tmp_path: Path, api: str) -> None:
    origin, checkout, temporary = (tmp_path / name for name in ("origin", "checkout", "temporary"))
    for folder in (origin, temporary, origin / "true", origin / "pred"):
        folder.mkdir(parents=True, exist_ok=True)
    labels = np.array([[1, 1, 2, 2], [1, 1, 2, 2]])
    for name in "abc":
        np.save(origin / "true" / f"{name}.npy", labels)
        np.save(origin / "pred" / f"{name}.npy", labels)
    git(origin, "init", "-q")
    score = [sys.executable, "-m", "segmetry", "score", "true", "pred", "--metrics", "pq", "--out", "accepted.segm"]
    subprocess.run(score, cwd=origin, check=True, capture_output=True)
    git(origin, "add", "."), git(origin, "commit", "-qm", "Accept")
    subprocess.run(["git", "clone", "-q", str(origin), str(checkout)], check=True)
    np.save(checkout / "pred" / "a.npy", labels // 2)
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 12}}))
    inputs = {
        "INPUT_TRUTH": "true",
        "INPUT_PREDICTION": "pred",
        "INPUT_ARGUMENTS": "--metrics pq",
        "INPUT_BASELINE": "accepted.segm",
        "INPUT_GATE": "pq:0.01",
        "INPUT_TOKEN": "secret",
        "GITHUB_BASE_REF": "main",
        "GITHUB_API_URL": api,
        "GITHUB_REPOSITORY": "some/where",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    code, text = action(checkout, temporary, **inputs)
    assert code == 3, text
    assert [comment["body"].splitlines()[0] for comment in COMMENTS] == ["<!-- segmetry: Segmentation scores -->"]
    assert "new against base: pq (mean over items) is worse by" in COMMENTS[0]["body"]
    assert re.search(r"\| pq \(mean over items\) ↑ \| 1.0000 \|", COMMENTS[0]["body"].replace("\\_", "_")), COMMENTS[0][
        "body"
    ]
    assert "passed=false" in (tmp_path / "output").read_text()
    np.save(checkout / "pred" / "a.npy", labels)
    code, text = action(checkout, temporary, **inputs)
    assert code == 0, text
    assert len(COMMENTS) == 1 and "Every item has the same results as in the base branch" in COMMENTS[0]["body"]
    assert (tmp_path / "summary").read_text().count("### Segmentation scores") == 2
    assert f"Receipt `{sm.verify(temporary / 'new.segm').digest}`" in COMMENTS[0]["body"]
    assert "That of the accepted run holds." in COMMENTS[0]["body"]
    with closing(sqlite3.connect(origin / "accepted.segm", isolation_level=None)) as connection:
        change = (
            "UPDATE fact SET value = replace(value, 'pq/by_item\": 1.0', 'pq/by_item\": 0.1') WHERE name = 'receipt'"
        )
        assert connection.execute(change).rowcount == 1
    git(origin, "commit", "-qam", "Forge")
    code, text = action(checkout, temporary, **inputs)
    assert code == 3, text
    assert "That of the accepted run does not hold: 1 checks failed." in COMMENTS[0]["body"]
    git(origin, "revert", "-n", "HEAD"), git(origin, "commit", "-qm", "Accept again")
    code, text = action(checkout, temporary, **{**inputs, "INPUT_BASELINE": "none.segm", "INPUT_TITLE": "Other"})
    assert code == 0, text
    assert "There is no accepted run `none.segm` in the base branch" in COMMENTS[1]["body"]
    code, text = action(checkout, temporary, **{**inputs, "INPUT_TRUTH": "nowhere"})
    assert code == 2, text


def test_what_strangers_send_is_not_run_and_calls_nobody(tmp_path: Path, api: str) -> None:
    """A module in the checkout, a comment of somebody else, and names that are commands, mentions and addresses."""
    names = ["::set-output name=passed::true", "@everyone", "http://evil.example", "#12"]
    image = {"id": 1, "width": 4, "height": 4, "file_name": "a.png"}
    categories = [{"id": at, "name": name, "isthing": 1, "color": [0, 0, 0]} for at, name in enumerate(names, 1)]
    segmentation = [[0, 0, 4, 0, 4, 1, 0, 1]]
    annotations = [
        {
            "id": at,
            "image_id": 1,
            "category_id": at,
            "iscrowd": 0,
            "bbox": [0, 0, 4, 1],
            "area": 4,
            "segmentation": segmentation,
        }
        for at in range(1, 5)
    ]
    truth = {"images": [image], "annotations": annotations, "categories": categories}
    (tmp_path / "true.json").write_text(json.dumps(truth))
    (tmp_path / "pred.json").write_text(json.dumps([{**of, "score": 0.5} for of in annotations]))
    for module in ("segmetry", "json", "click"):
        (tmp_path / f"{module}.py").write_text("open('was-run', 'w')\n")
    COMMENTS.append({"id": 1, "user": {"login": "somebody"}, "body": "<!-- segmetry: Segmentation scores -->\nmine"})
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 12}}))
    (tmp_path / "temporary").mkdir()
    inputs = {
        "INPUT_TRUTH": "true.json",
        "INPUT_PREDICTION": "pred.json",
        "INPUT_ARGUMENTS": "--metrics pq --by-class",
        "INPUT_TOKEN": "secret",
        "GITHUB_API_URL": api,
        "GITHUB_REPOSITORY": "some/where",
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
    }
    code, text = action(tmp_path, tmp_path / "temporary", **inputs)
    assert code == 0, text
    assert not (tmp_path / "was-run").exists()
    assert COMMENTS[0]["body"].endswith("mine") and len(COMMENTS) == 2
    listening, ends = True, ""
    for line in text.splitlines():
        if listening and line.startswith("::stop-commands::"):
            listening, ends = False, f"::{line.rpartition('::')[2]}::"
        elif line == ends:
            listening = True
        else:
            assert not (listening and line.startswith("::")), line
    assert listening and ends


def test_names_in_comments_are_defused() -> None:
    text = github_action.defused("| @all | HTTPS://a.b | www.a.b | #7 | GH-7 | mailto:a |\n### Heading")
    assert not re.search(r"@\w|://|www\.|#\d|GH-\d|mailto:\w", text.replace(":\u200b//", ""))
    assert text.endswith("\n### Heading")


def test_the_action_installs_itself_and_imports_nothing_of_the_checkout() -> None:
    text = (PROJECT / "action.yml").read_text("utf-8")
    assert "INSTALL: ${{ inputs.install || github.action_path }}" in text
    assert re.findall(r"run: python (\S+)", text) == ["-P", "-P"]
    assert text.count('PYTHONSAFEPATH: "1"') == 2


def test_a_comment_that_is_rejected_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 12}}))
    for name, value in (
        ("EVENT_PATH", str(tmp_path / "event.json")),
        ("REPOSITORY", "a/b"),
        ("API_URL", "http://127.0.0.1:9"),
    ):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    github_action._write_comment(github_action.ActionInputs({"INPUT_TOKEN": "secret"}), "text")
    assert capsys.readouterr().out.startswith("::warning::segmetry could not comment")


def test_the_page_uses_inputs_of_the_action() -> None:
    from ruamel.yaml import YAML

    page = (PROJECT / "docs" / "howto" / "ci.md").read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    steps = YAML(typ="safe").load(page)["jobs"]["scores"]["steps"]
    declared = YAML(typ="safe").load((PROJECT / "action.yml").read_text("utf-8"))
    assert set(steps[-1]["with"]) <= set(declared["inputs"])
    assert {name for name, about in declared["inputs"].items() if about.get("required")} <= set(steps[-1]["with"])


def test_the_action_passes_every_input() -> None:
    text = (PROJECT / "action.yml").read_text("utf-8")
    declared = re.findall(r"^  (\w+):\n    description", text.partition("outputs:")[0], re.MULTILINE)
    assert declared == ["truth", "prediction", "arguments", "baseline", "gate", "title", "comment", "token", "install"]
    for name in declared[:-1]:
        assert f"INPUT_{name.upper()}: ${{{{ inputs.{name} }}}}" in text
    assert "${{" not in "".join(re.findall(r"run: (.*)", text)), "an input in a script could be code"


def test_the_example_of_action_inputs() -> None:
    found = ActionInputs({"INPUT_TRUTH": "a", "INPUT_PREDICTION": "b", "INPUT_GATE": "pq:0.01 rq:0.02"})
    assert (found.gates, found.comment) == (("pq:0.01", "rq:0.02"), True)
