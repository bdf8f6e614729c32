"""The lens above the file of an agent, and its prompt as a sub-agent, for every harness that starts some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.results import PreviewResult
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened

SAYS = "Look at each change twice."
HEAD = "---\nname: reviewer\ndescription: Reviews changes\n---\n"
# By harness: where its agents are, and such a file.
AGENTS = {
    "claude-code": (".claude/agents/reviewer.md", f"{HEAD}{SAYS}\n"),
    "copilot-cli": (".github/agents/reviewer.agent.md", f"{HEAD}{SAYS}\n"),
    "opencode": (".opencode/agent/reviewer.md", f"---\ndescription: Reviews\nmode: subagent\n---\n{SAYS}\n"),
    "codex": (
        ".codex/agents/reviewer.toml",
        f'name = "reviewer"\ndescription = "Reviews"\ndeveloper_instructions = "{SAYS}"\n',
    ),
}
EDITOR: dict[str, Any] = {"workspace": {"textDocumentContent": {}}}


@pytest.mark.parametrize("harness", AGENTS)
async def test_the_prompt_of_an_agent(client: Client, tmp_path: Path, harness: str) -> None:
    name, text = AGENTS[harness]
    folder = lay_out(tmp_path / "project", {name: text, "AGENTS.md": "root rules\n", "CLAUDE.md": "root rules\n"})
    await client.start(EDITOR, folders=[str(folder)], options={"harnesses": [harness]})
    document = await opened(client, folder / name, "markdown")
    lenses = await client.request("textDocument/codeLens", document)
    (lens,) = (each["command"] for each in lenses if each["command"]["command"] == "promptls.previewSubagent")
    uri, given, agent = lens["arguments"]
    assert (uri, given, agent) == (document["textDocument"]["uri"], harness, "reviewer")
    params = {**document, "harness": harness, "subagent": agent, "reads": []}
    shown = await client.request("prompt/preview", params)
    PreviewResult.model_validate(shown)
    assert SAYS in "".join(each["text"] for each in shown["messages"])
    main = await client.request("prompt/preview", {**document, "harness": harness, "reads": []})
    assert SAYS not in "".join(each["text"] for each in main["messages"])
    text = await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
    assert text["text"] == shown["text"]


async def test_one_that_the_harness_does_not_start_has_none(client: Client, tmp_path: Path) -> None:
    """Gemini CLI asks its user first; a file beside the agents is none."""
    files: dict[str, str | bytes | dict[str, object]] = {
        ".gemini/agents/reviewer.md": f"{HEAD}{SAYS}\n",
        ".claude/agents/broken.md": f"{SAYS}\n",
        "CLAUDE.md": "x\n",
    }
    folder = lay_out(tmp_path / "project", files)
    await client.start(EDITOR, folders=[str(folder)], options={"harnesses": ["gemini-cli", "claude-code"]})
    for name in files:
        document = await opened(client, folder / name, "markdown")
        lenses = await client.request("textDocument/codeLens", document)
        assert [each for each in lenses if each["command"]["command"] == "promptls.previewSubagent"] == []


async def test_another_client_has_the_command_of_the_server(client: Client, tmp_path: Path) -> None:
    name, text = AGENTS["claude-code"]
    folder = lay_out(tmp_path / "project", {name: text})
    await client.start(folders=[str(folder)], options={"harnesses": ["claude-code"]})
    document = await opened(client, folder / name, "markdown")
    lenses = await client.request("textDocument/codeLens", document)
    (command,) = (each["command"] for each in lenses if each["command"]["title"] == "Preview as sub-agent")
    shown = await client.request(
        "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
    )
    assert SAYS in shown["text"]


async def test_an_agent_that_is_not_there_is_told(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"CLAUDE.md": "x\n"})
    await client.start(folders=[str(folder)])
    shown = await client.request("prompt/preview", {"harness": "claude-code", "subagent": "nosuch", "reads": []})
    assert any("nosuch" in each for each in shown["notes"]), shown["notes"]
    error = await client.refusal("prompt/preview", {"harness": "aider", "subagent": "x", "reads": []})
    assert "does not know how aider starts a sub-agent" in str(error).replace("Aider", "aider")
