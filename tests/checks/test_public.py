"""Whole folders, run through the command itself: shapes that public repositories have, and one with every defect.

Marker files as in test_rules.py. A problem is ``severity code path:line:column (harnesses)`` and its message, and a
line that begins with ``#`` says why a problem of a public shape is right. ``--update-cases`` writes what is found.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.checks.rules.catalogue import RULES
from promptls.cli import main
from tests.cases.test_cases import Scenario, read
from tests.checks.test_rules import CASES, lay_out_check
from tests.limits import at_most
from tests.repository import git

HERE = Path(__file__).parent
Run = Callable[..., str]
PUBLIC = sorted((HERE / "public").glob("*.txt"))
PLANTED = sorted((HERE / "planted").glob("*.txt"))
# Shown elsewhere: these need a network, the command line of a session, a record of one, or somebody who wants them.
OF_URLS = {code for code in RULES if code.startswith("url-") and code != "url-insecure"}
ELSEWHERE = OF_URLS | {
    "hint-invalid",
    "never-arrived",
    "lost-in-long-sessions",
    "server-large",
    "server-twice",
    "left-out",
    "own-budget",
    "nested-elsewhere",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a check of a folder with a home directory; what it writes to standard output."""
    for name in ("XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)

    def run(folder: Path, home: Path, *options: str) -> str:
        monkeypatch.setenv("HOME", str(home))
        with at_most(20):
            main(["check", str(folder), "--no-network", *options])
        out, err = capsysbinary.readouterr()
        assert err == b"" or "--fix" in options or "--diff" in options
        return out.decode("utf-8")

    return run


def folder_of(scenario: Scenario, top: Path) -> tuple[Path, Path]:
    """The folder with real repositories in it, and the home directory."""
    folder, home = lay_out_check(scenario, top)
    for place in folder.rglob(".git"):
        if place.is_dir():
            shutil.rmtree(place)
            git(place.parent, "init", "-q")
            git(place.parent, "commit", "-q", "--allow-empty", "-m", "first")
    return folder, home


@pytest.mark.parametrize("path", [*PUBLIC, *PLANTED], ids=lambda path: path.stem)
def test_what_is_found_in_a_folder(path: Path, tmp_path: Path, run: Run, request: pytest.FixtureRequest) -> None:
    scenario = read(path)
    folder, home = folder_of(scenario, tmp_path)
    problems = json.loads(run(folder, home, "--format", "json"))["problems"]
    found = "".join(_shown(each, folder, home) for each in problems)
    if request.config.getoption("--update-cases"):
        before = path.read_text(encoding="utf-8").partition("-- expect --\n")[0]
        path.write_text(f"{before}-- expect --\n{found}", encoding="utf-8")
    else:
        expected = re.sub(r"^#.*\n", "", scenario.sections["expect"], flags=re.MULTILINE)
        assert found == expected


@pytest.mark.parametrize("path", [*PUBLIC, *PLANTED], ids=lambda path: path.stem)
def test_what_is_fixed_causes_no_other_problem(path: Path, tmp_path: Path, run: Run) -> None:
    folder, home = folder_of(read(path), tmp_path)

    def count(text: str) -> Counter[tuple[str, str]]:
        return Counter((each["path"], each["code"]) for each in json.loads(text)["problems"])

    before = count(run(folder, home, "--format", "json"))
    after = count(run(folder, home, "--format", "json", "--fix"))
    assert after <= before
    assert run(folder, home, "--diff") == ""
    if path in PLANTED[-1:]:
        assert after < before


def _shown(problem: dict[str, Any], folder: Path, home: Path) -> str:
    where = problem["range"]["start"]
    message = problem["message"].replace(f"{folder}/", "").replace(str(folder), ".").replace(f"{home}/", "~/")
    # The folder's own path is in the prompt.
    message = re.sub(r"has [\d,]+ tokens", "has … tokens", message)
    place = f"{problem['path']}:{where['line'] + 1}:{where['character'] + 1}"
    return f"{problem['severity']} {problem['code']} {place} ({', '.join(problem['harnesses'])})\n  {message}\n"


def test_there_are_twenty_shapes_and_each_problem_has_its_reason() -> None:
    assert len(PUBLIC) >= 20
    for path in PUBLIC:
        lines = read(path).sections["expect"].splitlines()
        problems = [at for at, line in enumerate(lines) if not line.startswith((" ", "#"))]
        assert all(at and lines[at - 1].startswith("#") for at in problems), path.name


def test_the_command_finds_every_code(run: Run, tmp_path: Path) -> None:
    """In a folder where it is planted, else in its own case."""
    texts = "".join(read(path).sections["expect"] for path in PLANTED)
    found = set(re.findall(r"^[a-z]+ ([a-z-]+) ", texts, re.MULTILINE))
    assert not found & ELSEWHERE
    for code in sorted(set(RULES) - found - ELSEWHERE):
        case = min(path for path in CASES if path.parent.name == code and path.stem.startswith("fires"))
        (tmp_path / code).mkdir()
        place = folder_of(read(case), tmp_path / code)
        report = json.loads(run(*place, "--format", "json", "--profile", "agentplugins"))
        assert code in {problem["code"] for problem in report["problems"]}
