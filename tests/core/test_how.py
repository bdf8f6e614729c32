"""How to know what a preview does not: which command finds it out, and how it is written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.cli import servers as command
from promptls.cli.arguments import Parser
from promptls.cli.capture import session_parser
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.how import How, Ways, how_lines, of_sizes, unknowns
from promptls.core.model import (
    COMPUTED,
    Candidate,
    Elided,
    FetchResult,
    Message,
    Origin,
    Prompt,
    Segment,
    Session,
    Tool,
    Turn,
)
from promptls.core.prompt_json import to_json
from promptls.core.values import replace
from promptls.harnesses import catalogue

pytestmark = pytest.mark.same_everywhere
OWN = Segment("provider", "system prompt", "⟪⟫", Origin("builtin"), "", elided=Elided("system prompt", 10))
SESSION = Session("codex", "/work")


def _prompt(*segments: Segment, session: Session = SESSION, tools: tuple[Tool, ...] = ()) -> Prompt:
    return Prompt(session, (Message("user", segments, 0),), (), tools=tools)


@pytest.mark.parametrize("name", catalogue.FOLDERS)
def test_a_harness_is_started_where_capture_can_start_it(name: str) -> None:
    assert specs.of(name).is_started == (catalogue.program(name) is not None)


@pytest.mark.parametrize("name", catalogue.FOLDERS)
def test_a_harness_takes_answers_where_its_rules_ask_for_them(name: str) -> None:
    folder = Path(harnesses.__file__).parent / catalogue.FOLDERS[name]
    asks = any("answer_of(" in each.read_text(encoding="utf-8") for each in folder.rglob("*.py"))
    assert specs.of(name).takes_answers == asks


def test_what_a_model_or_a_person_decides_is_found_out_by_nothing() -> None:
    typed = Segment("runtime", "prompt", "⟪⟫", COMPUTED, "", elided=Elided("prompt"))
    result = replace(OWN, layer="runtime", title="result of ls")
    secret = Segment("instructions", "secret", "⟪⟫", COMPUTED, "", elided=Elided("secret"))
    prompt = _prompt(typed, result, secret, replace(OWN, elided=None))
    assert [Ways(prompt).of_segment(each) for each in prompt.messages[0].segments] == [None] * 4
    assert list(how_lines(prompt)) == []


def test_the_texts_of_a_program_that_nobody_can_start_are_found_out_by_nothing() -> None:
    assert Ways(_prompt(OWN, session=Session("cursor", "/work"))).of_segment(OWN) is None


def test_a_command_names_the_session() -> None:
    session = Session("codex", "/work/a b", model="gpt;reboot", agent="$(x)", args=("-c", "a='b'\n"))
    how = Ways(_prompt(OWN, session=session)).of_segment(OWN)
    assert how == How(
        "capture",
        (
            *("promptls", "capture", "--save", "--harness=codex", "--cwd=/work/a b", "--model=gpt;reboot"),
            *("--agent=$(x)", "--", "-c", "a='b'\n"),
        ),
    )
    assert shlex.split(how.text) == list(how.command)
    assert "'--cwd=/work/a b' '--model=gpt;reboot' '--agent=$(x)'" in how.text


def test_the_directory_in_which_one_stands_is_not_named() -> None:
    assert list(how_lines(_prompt(OWN), "/work")) == [
        "Not reproduced: 1 text of Codex itself. To see it: promptls capture --save --harness=codex"
    ]


def test_no_secret_is_in_a_command() -> None:
    secret = "ghp_" + "a1B2" * 9
    session = Session("codex", "/work", model=secret, args=("--api-key", "geheim123456789"))
    found = Ways(_prompt(OWN, session=session)).of_segment(OWN)
    assert found is not None
    assert found.command == ("promptls", "capture", "--save", "--harness=codex", "--cwd=/work")


def _claude(top: Path) -> Prompt:
    (top / ".claude").mkdir()
    hook = {"hooks": [{"type": "command", "command": "make hint"}]}
    (top / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"UserPromptSubmit": [hook]}}), "utf-8")
    (top / ".mcp.json").write_text('{"mcpServers": {"docs": {"command": "srv"}}}', "utf-8")
    session = Session("claude-code", str(top), turns=(Turn(prompt="hi"),), is_trusted=True)
    return harnesses.preview(session, Host(home=str(top / "home"), env={}))


def test_a_hook_leads_to_a_capture_and_a_server_to_its_answer(tmp_path: Path) -> None:
    prompt = _claude(tmp_path)
    ways = Ways(prompt)
    found = {each.title: ways.of_segment(each) for message in prompt.messages for each in message.segments}
    kinds = {title: how.kind for title, how in found.items() if how is not None}
    assert kinds["output of the UserPromptSubmit hook make hint"] == "hooks"
    assert kinds["tools of docs"] == kinds["instructions of docs"] == "servers"
    lines = list(how_lines(prompt, str(tmp_path)))
    assert lines[1] == (
        "Not known: what hooks say. To see it: promptls capture --save --run-workspace --harness=claude-code"
    )


def test_a_server_leads_to_a_capture_where_answers_are_not_taken() -> None:
    tool = Tool("docs_*", enabled=True, why="", origin=Origin("config", "/work/x.json", name="docs"))
    how = Ways(_prompt(session=Session("qwen-code", "/work"), tools=(tool,))).of_tool(tool)
    assert how is not None
    assert how.command[:4] == ("promptls", "capture", "--save", "--run-workspace")
    off, known = replace(tool, enabled=False), replace(tool, size=3)
    assert [Ways(_prompt(tools=(off, known))).of_tool(each) for each in (off, known)] == [None, None]


def test_the_json_has_it_at_each_part(tmp_path: Path) -> None:
    parts = [each for message in to_json(_claude(tmp_path))["messages"] for each in message["segments"]]
    assert all("how" not in each for each in parts if each["elided"] is None)
    assert {each["how"]["kind"] for each in parts if "how" in each} == {"capture", "servers", "hooks"}


def test_each_command_is_one(tmp_path: Path) -> None:
    prompt = _claude(tmp_path)
    ways = Ways(prompt)
    for how in filter(None, (ways.of_segment(each) for message in prompt.messages for each in message.segments)):
        _, name, *args = how.command
        if name == "capture":
            parser: Parser = session_parser("promptls capture", "")
            parser.add_argument("--save", action="store_true")
            assert parser.parse_args(args).harness == "claude-code"
        else:
            assert (name, command._options(args).harness) == ("servers", ["claude-code"])


def test_a_program_that_only_a_probe_can_start_leads_to_one() -> None:
    how = Ways(_prompt(OWN, session=Session("aider", "/work")), "/work").of_segment(OWN)
    assert how == How("probe", ("promptls", "probe", "--", "aider"))


def test_a_url_that_was_not_asked_leads_to_a_preview() -> None:
    url = "https://example.org/rules.md"
    waits = Segment("instructions", url, "⟪⟫", Origin("computed", name=url), "", elided=Elided(url))
    asked = Candidate("missing", "", Origin("config"), url=url, fetched=FetchResult(url, "disabled"))
    prompt = replace(_prompt(waits, session=Session("opencode", "/work")), candidates=(asked,))
    how = How("fetch", ("promptls", "preview", "--harness=opencode"))
    assert Ways(prompt, "/work").of_segment(waits) == how
    assert of_sizes(replace(prompt, messages=()), "/work") == [how]
    assert list(how_lines(prompt, "/work")) == ["Not asked for: 1 URL. To ask: promptls preview --harness=opencode"]
    later = replace(asked, fetched=FetchResult(url, "pending"))
    assert Ways(replace(prompt, candidates=(later,))).of_segment(waits) is None, "the answer is on its way"
    off = replace(asked, fetched=FetchResult(url, "disabled", by_settings=True))
    assert unknowns(replace(prompt, candidates=(off,))) == {}, "no command asks"
    assert of_sizes(replace(prompt, candidates=(off,))) == []
