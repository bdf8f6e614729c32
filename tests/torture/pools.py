"""What random folders are made of: the names and texts that mean something to some harness, whole and broken."""

from __future__ import annotations

import random
from pathlib import Path

from promptls import harnesses

NAMES = (
    *("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "CONTEXT.md", "ETCODE.md"),
    *("etcode.json", "opencode.json", "opencode.jsonc", "promptls.toml", ".claude/settings.json", ".mcp.json"),
    *(".claude/CLAUDE.md", ".claude/rules/a.md", ".claude/rules/deep/b.md", ".claude/agents/r.md"),
    *(".codex/config.toml", ".gemini/settings.json", ".cursor/rules/a.mdc", ".cursorrules", "SOUL.md"),
    *(".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".gitignore", "SYSTEM_PROMPT.md"),
    *(
        ".kimi/AGENTS.md",
        "agents.md",
        ".vibe/config.toml",
        "agent.MD",
        ".openhands/skills/a.md",
        ".aider.conf.yml",
        "crush.json",
        "Crush.md",
    ),
    *(".opencode/agent/r.md", ".memory/MEMORY.md", "docs/style.md", "docs/é.md", "config/tong_work.jsonc"),
)
PLACES = ("", "", "", "api/", "api/deep/", "Api/", ".hidden/")
SOURCES = ("app.py", "api/app.py", "api/deep/x.ts", "README.md")
PIECES = (
    *("# Rules\n", "Use tabs.\n", "@docs/style.md\n", "@AGENTS.md\n", "@gone.md\n", "`@docs/style.md`\n", "x" * 300),
    *("<!-- hidden -->\n", "```\n@AGENTS.md\n```\n", "[guide](docs/style.md)\n", "é日😀\n", "\u200b", "\r\n", "\0"),
    *('---\napplyTo: "**/*.py"\n---\n', '---\npaths: ["api/**"]\n---\n', "---\nglobs: *.ts\n", "---\n", "\n", "  "),
    *('{"instructions": ["docs/*.md", "gone.md"]}', '{"instructions": 5}', "{", '{"permissions": {}}', "}\n", "[x]\n"),
    *('{"context": {"fileName": ["AGENTS.md", "docs/style.md"]}}', "project_doc_max_bytes = 40\n", "a = \n", "\ud800"),
    *('{"agent": {"build": {"prompt": "{file:docs/style.md}"}}}', 'harness = "codex"\n', "@" * 40, "`" * 9),
)
HARNESSES = ("etcode@d1504ac", *harnesses.names())


def text(chance: random.Random) -> str:
    """A text of a few pieces."""
    return "".join(chance.choices(PIECES, k=chance.randrange(5)))


def name(chance: random.Random) -> str:
    """The path of a file that may mean something, relative to the folder."""
    return chance.choice(SOURCES) if chance.random() < 0.2 else chance.choice(PLACES) + chance.choice(NAMES)


def put(chance: random.Random, path: Path) -> None:
    """Write a file, a link, a directory or nothing at ``path``, over what is there."""
    remove(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return
    dice = chance.random()
    if dice < 0.08:
        path.symlink_to(chance.choice(("AGENTS.md", "../AGENTS.md", "gone.md", path.name, ".")))
    elif dice < 0.11:
        path.mkdir()
    else:
        path.write_bytes(text(chance).encode("utf-8", "surrogatepass"))


def remove(path: Path) -> None:
    """Take away what is at ``path``: a file, a link or a directory with all that it holds."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        for each in path.iterdir():
            remove(each)
        path.rmdir()
