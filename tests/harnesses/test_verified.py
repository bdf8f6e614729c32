"""Which harnesses have captured sessions of the version that is shown by default, and are called verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.values import replace
from promptls.harnesses.learned import rows
from promptls.kit.base import Version
from promptls.kit.versions import given

pytestmark = pytest.mark.same_everywhere
VERIFIED = {
    "agent-core": False,
    "aider": True,
    "auggie": True,
    "claude-code": True,
    "cline": True,
    "codex": True,
    "continue": True,
    "copilot-cli": True,
    "copilot-vscode": True,
    "crush": False,
    "cursor": False,
    "etcode": False,
    "gemini-cli": True,
    "deepagents-code": True,
    "gptme": True,
    "letta-code": True,
    "kimi-cli": True,
    "kilo-code": True,
    "learn-claude-code": True,
    "mini-claude-code": True,
    "mistral-vibe": True,
    "openclaw": True,
    "openhands": True,
    "opencode": True,
    "pi": True,
    "qwen-code": True,
}


@pytest.mark.parametrize("harness", sorted(VERIFIED))
def test_verified(tmp_path: Path, harness: str) -> None:
    prompt = harnesses.preview(Session(harness, str(tmp_path)), Host(home=str(tmp_path / "home"), env={}))
    assert prompt.verified is VERIFIED[harness], f"if its newest row is right, change the line of {harness} in VERIFIED"


def test_a_row_that_was_read_in_the_source_makes_no_verified_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the harness says: nobody has seen what this version sends."""
    newest = rows("codex")[0]
    unseen = replace(newest, version=Version(newest.version.name, read_in="source"))
    codex = replace(harnesses.get("codex"), versions=(unseen.version,))
    monkeypatch.setattr(harnesses, "_registered", {"codex": codex})
    with given({unseen.version.name: unseen}):
        prompt = harnesses.preview(Session("codex", str(tmp_path)), Host(home=str(tmp_path / "home"), env={}))
    assert (prompt.verified, prompt.tier) == (False, "source")
