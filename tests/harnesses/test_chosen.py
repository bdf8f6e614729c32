"""The model and the agent of a preview: those of the session, else of the command line, else of a configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Prompt
from promptls.harnesses.catalogue import FOLDERS
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
WITH_AGENTS = ("etcode", "opencode", "copilot-cli", "openclaw", "kilo-code", "kimi-cli", "mistral-vibe")
CONFIGURED: dict[str, Files] = {
    "kilo-code": {"kilo.json": {"model": "stub/c"}},
    "qwen-code": {"~/.qwen/settings.json": {"model": {"name": "stub/c"}}},
    "gemini-cli": {"~/.gemini/settings.json": {"model": {"name": "stub/c"}}},
    "aider": {".aider.conf.yml": "model: stub/c\n"},
    "openhands": {"~/.openhands/agent_settings.json": {"llm": {"model": "stub/c"}}},
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_session_has_the_model(tmp_path: Path, name: str) -> None:
    assert preview(tmp_path, name, {"a": "x"}, model="stub/m").model == "stub/m"


def has_no_option(prompt: Prompt) -> bool:
    """Whether a preview says that its program has no option --model."""
    return any(each.origin.name == "--model" and each.outcome == "excluded" for each in prompt.candidates)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_command_line_has_the_model(tmp_path: Path, name: str) -> None:
    args = ("--model", "stub/n")
    found = preview(tmp_path / "1", name, {"a": "x"}, args=args)
    if has_no_option(found):
        assert found.model is None
        return
    assert found.model == "stub/n", f"{name} has to take --model, or to say that it does not know it"
    assert preview(tmp_path / "2", name, {"a": "x"}, args=args, model="stub/m").model == "stub/m"


@pytest.mark.parametrize("name", CONFIGURED)
def test_a_configuration_has_the_model(tmp_path: Path, name: str) -> None:
    assert preview(tmp_path / "1", name, CONFIGURED[name]).model == "stub/c"
    assert preview(tmp_path / "2", name, CONFIGURED[name], model="stub/m").model == "stub/m"
    chosen = preview(tmp_path / "3", name, CONFIGURED[name], args=("--model", "stub/n"))
    assert chosen.model == ("stub/c" if has_no_option(chosen) else "stub/n")


@pytest.mark.parametrize(("name", "variable"), [("copilot-cli", "COPILOT_MODEL"), ("gemini-cli", "GEMINI_MODEL")])
def test_a_variable_has_the_model(tmp_path: Path, name: str, variable: str) -> None:
    env, args = {variable: "stub/e"}, ("--model", "stub/n")
    assert preview(tmp_path / "1", name, CONFIGURED.get(name, {"a": "x"}), env=env).model == "stub/e"
    assert preview(tmp_path / "2", name, {"a": "x"}, env=env, args=args).model == "stub/n"


@pytest.mark.parametrize("name", WITH_AGENTS)
def test_the_session_or_the_command_line_has_the_agent(tmp_path: Path, name: str) -> None:
    args = ("--agent", "plan")
    # Copilot CLI ends where there is no agent of that name.
    agent = "---\ndescription: It helps.\n---\nx\n"
    files: Files = {f".github/agents/{each}.agent.md": agent for each in ("plan", "build")}
    assert preview(tmp_path / "1", name, files, agent="plan").agent == "plan"
    assert preview(tmp_path / "2", name, files, args=args).agent == "plan"
    assert preview(tmp_path / "3", name, files, args=args, agent="build").agent == "build"
