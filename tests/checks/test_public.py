"""Whole folders, run through the command itself: shapes that public repositories have, and one with every defect.

Marker files as in test_rules.py. ``-- check --`` holds options (``options: --harness codex``), ``git: none`` and
environment variables; a problem is ``severity code path:line:column (harnesses)`` and its message, and a line that
begins with ``#`` says why a problem of a public shape is right. ``--update-cases`` writes what is found.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from promptls.checks.rules import RULES
from promptls.cli import main
from tests.cases.test_cases import read
from tests.checks.test_rules import given, lay_out_check
from tests.limits import at_most
from tests.repository import git

HERE = Path(__file__).parent
PUBLIC = sorted((HERE / "public").glob("*.txt"))
PLANTED = sorted((HERE / "planted").glob("*.txt"))
# Shown elsewhere: these need a network, or the command line of a session.
ELSEWHERE = {code for code in RULES if code.startswith("url-") and code != "url-insecure"} | {"hint-invalid"}


@pytest.mark.parametrize("path", [*PUBLIC, *PLANTED], ids=lambda path: path.stem)
def test_what_is_found_in_a_folder(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    request: pytest.FixtureRequest,
) -> None:
    scenario = read(path)
    folder, home = lay_out_check(scenario, tmp_path)
    for place in folder.rglob(".git"):
        if place.is_dir():
            shutil.rmtree(place)
            git(place.parent, "init", "-q")
            git(place.parent, "commit", "-q", "--allow-empty", "-m", "first")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    options = shlex.split(given(scenario).get("options", [""])[0])
    with at_most(20):
        main(["check", str(folder), "--no-network", "--format", "json", *options])
    out, err = capsysbinary.readouterr()
    assert err == b""
    found = "".join(_shown(each, folder, home) for each in json.loads(out)["problems"])
    if request.config.getoption("--update-cases"):
        before = path.read_text(encoding="utf-8").partition("-- expect --\n")[0]
        path.write_text(f"{before}-- expect --\n{found}", encoding="utf-8")
    else:
        expected = re.sub(r"^#.*\n", "", scenario.sections["expect"], flags=re.MULTILINE)
        assert found == expected


def _shown(problem: dict[str, Any], folder: Path, home: Path) -> str:
    where = problem["range"]["start"]
    message = problem["message"].replace(f"{folder}/", "").replace(str(folder), ".").replace(f"{home}/", "~/")
    # The folder's own path is in the prompt.
    message = re.sub(r"has \d+ tokens", "has … tokens", message)
    place = f"{problem['path']}:{where['line'] + 1}:{where['character'] + 1}"
    return f"{problem['severity']} {problem['code']} {place} ({', '.join(problem['harnesses'])})\n  {message}\n"


def test_there_are_twenty_shapes_and_each_problem_has_its_reason() -> None:
    assert len(PUBLIC) >= 20
    for path in PUBLIC:
        lines = read(path).sections["expect"].splitlines()
        problems = [at for at, line in enumerate(lines) if not line.startswith((" ", "#"))]
        assert all(at and lines[at - 1].startswith("#") for at in problems), path.name


def test_every_code_is_planted_somewhere() -> None:
    texts = "".join(read(path).sections["expect"] for path in PLANTED)
    found = set(re.findall(r"^[a-z]+ ([a-z-]+) ", texts, re.MULTILINE))
    assert set(RULES) - found == ELSEWHERE
