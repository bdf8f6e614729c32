"""Which families look at a prompt: only those that may find something, as each costs an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import checks, harnesses
from promptls.core.host import Host
from promptls.core.model import FetchResult, Session
from promptls.core.settings import Settings
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
URL = '{"instructions": ["https://rules.example/a.md"]}'


@pytest.mark.parametrize(
    ("harness", "files", "settings", "expected"),
    [
        ("opencode", {}, Settings(), ""),
        ("opencode", {}, Settings(token_budget=1), "limits"),
        ("opencode", {}, Settings(window_budget=1), "limits"),
        ("opencode", {"opencode.json": "{}"}, Settings(), ""),
        ("opencode", {"opencode.json": "{"}, Settings(), "config listings"),
        ("opencode", {"opencode.json": '{"instructions": ["docs/a.md"]}'}, Settings(), "instructions"),
        ("opencode", {"opencode.json": URL}, Settings(), "instructions urls"),
        ("claude-code", {"CLAUDE.md": "@docs/a.md"}, Settings(), "imports listings"),
        ("codex", {"AGENTS.md": "Use tabs.\n" * 4000}, Settings(), "limits listings"),
        ("codex", {"AGENTS.override.md": "x"}, Settings(), "listings"),
        ("codex", {"AGENTS.override.md/a": "x"}, Settings(), "instructions listings"),
    ],
)
def test_the_families_that_are_asked(
    tmp_path: Path, harness: str, files: dict[str, str], settings: Settings, expected: str
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.", "docs/a.md": "a", **files})
    host = Host(home="/h", env={}, fetch=lambda urls, _: [FetchResult(url, "ok", "text") for url in urls])
    found = checks.concerned(harnesses.preview(Session(harness, str(folder)), host), settings)
    assert set(found) == {"loading", "security", *expected.split()}
    assert found == [name for name in checks.FAMILIES if name in found]
