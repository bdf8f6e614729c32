"""Random folders: after ``promptls unify`` every program that it is for has each line that it had, and none again."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections import Counter
from pathlib import Path

from promptls.core.host import Host
from promptls.core.model import START, Prompt
from promptls.core.paths import parent, relative, upwards
from promptls.core.values import replace
from promptls.harnesses import preview
from promptls.sessions.unify import Unified, unified
from promptls.system.write_together import write_together
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.request import NO_URLS, OF_TEAM
from tests.folder import lay_out

HARNESSES = (
    *("claude-code", "codex", "cursor", "copilot-cli", "copilot-vscode", "gemini-cli", "opencode", "cline", "crush"),
    *("kilo-code", "kimi-cli", "qwen-code", "openhands", "pi", "continue", "aider", "mistral-vibe"),
)
ALWAYS, SCOPED = "---\nalwaysApply: true\n---\n", "---\nglobs: src/**\napplyTo: src/**\npaths: src/**\n---\n"
PLACES = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CRUSH.md", ".cursorrules", ".clinerules", ".kilocoderules"),
    *(".github/copilot-instructions.md", ".claude/CLAUDE.md", ".cursor/rules/a.mdc", ".cursor/rules/b.mdc"),
    *(".claude/rules/c.md", ".github/instructions/d.instructions.md", ".windsurfrules", "CLAUDE.local.md", "AGENT.md"),
    *("src/AGENTS.md", "src/CLAUDE.md", "AGENTS.override.md", "CONVENTIONS.md", ".openhands/skills/e.md"),
)
PIECES = (
    *(
        "- Use tabs.",
        "- Run the tests.\n  All of them, always.",
        "1. First this.\n2. Then that.",
        "Never push to main.",
    ),
    *("```sh\nmake test\n\nmake check\n```", "| a | b |\n| --- | --- |\n| 1 | 2 |", "<!-- a\nnote -->", "@src/more.md"),
    "```\nmake test\n\nmake check\n```",
    *("See [more](src/more.md).", "    indented", "Ends without a break", "- Ünïcode – “fine”", "---", "@AGENTS.md"),
)
IMPORT = re.compile(r"@(?:\S*/)?AGENTS\.md")
HEADINGS = ("# Rules", "## Tests", "## Style", "### Deep", "# CLAUDE.md", "Tests\n-----")


class Walked:
    """Every file of a folder."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def tracked(self) -> list[str]:
        found = (os.path.join(place, each) for place, _, names in os.walk(self._top) for each in names)
        return sorted(each for each in found if "/.git/" not in each)

    files = tracked


def run(seed: int, count: int) -> None:
    """``count`` folders."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    changed = 0
    for at in range(count):
        with tempfile.TemporaryDirectory() as place:
            changed += _trial(chance, Path(place).resolve(), f"seed {seed}, folder {at}")
    assert changed > count // 4, f"seed {seed}: only {changed} of {count} folders are changed"


def _trial(chance: random.Random, place: Path, where: str) -> bool:
    top = lay_out(place / "project", {"src/a.ts": "1\n", "src/more.md": "More of it.\n"})
    for path in chance.sample(PLACES, chance.randrange(3, 10)):
        put(chance, top, path)
    only = chance.sample(HARNESSES, chance.randrange(2, 8))
    looked = folder_prompts(str(top), Walked(top), OF_TEAM, settings=NO_URLS, only=only)
    found = unified(str(top / "AGENTS.md"), looked.prompts, looked.host, set(Walked(top).files()))
    before = [(each, lines_in(each)) for each in looked.prompts]
    files = {each: Path(each).read_bytes() for each in Walked(top).files() if Path(each).exists()}
    _write(found, files)
    host = Host(home=looked.host.home, env=looked.host.env)
    most = Counter(_said((top / "AGENTS.md").read_text(errors="replace")) if (top / "AGENTS.md").exists() else [])
    for prompt, had in before:
        cwd = next(each for each in upwards(prompt.session.cwd) if host.kind(each) == "directory")
        has = lines_in(preview(replace(prompt.session, cwd=cwd), host))
        says = f"{where}, {prompt.session.harness} {prompt.session.reads}: {found.how} {found.left}"
        lost = [line for line in had if line not in has and line != "---" and not line.startswith(("@", "# CLAUDE"))]
        assert not lost, f"{says} loses {lost}"
        # The import of the one file is none, also where a program sends it as text.
        told = {line: n for line, n in has.items() if line in had and not IMPORT.fullmatch(line)}
        more = {line: n for line, n in told.items() if n > had[line] + most[line]}
        assert not more, f"{says} sends {more} again"
    return bool(found.texts or found.links)


def put(chance: random.Random, top: Path, path: str) -> None:
    """A file or link at ``path``, if there is room."""
    file = top / path
    if any(each.exists() and not each.is_dir() for each in file.parents) or file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if chance.random() < 0.12:
        file.symlink_to(os.path.relpath(top / chance.choice(PLACES), file.parent))  # in a circle, or to nothing
        return
    pieces = [chance.choice(HEADINGS) if chance.random() < 0.3 else chance.choice(PIECES) for _ in range(12)]
    text = "".join(f"{each}\n{chance.choice(('', chr(10)))}" for each in pieces[: chance.randrange(1, 12)])
    is_rule = "rules/" in path or "instructions/" in path
    head = chance.choice((ALWAYS, SCOPED, "")) if is_rule else ""
    text = head + chance.choice(("", "", "", "Generated by a script. Do not edit.\n")) + text
    text = text.replace("\n", "\r\n") if chance.random() < 0.2 else text
    data = (b"\xef\xbb\xbf" if chance.random() < 0.15 else b"") + text.encode()
    file.write_bytes(data + b"\xff\n" if chance.random() < 0.05 else data)


def _write(found: Unified, files: dict[str, bytes]) -> None:
    links = {path: relative(to, parent(path)) for path, to in found.links.items()}
    before = {path: files.get(path) for path in (*found.texts, *found.links)}
    write_together(found.texts, links, None, before)


def lines_in(prompt: Prompt) -> Counter[str]:
    """The lines of files in a prompt, counted."""
    texts = [
        segment.text
        for message in prompt.messages
        for segment in message.segments
        if segment.origin.path is not None and segment.elided is None and not segment.frame
        if segment.layer != "runtime" or message.at == START
    ]
    return Counter(line for text in texts for line in _said(text) if not line.startswith(("globs:", "alwaysApply:")))


def _said(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\ufeff", "").splitlines() if line.strip()]
