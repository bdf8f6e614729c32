from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def test_further_fields_of_the_environment_block(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"etcode.json": {"environment": {"Shell": "SHELL", "Editor": "EDITOR"}}})
    host = Host(home=str(folder), env={"SHELL": "/bin/zsh"})
    text = harnesses.preview(Session("etcode", str(folder)), host).messages[1].text
    assert text.splitlines()[-3:] == ["  Shell: /bin/zsh", "  Editor: unknown", "</env>"]


def test_the_templates_are_ours_and_each_model_gets_one(tmp_path: Path) -> None:
    host = Host(home=str(tmp_path), env={})
    texts = {
        model: harnesses.preview(Session("etcode", str(tmp_path), model=model), host).messages[0].text
        for model in ("claude-x", "gpt-4", "gemini-2", "other")
    }
    assert len(set(texts.values())) == 4
    assert all(text.startswith("You are etcode") for text in texts.values())


@pytest.mark.parametrize(
    ("package", "places"),
    [
        ("@ai-sdk/anthropic", [(0, 0), (0, 1), (0, 2)]),
        ("@ai-sdk/google", [(0, 0), (0, 1), (0, 2)]),
        ("@ai-sdk/openai", [(0, 0), (1, 0), (2, 0)]),
    ],
)
def test_a_provider_gets_messages_or_blocks_of_one(tmp_path: Path, package: str, places: list[tuple[int, int]]) -> None:
    provider = [{"id": "p", "model": "m", "npm": package}]
    folder = lay_out(tmp_path, {"etcode.json": {"provider": provider}, "AGENTS.md": "text"})
    messages = harnesses.preview(Session("etcode", str(folder)), Host(home=str(folder), env={})).messages
    assert [(each.index, each.block) for each in messages] == places
