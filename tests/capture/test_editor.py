"""The side of an editor, against a program that writes down what it hears."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from promptls.wire.editor import OWN_TEXT, Editor

if TYPE_CHECKING:
    from promptls.kit.launch import Protocol

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are enclosed on POSIX")
SECONDS = 20.0
# It answers every request with the next of the answers that it is given, and says what it heard on its error output.
PROGRAM = """
import json, sys
answers = json.loads(sys.argv[1])
print("no message", flush=True)
for line in sys.stdin:
    heard = json.loads(line)
    print(json.dumps(heard), file=sys.stderr, flush=True)
    for answer in answers.pop(0) if answers else []:
        print(json.dumps(answer).replace('"ID"', json.dumps(heard.get("id"))), flush=True)
"""


@contextmanager
def talking(protocol: Protocol, answers: list[Any], *chosen: str) -> Iterator[tuple[Editor, subprocess.Popen[bytes]]]:
    editor = Editor(protocol, "/project", chosen)
    stdin, stdout, stderr = editor.given
    command = [sys.executable, "-c", PROGRAM, json.dumps(answers)]
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr) as program:
        editor.give()
        listener = threading.Thread(target=editor.listen, args=(lambda _: None,))
        listener.start()
        try:
            yield editor, program
        finally:
            program.kill()
            program.wait()
            listener.join(SECONDS)
            editor.close()


def heard(editor: Editor, count: int) -> list[dict[str, Any]]:
    """The messages that the program has got, once there are so many."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        lines = [line for line in editor.output.splitlines() if line.startswith("{") and line.endswith("}")]
        if len(lines) >= count:
            return [json.loads(line) for line in lines]
        threading.Event().wait(0.01)
    raise AssertionError(editor.output)


def say(editor: Editor, text: str) -> None:
    editor.type(text, lambda: False, time.monotonic() + SECONDS)


def test_an_agent_client_protocol_session() -> None:
    options = [{"id": "mode", "options": [{"value": "https://example.com/modes#plan"}, {"value": "x"}]}]
    answers: list[Any] = [
        [{"id": "ID", "result": {}}],
        [{"id": "ID", "result": {"sessionId": "s", "configOptions": options}}],
        [{"id": "ID", "result": {}}],
        [{"id": 7, "method": "session/request_permission", "params": {"options": [{"optionId": "yes"}]}}],
        [{"id": 4, "result": {"stopReason": "end_turn"}}],
        [],
    ]
    with talking("acp", answers, "plan") as (editor, _):
        say(editor, "one")
        say(editor, "two")
        said = heard(editor, 6)
    assert [each.get("method") for each in said] == [
        "initialize",
        "session/new",
        "session/set_config_option",
        "session/prompt",
        None,
        "session/prompt",
    ]
    assert said[1]["params"] == {"cwd": "/project", "mcpServers": []}
    assert said[2]["params"] == {"sessionId": "s", "configId": "mode", "value": "https://example.com/modes#plan"}
    assert said[4]["result"] == {"outcome": {"outcome": "selected", "optionId": "yes"}}
    assert said[5]["params"]["prompt"] == [{"type": "text", "text": "two"}]


def test_a_mode_of_a_program_without_options() -> None:
    modes = {"availableModes": [{"id": "plan"}, {"id": "code"}]}
    answers: list[Any] = [[{"id": "ID", "result": {}}], [{"id": "ID", "result": {"sessionId": "s", "modes": modes}}]]
    answers.append([{"id": "ID", "result": {}}])
    with talking("acp", answers, "code") as (editor, _):
        say(editor, "one")
        said = heard(editor, 4)
    assert (said[2]["method"], said[2]["params"]["modeId"]) == ("session/set_mode", "code")


def test_threads_of_an_app_server() -> None:
    answers: list[Any] = [
        [{"id": "ID", "result": {}}],
        [],
        [{"id": "ID", "result": {"thread": {"id": "t"}, "model": "m"}}],
        [{"id": 9, "method": "item/commandExecution/requestApproval", "params": {}}],
        [{"method": "turn/completed", "params": {}}],
        [{"id": "ID", "result": {}}, {"method": "turn/completed", "params": {}}],
        [],
    ]
    with talking("app-server", answers, "plan") as (editor, _):
        say(editor, "one")
        say(editor, "/compact")
        say(editor, "two")
        said = heard(editor, 7)
    methods = ["initialize", "initialized", "thread/start", "turn/start", None, "thread/compact/start", "turn/start"]
    assert [each.get("method") for each in said] == methods
    assert said[3]["params"]["collaborationMode"]["mode"] == "plan"
    assert said[4]["result"] == {"decision": "accept"}
    assert "jsonrpc" not in said[3]


def test_lines_of_stream_json() -> None:
    asked = {"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "input": {"a": 1}}}
    done = {"type": "control_response", "response": {"subtype": "success", "request_id": "request-1"}}
    with talking("stream-json", [[done], [asked], [{"type": "result"}], []]) as (editor, _):
        say(editor, "one")
        say(editor, "two")
        said = heard(editor, 4)
    assert said[0]["request"]["appendSystemPrompt"] == OWN_TEXT
    assert said[1]["message"]["content"] == [{"type": "text", "text": "one"}]
    assert said[2]["response"]["response"] == {"behavior": "allow", "updatedInput": {"a": 1}}
    assert said[3]["message"]["content"] == [{"type": "text", "text": "two"}]


def test_a_program_that_takes_nothing_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptls.wire.editor.PATIENCE", 0.2)
    editor = Editor("stream-json", "/project", ())
    began = time.monotonic()
    editor.type("long " * 100_000, lambda: False, began + 0.1)
    editor.close()
    assert time.monotonic() - began < SECONDS


def test_a_program_that_says_nothing_is_given_up() -> None:
    with talking("acp", []) as (editor, program):
        program.kill()
        program.wait()
        editor.type("one", lambda: True, time.monotonic() + SECONDS)
        assert "no message" in editor.output or editor.output == ""


@pytest.mark.parametrize("answer", [1, [], {"id": [], "result": 1}, {"id": {}}, {"result": [1]}, None])
def test_odd_messages_are_passed_over(answer: object) -> None:
    with talking("acp", [[answer, {"id": "ID", "result": "x"}], [{"id": "ID", "result": []}]]) as (editor, _):
        say(editor, "one")
        assert heard(editor, 3)[2]["method"] == "session/prompt"
