"""A harness that raises keeps none of the others from being shown, and is not taken for one that sends nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver.exceptions import ToolError

from promptls import harnesses
from promptls.cli import main, mcp_server
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.values import replace
from promptls.harnesses import catalogue, faults
from promptls.workspace import recordings
from promptls.workspace.record_store import LocalStore
from tests.folder import lay_out
from tests.lsp.client import Client

PRIVATE = "Nobody may read this."
SAYS = "This is a fault of promptls (ZeroDivisionError"
COMMANDS = ("overview", "preview", "check", "map", "explain", "find")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two harnesses are in use: the one that is asked for, and another one."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "PROMPTLS_CACHE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home))
    top = lay_out(tmp_path / "shop", {"AGENTS.md": "Prices are integers.\n", "CLAUDE.md": "Prices.\n", "a.py": ""})
    monkeypatch.chdir(top)
    return top


def broken(monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    """Have a harness raise; the name of one that does not."""

    def preview(*_: object) -> Any:
        raise ZeroDivisionError(PRIVATE)

    harness = harnesses.get(name)
    preview.__module__ = harness.preview.__module__
    spec = harness.spec
    monkeypatch.setitem(harnesses._registered, name, replace(harness, preview=preview))
    assert harnesses.get(name).spec is spec
    monkeypatch.setattr(faults, "_listeners", [])
    return "codex" if name == "claude-code" else "claude-code"


def command(name: str, top: Path, *used: str) -> list[str]:
    asked = [part for each in used for part in ("--harness", each)]
    return {
        "overview": [str(top), *asked],
        "preview": ["preview", str(top / "a.py"), "--no-network", *asked[-2:]],
        "check": ["check", str(top), "--no-network", *asked],
        "map": ["map", str(top), *asked],
        "explain": ["explain", str(top / "AGENTS.md"), *asked],
        "find": ["find", "Prices", str(top), *asked],
    }[name]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("harness", harnesses.names())
def test_a_command_says_it_in_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, harness: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    other = broken(monkeypatch, harness)
    assert main(command(name, folder, other, harness)) == 2
    said = "".join(capfd.readouterr())
    # What the others have and this one may not is told beside it, too.
    assert said.count(SAYS) == (2 if name == "find" else 1)
    assert harnesses.get(harness).title in said
    assert "PROMPTLS_TRACEBACK" in said
    assert "sends nothing" not in said
    assert "Nothing is sent" not in said
    assert PRIVATE not in said
    assert "Traceback (most" not in said
    assert name in ("preview", "check") or other in said


@pytest.mark.parametrize("name", ["overview", "check", "map", "find"])
def test_where_it_was_not_asked_for_the_others_decide(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(monkeypatch, "codex")
    (folder / ".codex").mkdir()
    assert main(command(name, folder)) == 0
    assert SAYS in "".join(capfd.readouterr())


@pytest.mark.parametrize("name", ["overview", "preview", "check", "map", "explain", "find"])
def test_json_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    other = broken(monkeypatch, "codex")
    assert main([*command(name, folder, other, "codex"), "--format", "json"]) == 2
    said = json.loads(capfd.readouterr().out)
    found = {
        "overview": lambda: {each["harness"]: each["fault"] for each in said["columns"]},
        "preview": lambda: {other: False, said["harness"]["name"]: said["fault"]},
        "map": lambda: {other: False} | {each["harness"]: SAYS in each["why"] for each in said["faults"]},
        "check": lambda: {other: False} | {each["harness"]: SAYS in each["why"] for each in said["faults"]},
        "explain": lambda: {each["harness"]["name"]: each["fault"] for each in said["harnesses"]},
        "find": lambda: {other: False} | {each["harness"]: SAYS in each["why"] for each in said["faults"]},
    }[name]()
    assert found == {other: False, "codex": True}


def test_a_variable_shows_the_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(monkeypatch, "codex")
    monkeypatch.setenv("PROMPTLS_TRACEBACK", "1")
    assert main(command("preview", folder, "codex")) == 2
    assert f"ZeroDivisionError: {PRIVATE}" in capfd.readouterr().err


def test_an_answer_with_a_fault_is_not_remembered(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        broken(patch, "codex")
        assert main(command("overview", folder, "codex")) == 2
    assert SAYS in capfd.readouterr().out
    assert main(command("overview", folder, "codex")) == 0
    assert SAYS not in capfd.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", [["diff"], ["harnesses"], ["use"], ["sessions"], ["sessions", "--rules"]])
def test_no_command_ends_with_a_traceback(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Those that ask a harness for several prompts, or for what it recorded."""
    for each in ("codex", "claude-code"):
        broken(monkeypatch, each)
    monkeypatch.setattr("sys.stdin", None)
    assert main(arguments) in (0, 1, 2)
    said = "".join(capfd.readouterr())
    assert PRIVATE not in said
    assert "Traceback (most" not in said
    assert "This is a bug" not in said


async def test_a_tool_says_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool runs the command line in a process of its own, whose answer is this one."""

    class Done:
        returncode = 2
        stdout = f"promptls cannot show the prompt of Codex here. {SAYS}).".encode()
        stderr = b""

    async def run_process(*_: object, **__: object) -> Done:
        return Done()

    monkeypatch.setattr(anyio, "run_process", run_process)
    with pytest.raises(ToolError, match="fault of promptls"):
        await mcp_server._answer(str(folder), "preview")
    Done.returncode, Done.stdout, Done.stderr = 0, b"a table", f"promptls: {SAYS}).\npromptls: else".encode()
    assert await mcp_server._answer(str(folder), "map") == f"a table\n{SAYS})."


def test_records_of_others_are_listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def reader(*_: object) -> Any:
        raise ZeroDivisionError(PRIVATE)

    monkeypatch.setattr(catalogue, "records", lambda name: reader if name == "codex" else None)
    monkeypatch.setattr(faults, "_listeners", [])
    store = LocalStore(str(tmp_path), {})
    assert recordings.find(store, str(tmp_path)) == []
    [sentence] = store.unread
    assert SAYS in sentence
    assert PRIVATE not in sentence


async def test_the_server_says_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from promptls.lsp.main import create  # noqa: PLC0415 - only here

    broken(monkeypatch, "codex")
    client = Client(create())
    await client.start(folders=[str(folder)])
    result = await client.request(
        "prompt/preview", {"textDocument": {"uri": (folder / "a.py").as_uri()}, "harness": "codex"}
    )
    assert result["fault"] is True
    assert SAYS in result["text"]
    explained = await client.request("prompt/explain", {"textDocument": {"uri": (folder / "AGENTS.md").as_uri()}})
    assert {each["harness"]["name"] for each in explained["harnesses"] if each["fault"]} == {"codex"}
    await client.stop()


def reported(folder: Path, form: str, capfd: pytest.CaptureFixture[str]) -> str:
    assert main([*command("check", folder, "claude-code", "codex"), "--format", form]) == 2
    return capfd.readouterr().out


def test_sarif_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    broken(monkeypatch, "codex")
    [run] = json.loads(reported(folder, "sarif", capfd))["runs"]
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    [notification] = invocation["toolExecutionNotifications"]
    assert (notification["level"], SAYS in notification["message"]["text"]) == ("error", True)


def test_sarif_of_a_check_without_a_fault(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*command("check", folder, "codex"), "--format", "sarif"]) == 0
    [run] = json.loads(capfd.readouterr().out)["runs"]
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_github_is_warned(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    broken(monkeypatch, "codex")
    [line] = [line for line in reported(folder, "github", capfd).splitlines() if SAYS in line]
    assert line.startswith("::warning title=promptls::")


def test_gitlab_gets_an_issue_of_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its format has a place for problems only."""
    broken(monkeypatch, "codex")
    [issue] = [each for each in json.loads(reported(folder, "gitlab", capfd)) if SAYS in each["description"]]
    assert (issue["check_name"], issue["severity"]) == ("promptls-fault", "major")
    assert issue["location"] == {"path": ".", "lines": {"begin": 1}}
    assert len(issue["fingerprint"]) == len("0" * 32)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "1 / 0",
            "This is a fault of tern_harness (ZeroDivisionError in tern_harness.py, line 2): please report it to its",
        ),
        ("host.read(5)", "This is a fault of promptls ("),
    ],
)
def test_a_fault_of_another_package_is_told_as_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, says: str
) -> None:
    monkeypatch.setattr(faults, "_listeners", [])
    module: dict[str, Any] = {"__name__": "tern_harness"}
    source = f"def preview(session, host):\n    {code}\n"
    exec(compile(source, "/packages/tern_harness.py", "exec"), module)  # noqa: S102 - a package of the test's own
    monkeypatch.setattr(harnesses, "_registered", {"codex": replace(harnesses.get("codex"), preview=module["preview"])})
    prompt = harnesses.preview(Session("codex", folder.as_posix()), Host(home="/nobody", env={}))
    assert prompt.is_fault
    assert prompt.stopped is not None
    assert says in prompt.stopped
