"""Commands that are typed on the screens of programs: texts of their own, and what asks no model. Seen by verify."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, Turn
from promptls.core.values import replace
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def _shown(folder: Path, harness: str, *typed: str, interactive: bool = True) -> Prompt:
    name, _, version = harness.partition("@")
    session = Session(name, str(folder), turns=tuple(map(Turn, typed)), interactive=interactive, version=version)
    return harnesses.preview(session, Host(home=str(folder / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))


def _said(prompt: Prompt) -> list[tuple[str, int | None]]:
    """What the user says in the last message: titles, and the sizes of what is not reproduced."""
    return [(each.title, each.elided.size) for each in prompt.messages[-1].segments if each.elided]


@pytest.mark.parametrize(
    ("harness", "typed", "title", "size"),
    [
        ("codex@0.171.0", "/init", "text of /init", 1832),
        ("gemini-cli@0.61.0", "/init", "text of /init", 2328),
        ("gemini-cli@0.61.0", "/init more", "text of /init", 2328),
        ("copilot-cli@1.0.102", "/init", "text of /init", 1876),
        ("copilot-cli@1.0.102", "/init more", "text of /init", 1876),
        ("copilot-cli@1.0.102", "/fleet four", "text of /fleet", 2082),
        ("copilot-cli@1.0.102", "/research four", "text of /research", 12_654),
    ],
)
def test_a_command_stands_for_a_text(harness: str, typed: str, title: str, size: int, tmp_path: Path) -> None:
    assert (title, size) in _said(_shown(tmp_path, harness, typed))


def test_the_text_names_the_worktree(tmp_path: Path) -> None:
    lay_out(tmp_path, {"pkg/a.py": "a"})
    size = 3474 + len(str(tmp_path)) + len("more")
    assert _said(_shown(tmp_path / "pkg", "opencode", "/init more")) == [("command init", size)]


def test_what_is_typed_behind_a_command_without_arguments_is_a_prompt(tmp_path: Path) -> None:
    assert _shown(tmp_path, "codex", "/init more").messages[-1].text == "/init more"


@pytest.mark.parametrize("harness", ["codex", "copilot-cli"])
def test_a_command_asks_no_model(harness: str, tmp_path: Path) -> None:
    for typed in ("/status", "/nosuch"):
        alone = _shown(tmp_path, harness, "hi", typed)
        assert (alone.stopped or "").endswith(f"sends nothing: it carries out {typed} itself, or does not know it.")
        between = _shown(tmp_path, harness, "hi", typed, "ho")
        assert between.stopped is None
        assert [each.text for each in between.messages] == [
            each.text for each in _shown(tmp_path, harness, "hi", "ho").messages
        ]
        assert _shown(tmp_path, harness, typed, interactive=False).messages[-1].text.endswith(typed)
    assert _shown(tmp_path, harness, "/a/b").stopped is None


def test_a_file_that_is_there_keeps_gemini_cli_from_making_one(tmp_path: Path) -> None:
    lay_out(tmp_path, {"GEMINI.md": "Mine.\n"})
    assert (_shown(tmp_path, "gemini-cli", "/init").stopped or "").startswith("Gemini CLI sends nothing: ")


@pytest.mark.parametrize("interactive", [False, True])
def test_plan_mode_may_be_off(interactive: bool, tmp_path: Path) -> None:
    """Then Gemini CLI is in its usual mode, whatever asks for the other one."""
    lay_out(tmp_path / "home", {".gemini/settings.json": '{"general": {"plan": {"enabled": false}}}'}, git=False)
    session = Session("gemini-cli", str(tmp_path), turns=(Turn("hi"),), interactive=interactive)
    host = Host(home=str(tmp_path / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    usual = harnesses.preview(session, host)
    for asked in (replace(session, mode="plan"), replace(session, args=("--approval-mode", "plan"))):
        assert harnesses.preview(asked, host).tools == usual.tools
