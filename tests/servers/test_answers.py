"""The file of ``preview --servers``: what is in it, and what is wrong with it; and what becomes of odd answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli.preview import run
from promptls.core.host import Host
from promptls.core.model import COMPUTED, Session
from promptls.core.servers import OfferedTool, ServerAnswer, from_kept
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses.codex.listing.server_tools import parameters
from promptls.harnesses.codex.listing.servers import Server, first_line
from promptls.harnesses.codex.versions import NEWEST
from promptls.harnesses.copilot_cli.listing.servers import safe
from promptls.workspace.servers_file import parse

PROGRAMS = {
    "claude-code": (".mcp.json", '{"mcpServers": {"manual": {"command": "srv"}}}', "mcp__manual__search"),
    "codex": ("home/.codex/config.toml", '[mcp_servers.manual]\ncommand = "srv"\n', "mcp__manual"),
    "opencode": ("opencode.json", '{"mcp": {"manual": {"type": "local", "command": ["srv"]}}}', "manual_search"),
    "gemini-cli": (
        "home/.gemini/settings.json",
        '{"mcpServers": {"manual": {"command": "srv", "trust": true}}}',
        "mcp_manual_search",
    ),
    "copilot-cli": (
        "home/.copilot/mcp-config.json",
        '{"mcpServers": {"manual": {"type": "local", "command": "srv"}}}',
        "manual-search",
    ),
}
SEARCH = OfferedTool("search", "Search the documents.", {"type": "object", "properties": {"q": {"type": "string"}}})


def _host(top: Path, harness: str, answer: ServerAnswer | None) -> tuple[Session, Host]:
    name, text, _ = PROGRAMS[harness]
    (top / "work").mkdir()
    path = top / name if name.startswith("home") else top / "work" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    env = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    host = Host(home=str(top / "home"), env=env, servers={} if answer is None else {"manual": answer})
    return Session(harness=harness, cwd=str(top / "work")), host


@pytest.mark.parametrize("harness", PROGRAMS)
def test_a_tool_is_shown_by_the_name_that_is_sent(harness: str, tmp_path: Path) -> None:
    prompt = harnesses.preview(*_host(tmp_path, harness, ServerAnswer((SEARCH,), "Say where it stands.")))
    tool = next(each for each in prompt.tools or () if each.name == PROGRAMS[harness][2])
    assert tool.enabled
    unknown = {each.elided.name for m in prompt.messages for each in m.segments if each.elided is not None}
    assert not any("manual" in each for each in unknown)


@pytest.mark.parametrize("harness", PROGRAMS)
def test_without_an_answer_nothing_is_guessed(harness: str, tmp_path: Path) -> None:
    prompt = harnesses.preview(*_host(tmp_path, harness, None))
    assert PROGRAMS[harness][2] not in {
        each.name for each in prompt.tools or () if each.enabled and each.size is not None and harness != "codex"
    }


@pytest.mark.parametrize("harness", PROGRAMS)
@pytest.mark.parametrize("failure", ["start", "init", "list"])
def test_a_server_that_fails_offers_nothing(harness: str, failure: Any, tmp_path: Path) -> None:
    prompt = harnesses.preview(*_host(tmp_path, harness, ServerAnswer((SEARCH,), "Say it.", failure=failure)))
    assert PROGRAMS[harness][2] not in {each.name for each in prompt.tools or () if each.enabled}


@pytest.mark.parametrize("harness", ["claude-code", "opencode", "gemini-cli"])
def test_a_secret_in_instructions_is_never_shown(harness: str, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    prompt = harnesses.preview(*_host(tmp_path, harness, ServerAnswer((SEARCH,), f"Use the token {secret} for it.")))
    assert "Use the token" in "".join(message.text for message in prompt.messages)
    assert secret not in "".join(message.text for message in prompt.messages)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "has to be an object"),
        ('{"a": {"delay": -1}}', "at least 0"),
        ('{"a": {"tools": [{"description": "x"}]}}', "a.tools.0.name"),
        ('{"a": {"fail": "often"}}', "a.fail"),
        ("{", "not valid"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse(text.encode(), "The servers")


def test_more_than_a_program_passes_on_is_no_mistake() -> None:
    tool = {"name": "t", "title": "T", "annotations": {}, "outputSchema": {}, "_meta": {"a": 1}}
    assert parse(json.dumps({"a": {"tools": [tool], "server": {"name": "x"}}}).encode(), "The servers") == {
        "a": ServerAnswer((OfferedTool("t", meta={"a": 1}),))
    }


def test_a_file_of_the_command_tells_servers_of_one_name_apart() -> None:
    answers = {"dup": ServerAnswer(instructions="home", file="h"), "p": ServerAnswer(instructions="project")}
    host = Host(home="/home/me", env={}, servers=answers)
    assert [host.answer_of("dup", words) for words in (("srv.py", "/x/p.json"), ("/x/h.json",), ())] == [
        answers["p"],
        answers["dup"],
        answers["dup"],
    ]


def test_codex_shortens_a_schema_step_by_step() -> None:
    long = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "d" * 90} for n in range(60)}}
    assert parameters(long, 10_000) == long
    assert parameters(long, 5000) == {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(60)}}
    deep: Any = {"type": "string"}
    for _ in range(5):
        deep = {"type": "object", "properties": {"a": deep}}
    shallow: Any = {}
    for _ in range(3):
        shallow = {"type": "object", "properties": {"a": shallow}}
    assert parameters(deep, 50) == shallow


def test_copilot_writes_a_name_with_letters_of_ascii() -> None:
    assert [safe(each) for each in ("a.b c", "é漢字", "x_y-z")] == ["a-b-c", "xn--9ca4147bkom", "x_y-z"]


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".mcp.json").write_text(PROGRAMS["claude-code"][1], encoding="utf-8")
    answers = tmp_path / "servers.json"
    answers.write_text(json.dumps({"manual": {"tools": [{"name": "search"}]}}), encoding="utf-8")
    harness = ["--harness", "claude-code", "--cwd", str(tmp_path), "--no-habits"]
    assert run([*harness, "--servers", str(answers), "--format", "json"]) == 0
    assert "mcp__manual__search" in {each["name"] for each in json.loads(capsys.readouterr().out)["tools"]}


def test_one_of_two_files_comes_from_standard_input() -> None:
    with pytest.raises(UsageError, match="Standard input"):
        run(["--servers", "-", "--session", "-"])


@pytest.mark.parametrize(("says", "count"), [(None, 0), ("", 0), ("Be kind.", 1)])
def test_gemini_has_no_place_for_what_no_server_says(says: str | None, count: int, tmp_path: Path) -> None:
    session, host = _host(tmp_path, "gemini-cli", ServerAnswer(instructions=says))
    text = "".join(each.text for message in harnesses.preview(session, host).messages for each in message.segments)
    assert text.count("<loaded_context>") == text.count("<project_context>") == count


def test_gemini_denies_a_tool_of_the_name_of_one_of_its_own_that_it_denies(tmp_path: Path) -> None:
    names = ("write_file", "replace", "run_shell_command", "exit_plan_mode", "read_file", "google_web_search", "other")
    session, host = _host(tmp_path, "gemini-cli", ServerAnswer(tuple(map(OfferedTool, names))))

    def offered(*args: str, interactive: bool = False) -> set[str]:
        prompt = harnesses.preview(replace(session, args=args, interactive=interactive), host)
        start = "mcp_manual_"
        return {
            each.name.removeprefix(start) for each in prompt.tools or () if each.enabled and each.name.startswith(start)
        }

    free = {"read_file", "google_web_search", "other"}
    assert offered() == free
    assert offered("--approval-mode", "auto_edit") == {*free, "write_file", "replace"}
    assert offered(interactive=True) == {*names}


@pytest.mark.parametrize(
    ("says", "line"),
    [
        ("L" * 250, "L" * 250),
        ("L" * 251, "L" * 247 + "..."),
        ("é" * 260 + "\nmore", "é" * 247 + "..."),
        ("\n# Head\n\nsecond", "# Head"),
    ],
)
def test_the_first_line_of_a_server_is_cut_within_its_limit(says: str, line: str) -> None:
    server = Server("docs", "mcp__docs", COMPUTED, ServerAnswer(instructions=says))
    assert first_line(server, NEWEST) == line


@pytest.mark.parametrize("model", ["own-model", "gpt-5.5"])
@pytest.mark.parametrize("lists", ["", 'enabled_tools = ["other"]\n'])
def test_a_server_of_which_no_tool_is_left_is_nowhere_in_codex(model: str, lists: str, tmp_path: Path) -> None:
    answer = ServerAnswer((SEARCH,) if lists else (), "Say where it stands.")
    session, host = _host(tmp_path, "codex", answer)
    path = tmp_path / PROGRAMS["codex"][0]
    path.write_text(path.read_text("utf-8") + lists, "utf-8")
    prompt = harnesses.preview(replace(session, model=model), host)
    assert "manual" not in "".join(each.text for each in prompt.messages)
    assert [each.name for each in prompt.tools or () if "manual" in each.name] == []


def test_codex_leaves_out_the_blanks_around_what_a_server_says(tmp_path: Path) -> None:
    sizes = []
    for name, says in (("blanks", "\n  Own words.\n second \n\n"), ("none", "Own words.\n second")):
        (tmp_path / name).mkdir()
        prompt = harnesses.preview(*_host(tmp_path / name, "codex", ServerAnswer((SEARCH,), says)))
        sizes += [tool.size for tool in prompt.tools or () if tool.name == "mcp__manual"]
    assert len(sizes) == 2
    assert sizes[0] == sizes[1]


def test_opencode_has_the_instructions_of_a_server_that_lists_no_tool(tmp_path: Path) -> None:
    """Seen by verify."""
    prompt = harnesses.preview(*_host(tmp_path, "opencode", ServerAnswer(instructions="Say where it stands.")))
    assert any("Say where it stands." in message.text for message in prompt.messages)


@pytest.mark.parametrize(("seconds", "is_said"), [(3.57, True), (0.6, False)])
def test_a_server_that_took_longer_than_claude_code_waits_is_named(
    tmp_path: Path, seconds: float, is_said: bool
) -> None:
    answer = from_kept(json.dumps({"seconds": seconds, "answer": {"tools": [{"name": "search"}]}}).encode())
    assert answer is not None
    notes = harnesses.preview(*_host(tmp_path, "claude-code", answer.answer)).notes
    assert any("The MCP server manual took 3.6 s" in each for each in notes) == is_said
