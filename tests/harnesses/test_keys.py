"""Keys that a configuration or front matter may have, by the place in it."""

from __future__ import annotations

import pytest

from promptls.harnesses.shared.keys import config, front_matter, keys_at


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


def test_of_no_configuration() -> None:
    assert config("/w/package.json") is None
