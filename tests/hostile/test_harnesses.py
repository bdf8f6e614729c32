"""Every harness in a folder where each file that any of them knows is broken in the same way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session, reading
from tests.hostile.breaks import NO_FILE, ODD_BYTES, ODD_JSON, ODD_TOML, Put, text
from tests.hostile.test_files import views
from tests.limits import at_most

pytestmark = pytest.mark.same_everywhere
LIMIT = 10.0
"""Seconds for the preview of one harness, on a slow machine."""
FILES = (
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "GEMINI.md",
    "SOUL.md",
    "USER.md",
    "MEMORY.md",
    "SYSTEM_PROMPT.md",
    ".memory/MEMORY.md",
    ".memory/x.md",
    ".cursorrules",
    ".cursor/rules/x.mdc",
    ".claude/settings.json",
    ".claude/rules/x.md",
    ".claude/skills/x/SKILL.md",
    ".claude/commands/x.md",
    ".claude/agents/x.md",
    ".claude/output-styles/x.md",
    ".mcp.json",
    ".agents/skills/x/SKILL.md",
    ".opencode/agent/x.md",
    ".opencode/command/x.md",
    ".gemini/agents/x.md",
    ".gemini/commands/x.toml",
    ".codex/agents/x.toml",
    ".codex/hooks.json",
    ".github/hooks/x.json",
    ".github/prompts/x.prompt.md",
    ".github/skills/x/SKILL.md",
    ".vscode/mcp.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".github/copilot-instructions.md",
    ".github/instructions/x.instructions.md",
    ".github/agents/x.agent.md",
    ".vscode/settings.json",
    "config/environments/x.yaml",
    ".tong_work/x.md",
    "skills/x/SKILL.md",
    "package.json",
    "api/AGENTS.md",
    "api/CLAUDE.md",
    "api/GEMINI.md",
)
# Some of each kind.
OF_EACH_KIND: dict[str, Put] = {
    **{name: NO_FILE[name] for name in ("directory", "fifo", "link to itself")},
    **{name: ODD_BYTES[name] for name in ("not UTF-8", "50 MB", "deep front matter", "front matter of odd types")},
    **{name: ODD_JSON[name] for name in ("lone surrogates", "escaped NUL", "wrong types", "100,000 open braces")},
    **{name: ODD_TOML[name] for name in ("wrong types inside", "a key of 100,000 parts")},
    "imports": text("@./AGENTS.md @CLAUDE.md @../../../x @a/b " * 125),
}
# What patterns and links are made of, which must not be looked for from each place on: a quarter of the time.
REPEATED: dict[str, Put] = {
    "open brackets": text("[" * 50_000),
    "open links": text("[a](" * 12_500),
    "open variables": text('{"context": {"fileName": "%s"}}' % ("${:-" * 25_000)),
    "backticks": text("` `` ``` " * 10_000),
    "a wide pattern": text("---\napplyTo: *" + " " * 50_000 + "x\npaths: *" + "{," * 25_000 + "\n---\nx\n"),
    "commas": text(f"---\napplyTo: {',' * 25_000}\npaths: a{',' * 25_000}\nglobs: {'a,' * 25_000}\n---\nx\n"),
    "open comments": text("<!-- a -->" + "<!--" * 25_000),
    "a hard pattern": text(
        '---\napplyTo: "+(a|aa)+(a)c,{1..99999999},**/**/**/*"\n'
        'globs: "+(a|aa)c"\npaths: "{1..99999999},{a,b"\n---\nx\n'
    ),
}


@pytest.mark.parametrize("broken_by", [*OF_EACH_KIND, *REPEATED])
def test_every_file_is_broken(tmp_path: Path, broken_by: str) -> None:
    put, limit = (REPEATED[broken_by], LIMIT / 4) if broken_by in REPEATED else (OF_EACH_KIND[broken_by], LIMIT)
    for number, name in enumerate(FILES):
        # In a directory of its own each: some breaks put another file beside theirs.
        broken = tmp_path / "broken" / str(number) / "file"
        broken.parent.mkdir(parents=True)
        put(broken)
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(broken)
    app = tmp_path / "project/api/app.py"
    app.write_text("x\n", encoding="utf-8")
    for name in harnesses.names():
        session = Session(
            name, str(tmp_path / "project"), turns=reading((str(app), str(tmp_path / "project/AGENTS.md")))
        )
        with at_most(limit):
            prompt = harnesses.preview(session, Host(home=str(tmp_path / "project"), env={}))
            assert views(prompt), name
        assert all(os.path.isabs(candidate.path) for candidate in prompt.candidates if candidate.path), name
