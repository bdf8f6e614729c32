"""Keys that a configuration or front matter may have, by the place in it."""

from __future__ import annotations

import pytest

from promptls.kit.config_keys import config, front_matter, keys_at, names_tools, readers

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("place", "key"),
    [((), "instructions"), (("agent", "any"), "mode"), (("agent",), None), (("agent", "any", "more"), None)],
)
def test_of_a_configuration(place: tuple[str | int, ...], key: str | None) -> None:
    known = config("/w/opencode.json")
    assert known
    assert known[1].keys
    found = keys_at(known[1].keys, place)
    assert key in found if key else found == {}


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/w/.cursor/rules/x.mdc", "alwaysApply"),
        ("/w/.github/instructions/x.instructions.md", "applyTo"),
        ("/w/.claude/rules/x.md", "paths"),
        ("/w/.claude/rules/x.txt", None),
        ("/w/.opencode/agent/x.md", "mode"),
        ("/w/.opencode/modes/x.md", "mode"),
        ("/w/.opencode/x.md", None),
        ("/w/agent/x.md", None),
    ],
)
def test_of_front_matter(path: str, key: str | None) -> None:
    found = front_matter(path)
    assert key in found if key else found == {}


@pytest.mark.parametrize(
    ("path", "key", "tools_of", "read_by"),
    [
        ("/w/.claude/agents/a.md", "tools", "claude-code", "claude-code"),
        ("/w/.claude/agents/a.md", "description", "", "claude-code"),
        ("/w/.claude/agents/a.md", "applyTo", "", ""),
        ("/w/.github/agents/a.agent.md", "tools", "copilot-cli copilot-vscode", "copilot-cli copilot-vscode"),
        ("/w/.gemini/agents/a.md", "tools", "gemini-cli", "gemini-cli"),
        ("/w/a.md", "tools", "", ""),
    ],
)
def test_who_reads_a_key(path: str, key: str, tools_of: str, read_by: str) -> None:
    assert (" ".join(names_tools(path, key)), " ".join(readers(path, key))) == (tools_of, read_by)


def test_of_no_configuration() -> None:
    assert config("/w/package.json") is None
