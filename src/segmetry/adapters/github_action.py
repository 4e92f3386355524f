"""What ``action.yml`` runs: score, compare with the accepted run of the base branch, and comment on the pull request.

Inputs arrive in the environment, as runners of GitHub Actions pass them: ``INPUT_TRUTH`` and so on. The work is done
by the commands ``segmetry score``, ``compare`` and ``export``; their exit codes are those of the action: 2 for invalid
input, 3 for a gate that is not kept.

What is scored is of strangers. No module of their checkout is imported (``-P``), no line that a command prints is a
command to the runner, and no name in the comment calls a person or becomes a link.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# As the command line exits where a gate fails; 2 is invalid input.
EXIT_GATE = 3


class ActionInputs:
    """The inputs of the action, from an environment; ``baseline`` is the path of the accepted run in the repository."""

    def __init__(self, environment: Mapping[str, str]) -> None:

        def value(name: str, default: str = "") -> str:
            return environment.get(f"INPUT_{name}", "").strip() or default

        self.truth, self.prediction = value("TRUTH"), value("PREDICTION")
        self.baseline, self.token = value("BASELINE"), value("TOKEN")
        self.arguments = tuple(shlex.split(value("ARGUMENTS")))
        self.gates = tuple(value("GATE").replace(",", " ").split())
        self.title = value("TITLE", "Segmentation scores")
        self.comment = value("COMMENT", "true").lower() == "true"


def main() -> int:
    """Run the action; return its exit code."""
    inputs, folder = ActionInputs(os.environ), Path(os.environ.get("RUNNER_TEMP") or ".")
    new = folder / "new.segm"
    scored = _run_segmetry("score", inputs.truth, inputs.prediction, *inputs.arguments, "--out", str(new), "--force")
    if scored not in (0, EXIT_GATE):
        return scored
    page, accepted = folder / "segmetry.md", _accepted_run(inputs.baseline, folder)
    compared = _write_page(inputs, new, accepted, page)
    if compared not in (0, EXIT_GATE):
        return compared
    held, receipts = _receipts(new, accepted)
    passed = held and scored == compared == 0
    text = f"### {inputs.title}\n\n{defused(page.read_text('utf-8'))}\n{receipts}\n"
    _append_to_file("GITHUB_STEP_SUMMARY", text)
    _append_to_file("GITHUB_OUTPUT", f"run={new}\nmarkdown={page}\npassed={str(passed).lower()}\n")
    if inputs.comment:
        _write_comment(inputs, text)
    return 0 if passed else EXIT_GATE


def _receipts(new: Path, accepted: Path | None) -> tuple[bool, str]:
    """Return whether the receipts hold, and the sentence that says so; a run without one has none to hold."""
    from segmetry.receipts import verify
    from segmetry.run import Run

    made = f"Receipt `{verify(new).digest}`; `segmetry verify` checks it."
    if accepted is None or "receipt" not in Run.open(accepted).facts:
        return True, made
    changed = len(verify(accepted).changed)
    words = "holds" if not changed else f"does not hold: {changed} checks failed"
    return not changed, f"{made} That of the accepted run {words}."


def _run_segmetry(*arguments: str) -> int:
    """Run a command; between the two lines around it the runner takes no line as a command."""
    word = secrets.token_hex(16)
    _say(f"::stop-commands::{word}")
    try:
        return subprocess.run([sys.executable, "-P", "-m", "segmetry", *arguments], check=False).returncode  # noqa: S603
    finally:
        _say(f"::{word}::")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def defused(text: str) -> str:
    r"""Return Markdown in which no name mentions a person or an issue and no bare address becomes a link.

    >>> print(defused("@all, see http://a.example or #7").replace("\u200b", "|"))
    @|all, see http:|//a.example or #|7
    """
    return re.sub(
        r"(@|#(?=\d)|\bGH-(?=\d)|\bwww(?=\.)|\b(?:https?|ftp|mailto|xmpp):)", "\\1\u200b", text, flags=re.IGNORECASE
    )


def _write_page(inputs: ActionInputs, new: Path, accepted: Path | None, page: Path) -> int:
    """Write the comparison, or the scores where there is nothing to compare, as Markdown."""
    if accepted is not None and not _same_results(accepted, new):
        gates = [word for gate in inputs.gates for word in ("--gate", gate)]
        target = ("--names", "base,new", "--markdown", str(page))
        return _run_segmetry("compare", str(accepted), str(new), *target, *gates)
    code = _run_segmetry("export", str(new), "--markdown", str(page))
    if code == 0 and inputs.baseline:
        absent = f"There is no accepted run `{inputs.baseline}` in the base branch, so nothing was compared."
        note = f"\n{absent if accepted is None else 'Every item has the same results as in the base branch.'}\n"
        page.write_text(page.read_text("utf-8") + note, "utf-8")
    return code


def _same_results(accepted: Path, new: Path) -> bool:
    from segmetry.run import Run

    with Run.open(accepted) as first, Run.open(new) as second:
        return first.results_digest() == second.results_digest()


def _accepted_run(baseline: str, folder: Path) -> Path | None:
    """Return the accepted run as it is in the base branch of a pull request, else in the checkout; None if absent."""
    base = os.environ.get("GITHUB_BASE_REF")
    if not baseline or not base:
        return Path(baseline) if baseline and Path(baseline).is_file() else None
    subprocess.run(["git", "fetch", "--quiet", "--depth=1", "origin", base], check=True)  # noqa: S603, S607
    shown = subprocess.run(["git", "show", f"FETCH_HEAD:{baseline}"], check=False, capture_output=True)  # noqa: S603, S607
    if shown.returncode:
        return None
    accepted = folder / "base.segm"
    accepted.write_bytes(shown.stdout)
    return accepted


def _append_to_file(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


def _write_comment(inputs: ActionInputs, text: str) -> None:
    """Write the comment, or rewrite that of an earlier push; a comment that is rejected is a warning."""
    event = os.environ.get("GITHUB_EVENT_PATH")
    number = json.loads(Path(event).read_text("utf-8")).get("pull_request", {}).get("number") if event else None
    if number is None or not inputs.token:
        return
    marker = f"<!-- segmetry: {inputs.title} -->"
    issues = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    body = {"body": f"{marker}\n{text}"}
    try:
        earlier = _earlier_comment(f"{issues}/{number}/comments", marker, inputs.token)
        if earlier is None:
            _github_request("POST", f"{issues}/{number}/comments", inputs.token, body)
        else:
            _github_request("PATCH", f"{issues}/comments/{earlier}", inputs.token, body)
    except urllib.error.URLError as problem:
        _say(f"::warning::segmetry could not comment on the pull request: {' '.join(str(problem).split())}")


def _earlier_comment(path: str, marker: str, token: str) -> int | None:
    page, own = 1, _own_login(token)
    # 100 is the most that one page of the API has.
    while comments := _github_request("GET", f"{path}?per_page=100&page={page}", token):
        for comment in comments:
            if comment["body"].startswith(marker) and comment["user"]["login"] == own:
                return int(comment["id"])
        page += 1
    return None


def _own_login(token: str) -> str:
    """Return who comments; the token of a workflow may not ask, and is that of the bot."""
    try:
        return str(_github_request("GET", "/user", token)["login"])
    except urllib.error.HTTPError:
        return "github-actions[bot]"


def _github_request(method: str, path: str, token: str, body: Any = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the address is that of the runner's GitHub
        os.environ.get("GITHUB_API_URL", "https://api.github.com") + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return json.loads(answer.read())


if __name__ == "__main__":
    sys.exit(main())
