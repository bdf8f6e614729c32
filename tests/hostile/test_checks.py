"""Texts made to keep a check busy: each is done in a moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import merged_problems
from promptls.checks.fixes import with_fixes
from promptls.checks.tree import Tree
from promptls.core.host import Host
from promptls.core.model import FetchResult, Session
from tests.folder import lay_out
from tests.limits import at_most

pytestmark = pytest.mark.same_everywhere
SIZE = 100_000
TEXTS = {
    "brackets": "[" * SIZE,
    "open links": "[a](<b" * (SIZE // 6),
    "titles": '[a](b "c' * (SIZE // 8),
    "dead links": "[a](b.md) " * (SIZE // 50),
    "definitions": "[a" * (SIZE // 2),
    "code spans": "`docs/x.md` " * (SIZE // 50),
    "backticks": "`" * SIZE,
    "mentions": "@a.b" * (SIZE // 4),
    "dots": "@" + "a." * (SIZE // 2),
    "hidden": "a\u200b" * (SIZE // 2),
    "flags": "\U0001f3f4" + "\U000e0061" * SIZE,
    "keys": "sk-" * (SIZE // 3),
    "key": "AIza" * (SIZE // 4),
    "commands": "`npm run x` `make x` " * (SIZE // 100),
    "blanks": "make" + " " * SIZE + "\n" + "`" + " " * SIZE + "`",
    "dashes": "---\n" + "a:\n" * (SIZE // 3),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_checked_in_a_moment(tmp_path: Path, name: str) -> None:
    text = TEXTS[name]
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": text,
        "GEMINI.md": text,
        ".cursor/rules/a.mdc": text,
        ".cursor/rules/b.mdc": f"---\nglobs: {'*a' * 200}\nalwaysApply: false\n---\n{text}",
        ".github/instructions/a.instructions.md": f'---\napplyTo: "{"{a,b}" * 50}"\n---\n',
        "docs/y.md": "y\n",
        "Makefile": "a" + " " * SIZE + "\n%" + "%" * SIZE + "\nb:\n",
        "package.json": {"scripts": {"y": "y"}},
        "etcode.json": {f"instruction{number}": 1 for number in range(5000)},
    }
    folder = lay_out(tmp_path, files)

    def host() -> Host:
        return Host(home=str(folder), env={})

    paths = tuple(str(path) for path in folder.rglob("*") if path.is_file())
    names = ("etcode", "opencode", "gemini-cli", "copilot-cli", "cursor")
    with at_most(60):
        prompts = tuple(harnesses.preview(Session(name, str(folder)), host()) for name in names)
    with at_most(20):
        with_fixes(merged_problems(Tree(str(folder), paths, prompts, host())), host())


def test_a_page_of_comments_is_read_in_a_moment(tmp_path: Path) -> None:
    page = "<!---->" * (SIZE // 7)
    folder = lay_out(tmp_path, {"etcode.json": {"instructions": ["https://rules.example/x.md"]}})
    host = Host(home=str(folder), env={}, fetch=lambda urls, _: [FetchResult(url, "ok", page) for url in urls])
    prompt = harnesses.preview(Session("etcode", str(folder)), host)
    with at_most(5):
        merged_problems(Tree(str(folder), (), (prompt,), host))
