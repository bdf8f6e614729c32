"""Every view of a folder says the same: files, totals, states and problems, over random trees and questions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptls.cli import main
from tests.folder import lay_out

Ask = Callable[..., Any]
SKILL = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
# What may stand at a place: a text, or a link to another file.
PIECES: dict[str, tuple[str, ...]] = {
    "AGENTS.md": ("Root rules.\n", "@docs/more.md\n", ""),
    "CLAUDE.md": ("@AGENTS.md\n", "-> AGENTS.md", "Own rules.\n", "See @gone.md\n"),
    "GEMINI.md": ("Gemini's rules.\n", "-> AGENTS.md"),
    ".cursorrules": ("Old rules.\n",),
    ".github/copilot-instructions.md": ("For Copilot.\n",),
    "docs/more.md": ("More.\n",),
    "packages/api/AGENTS.md": ("Rules of the API.\n", "Root rules.\n"),
    "packages/api/CLAUDE.md": ("-> AGENTS.md", "The API for Claude.\n"),
    "packages/AGENTS.md": ("Rules of packages.\n",),
    ".claude/skills/release/SKILL.md": (SKILL,),
    ".agents/skills/release/SKILL.md": (SKILL, "-> ../../../.claude/skills/release/SKILL.md"),
    ".claude/rules/api.md": ("---\npaths: packages/**\n---\nFor packages.\n", "Always.\n"),
    "opencode.json": ('{"instructions": ["docs/*.md"]}', '{"instructions": ["gone.md"]}'),
    ".gemini/settings.json": ('{"context": {"fileName": "AGENTS.md"}}',),
}
HARNESSES = ("claude-code", "codex", "opencode", "gemini-cli", "copilot-cli", "cursor")
TREES = st.fixed_dictionaries({}, optional={name: st.sampled_from(texts) for name, texts in PIECES.items()})
USED = ("loaded", "cut")


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """Runs a command in the folder; its JSON."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PROMPTLS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(tmp_path / "data"))

    def ask(*argv: str) -> Any:
        main([*argv, "--format=json"])
        return json.loads(capsysbinary.readouterr().out)

    return ask


def _lay_out(top: Path, tree: dict[str, str]) -> Path:
    shutil.rmtree(top, ignore_errors=True)
    folder = lay_out(top, {"packages/api/app.py": "1\n", "app.py": "1\n"})
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            path.symlink_to(text[3:])
        else:
            path.write_text(text)
    return folder


def _problems(found: list[dict[str, Any]], top: Path) -> set[tuple[str, str, int, str]]:
    """Code, file, line and harness of each problem of a file in the folder."""
    return {
        (each["code"], each["path"], each["range"]["start"]["line"], harness)
        for each in found
        for harness in each["harnesses"] or [""]
        if each["path"].startswith(f"{top}/")
    }


@pytest.mark.property
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES)
def test_every_view_of_a_folder_says_the_same(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str]
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    monkeypatch.chdir(folder)
    overview, of_file = ask(), ask("packages/api/app.py")
    made, checked = ask("map"), ask("check", ".", "--no-network")
    names = [each["harness"] for each in overview["columns"]]
    assert [each["harness"] for each in made["table"]["columns"]] == names
    assert made["table"]["columns"] == overview["columns"], "the map and promptls count alike"
    known = _problems(checked["problems"], folder)
    for column in overview["columns"]:
        shown = ask("preview", "--no-network", f"--harness={column['harness']}")
        assert shown["totals"]["tokens"] == column["tokens"], column["harness"]
        assert _problems(shown["problems"], folder) <= known, column["harness"]
    for column in of_file["columns"]:
        shown = ask("preview", "packages/api/app.py", "--no-network", f"--harness={column['harness']}")
        assert shown["totals"]["tokens"] == column["tokens"], column["harness"]
        assert _problems(shown["problems"], folder) <= known, column["harness"]


@pytest.mark.property
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES, part=st.sampled_from(["packages", "packages/api", "docs", ".claude", "packages/api/AGENTS.md"]))
def test_a_part_has_the_problems_that_the_whole_has_there(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tree: dict[str, str], part: str
) -> None:
    folder = _lay_out(tmp_path / "w", tree)
    if not (folder / part).exists():
        return
    monkeypatch.chdir(folder)
    whole = _problems(ask("check", ".", "--no-network")["problems"], folder)
    wanted = str(folder / part)
    inside = {each for each in whole if each[1] == wanted or each[1].startswith(f"{wanted}/")}
    assert _problems(ask("check", part, "--no-network")["problems"], folder) == inside
