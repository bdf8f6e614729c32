"""A text with nothing to tell of is not parsed: that would take ten times as long."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import texts
from promptls.checks.tree import Tree
from promptls.core.formats import markdown
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.settings import DEFAULT
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "is_parsed"),
    [
        ("Use tabs.", False),
        ("[a](docs/a.md) and [b](https://rules.example/gone.md)\n\n[c]: docs/a.md", False),
        ("[a](<gone>)", False),
        ("[a](docs/gone.md)", True),
        ("[c]: docs/gone.md", True),
        ("Read `docs/a.md`, `gone/a.md` and docs/gone.md.", False),
        ("Read `docs/gone.md`.", True),
        ("`npm run gone`", True),
        ("`npm run lint`", False),
    ],
)
def test_what_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *, is_parsed: bool) -> None:
    package = '{"scripts": {"lint": "x"}}'
    folder = str(lay_out(tmp_path, {"AGENTS.md": text, "docs/a.md": "a", "package.json": package}))
    prompt = harnesses.preview(Session("opencode", folder), host := Host(home="/h", env={}))
    files = tuple(f"{folder}/{name}" for name in ("AGENTS.md", "docs/a.md", "package.json"))
    parsed: list[str] = []

    def code(body: str) -> list[markdown.Span]:
        parsed.append(body)
        return []

    monkeypatch.setattr(markdown, "code", code)
    list(texts.check_tree(Tree(folder, files, (prompt,), host), DEFAULT))
    assert bool(parsed) is is_parsed
