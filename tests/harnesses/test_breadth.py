"""A repository with files of eight programs: which are in use, and which of them loads which file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.sessions.detect import detect
from promptls.sessions.explain import explain
from tests.folder import lay_out

FILES: dict[str, str | bytes | dict[str, object]] = {
    "CLAUDE.md": "for one",
    "GEMINI.md": "for another",
    "AGENTS.md": "for many",
    ".cursorrules": "old",
    ".kimi/AGENTS.md": "own",
    ".vibe/config.toml": "",
    ".openhands/microagents/repo.md": "always",
    ".aider.conf.yml": "read: [CONVENTIONS.md]\n",
    "CONVENTIONS.md": "named",
    "CRUSH.md": "own",
    "src/AGENTS.md": "below",
    "src/app.py": "x",
}
IN_USE = {"claude-code", "gemini-cli", "cursor", "kimi-cli", "mistral-vibe", "openhands", "aider", "crush"}
# Who sends a file to the model, in whatever session.
LOADED_BY = {
    "CLAUDE.md": {"claude-code", "openhands", "crush"},
    "GEMINI.md": {"gemini-cli", "openhands", "crush"},
    "AGENTS.md": {"cursor", "kimi-cli", "mistral-vibe", "openhands", "crush"},
    ".cursorrules": {"cursor", "openhands", "crush"},
    # By the other two with a file in .kimi that is read.
    ".kimi/AGENTS.md": {"kimi-cli", "cursor", "mistral-vibe"},
    ".openhands/microagents/repo.md": {"openhands"},
    "CONVENTIONS.md": {"aider"},
    "CRUSH.md": {"crush"},
    "src/AGENTS.md": {"cursor", "kimi-cli", "mistral-vibe", "openhands", "crush"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "folder", FILES)


def host(folder: Path) -> Host:
    return Host(home=str(folder.parent / "home"), env={})


def test_each_program_is_told_by_its_own_files(folder: Path) -> None:
    found = detect(host(folder), str(folder / "src"), str(folder))
    assert {each.name for each in found} == IN_USE


@pytest.mark.parametrize("file", LOADED_BY)
def test_each_file_is_loaded_by_those_that_read_it(folder: Path, file: str) -> None:
    found = explain(str(folder / file), lambda: host(folder), str(folder), only=sorted(IN_USE))
    assert {each.harness for each in found if each.uses} == LOADED_BY[file]
    assert all(each.is_found and (each.uses or each.why) for each in found)


@pytest.mark.parametrize("name", sorted(IN_USE))
def test_every_place_is_named_once_for_the_same_reason(folder: Path, name: str) -> None:
    prompt = harnesses.preview(Session(name, str(folder)), host(folder))
    told = [(each.path, each.rule, each.at) for each in prompt.candidates]
    assert len(told) == len(set(told))


@pytest.mark.parametrize("name", sorted(IN_USE))
def test_a_preview_imports_its_own_harness_only(folder: Path, name: str) -> None:
    probe = (
        "import sys; from promptls.cli import main; main(sys.argv[1:]); "
        "print(*[each.split('.')[2] for each in sys.modules if each.endswith('.versions') and each.count('.') == 3])"
    )
    env = {"HOME": str(folder.parent / "home"), "PATH": os.environ["PATH"], "PYTHONUTF8": "1"}
    args = ("preview", str(folder), "--harness", name)
    done = subprocess.run(
        [sys.executable, "-c", probe, *args], env=env, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1].split() == [name.replace("-", "_")]
