"""Which sessions are asked what they do with a file: where each starts, and what it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, reading
from promptls.sessions.of_file import Asked, file_below, of_file
from promptls.sessions.of_folder import places
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
Files = dict[str, str | bytes | dict[str, object]]


def asked(
    top: Path, files: Files, path: str, harness: str = "claude-code", *, is_brief: bool = False, is_known: bool = False
) -> list[str]:
    """The sessions, as ``start`` or ``start: what is read``."""
    folder = lay_out(top / "folder", files)
    host = Host(home=str(top / "home"), env={})
    found: list[str] = []

    def short(place: str) -> str:
        return place.removeprefix(f"{folder}/").replace(str(folder), ".")

    def ask(cwd: str, reads: tuple[str, ...]) -> Prompt:
        found.append(": ".join([short(cwd), *map(short, reads)]))
        return harnesses.preview(Session(harness, cwd, turns=reading(reads)), host)

    every = sorted(str(each) for each in folder.rglob("*") if each.is_file() and ".git/" not in str(each))
    known = places(str(folder), every) if is_known else None
    list(of_file(Asked(host, str(folder), str(folder / path), known), harness, ask, is_brief=is_brief))
    return found


@pytest.mark.parametrize(
    ("files", "path", "whole", "brief"),
    [
        ({"CLAUDE.md": "x"}, "CLAUDE.md", [".", ".: CLAUDE.md"], ["."]),
        ({"CLAUDE.md": "x", "a.py": ""}, "CLAUDE.md", [".", ".: a.py"], [".", ".: a.py"]),
        (
            {"api/CLAUDE.md": "x", "api/a.py": ""},
            "api/CLAUDE.md",
            [".", ".: api/a.py", "api"],
            [".", ".: api/a.py"],
        ),
        ({"api/CLAUDE.md": "x"}, "api/CLAUDE.md", [".", ".: api/CLAUDE.md", "api"], [".", "api"]),
        (
            {"lib/CLAUDE.md": "x", "lib/in/CLAUDE.md": "x", "lib/in/a.py": ""},
            "lib/in/CLAUDE.md",
            [".", ".: lib/in/a.py", "lib", "lib: lib/in/a.py", "lib/in"],
            [".", ".: lib/in/a.py"],
        ),
        (
            {".claude/rules/x.md": "---\npaths: src/*.ts\n---\nx", "src/a.ts": ""},
            ".claude/rules/x.md",
            # Nobody starts a program in .claude/rules.
            [".", ".: .claude/rules/x.md", ".: src/a.ts"],
            [".", ".: src/a.ts"],
        ),
    ],
)
def test_sessions_of_a_file(tmp_path: Path, files: Files, path: str, whole: list[str], brief: list[str]) -> None:
    assert asked(tmp_path / "whole", files, path) == whole
    assert asked(tmp_path / "brief", files, path, is_brief=True) == brief


def test_who_names_it_elsewhere_is_asked_if_nobody_else_has_it(tmp_path: Path) -> None:
    files: Files = {"docs/x.md": "x", "api/CLAUDE.md": "@../docs/x.md", "api/a.py": "", "lib/CLAUDE.md": "no"}
    found = asked(tmp_path / "known", files, "docs/x.md", is_known=True)
    assert found == [".", ".: docs/x.md", "docs", "api", ".: api/CLAUDE.md"]
    named: Files = {"CLAUDE.md": "x", "api/CLAUDE.md": "as in CLAUDE.md"}
    assert asked(tmp_path / "brought", named, "CLAUDE.md", is_known=True) == [".", ".: api/CLAUDE.md"]
    assert asked(tmp_path / "unknown", files, "docs/x.md") == [".", ".: docs/x.md", "docs"]


@pytest.mark.parametrize(("file", "found"), [("a/b/x.py", True), ("a/b/c/x.py", False), (".a/x.py", False)])
def test_a_file_below_is_looked_for_three_directories_deep(tmp_path: Path, file: str, found: bool) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "x", file: ""}, git=False)
    host = Host(home="/", env={})
    read = str(folder / file) if found else None
    assert file_below(host, str(folder), str(folder / "AGENTS.md")) == read
