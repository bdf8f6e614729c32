"""A session as JSON: ``preview --session``, and the options that say the same in short."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.workspace.session_file import MOST
from tests.folder import lay_out
from tests.newest import newest

Shown = Callable[..., dict[str, Any]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files: dict[str, str | bytes | dict[str, object]] = {
        "CLAUDE.md": "root\n",
        "api/CLAUDE.md": "api\n",
        "api/a.py": "",
    }
    folder = lay_out(tmp_path / "project", files)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def shown(capsysbinary: pytest.CaptureFixture[bytes]) -> Shown:
    """The JSON of a preview."""

    def shown(*args: str) -> dict[str, Any]:
        code = main(["preview", "--format", "json", "--no-network", *args])
        out, err = capsysbinary.readouterr()
        assert (code, err) == (0, b"")
        found: dict[str, Any] = json.loads(out)
        return found

    return shown


@pytest.fixture
def refusal(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., str]:
    """Why a preview is refused."""

    def refusal(*args: str) -> str:
        assert main(["preview", *args]) == 2
        out, err = capsysbinary.readouterr()
        assert out == b""
        return err.decode()

    return refusal


def test_a_session_from_a_file_or_standard_input(shown: Shown, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = {
        "harness": "claude-code@2.1.330",
        "cwd": str(folder),
        "model": "claude-sonnet-4-5",
        "turns": [
            {"prompt": "look", "steps": [[{"read": "api/a.py"}], [{"tool": "Bash", "input": {"command": "ls"}}]]}
        ],
    }
    (folder / "session.json").write_text(json.dumps(session), encoding="utf-8")
    found = shown("--session", "session.json")
    assert found["session"]["turns"] == [
        {
            "prompt": "look",
            "stdin": None,
            "attached": [],
            "open": [],
            "steps": [[{"read": f"{folder}/api/a.py"}], [{"tool": "Bash", "input": '{"command": "ls"}'}]],
        }
    ]
    assert (found["harness"]["version"], found["session"]["model"]) == ("2.1.330", "claude-sonnet-4-5")
    assert any(message["at"] == f"read:{folder}/api/a.py" for message in found["messages"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(session).encode())))
    assert shown("--session", "-") == found


TOLD = f"Claude Code {newest('claude-code')} (newest known) · started in . · print · claude-opus-5-5"


def test_options_say_the_same_in_short(shown: Shown, folder: Path) -> None:
    turn = {"prompt": "look", "attached": ["api/a.py"], "steps": [[{"read": "api/a.py"}]]}
    session = {"harness": "claude-code", "cwd": str(folder), "turns": [turn]}
    (folder / "session.json").write_text(json.dumps(session), encoding="utf-8")
    options = ["--prompt", "look", "--attach", "api/a.py", "--read", "api/a.py"]
    asked, given = shown("--harness", "claude-code", *options), shown("--session", "session.json")
    # Only where the start is known from is another.
    assert [each["session"].pop("told")["line"] for each in (asked, given)] == [TOLD] * 2
    assert asked == given


def test_options_win_over_a_session(shown: Shown, folder: Path) -> None:
    session = {"harness": "claude-code", "cwd": str(folder), "args": ["--bare"]}
    (folder / "session.json").write_text(json.dumps(session), encoding="utf-8")
    found = shown("--session", "session.json", "--harness", "codex", "--cwd", "api", "--", "-c", "x=1")
    assert found["harness"]["name"] == "codex"
    assert (found["session"]["cwd"], found["session"]["args"]) == (f"{folder}/api", ["-c", "x=1"])


def test_options_say_what_a_session_does_not(shown: Shown, folder: Path) -> None:
    (folder / "session.json").write_text('{"turns": [{"prompt": "look"}]}', encoding="utf-8")
    found = shown("--session", "session.json", "--harness", "codex", "--cwd", "api")
    assert found["harness"]["name"] == "codex"
    assert found["session"]["cwd"] == f"{folder}/api"
    assert [each["prompt"] for each in found["session"]["turns"]] == ["look"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[]", "is not valid: the whole: this has to be an object"),
        ('{"cwd": "."}', "is not valid: harness: this key is missing"),
        ('{"harness": "codex"}', "is not valid: cwd: this key is missing"),
        ('{"harness": "codex", "cwd": ".", "x": 1}', "is not valid: x: there is no such key"),
        ('{"harness": "codex", "cwd": ".", "turns": {}}', "turns: this has to be a list, but it is an object; see"),
        ('{"harness": 1, "cwd": "."}', "is not valid: harness: this has to be a text, but it is a number; see"),
        ('{"harness": "codex", "cwd": null}', "is not valid: cwd: this has to be a text, but it is null; see"),
        ('{"harness": "codex", "cwd": ".", "args": "x"}', "args: this has to be a list, but it is a text; see"),
        ('{"harness": "codex", "cwd": ".", "args": [true]}', "args.0: this has to be a text, but it is true or false"),
        (
            '{"harness": "codex", "cwd": ".", "turns": [[]]}',
            "turns.0: this has to be an object, but it is a list; ",
        ),
        (
            '{"harness": "codex", "cwd": ".", "open": ["a.py"]}',
            "open: there is no such key; it is a key of a turn;",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"open": ["a.py"]}]}',
            "turns.0.open.0: this has to be an object, but it is a text; the keys of an open file are path, selection",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"steps": [[{"raed": "a.py"}]]}]}',
            "turns.0.steps.0.0.raed: there is no such key; the keys of a call are read, tool, input, ",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"compact": 5}]}',
            "turns.0.compact: this has to be true or false or a text, but it is a number; see",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"open": [{"path": "a", "selection": [0, 0, 0, "1"]}]}]}',
            "turns.0.open.0.selection.3: this has to be a whole number, but it is a text; see",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"open": [{"path": "a", "selection": [0, 0, 0, 1.5]}]}]}',
            "turns.0.open.0.selection.3: this has to be a whole number, but it is a number; see",
        ),
        (
            '{"harness": "codex", "cwd": ".", "' + "x" * 1000 + '": 1}',
            "x…: there is no such key; the keys of the",
        ),
        ('{"harness": "codex", "cwd": ".", "\u202e": 1}', "\ufffd: there is no such key; the keys of"),
        ('{"harness": "codex", "cwd": ".", "turns": [{"steps": [[{}]]}]}', "turns.0.steps.0.0: a call has one of"),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"steps": [[{"read": "a", "tool": "b"}]]}]}',
            "a call has one of read, tool and compact; see",
        ),
        (
            '{"harness": "codex", "cwd": ".", "turns": [{"open": [{"path": "a", "selection": [1]}]}]}',
            "selection: this has to have 4 items, but it has 1; see",
        ),
        ('{"harness": "codex", "cwd": "gone"}', "There is no directory"),
        ('{"harness": "nosuch", "cwd": "."}', "There is no harness 'nosuch'"),
        ('{"harness": "windsurf", "cwd": "."}', "promptls has no preview of Windsurf; “promptls harnesses --all” says"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"harness": "' + "x" * MOST, "is larger than 16 MiB"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_session_that_is_wrong(refusal: Callable[..., str], folder: Path, text: str, says: str) -> None:
    (folder / "session.json").write_text(text, encoding="utf-8")
    refused = refusal("--session", "session.json")
    assert says in refused
    assert "Input should" not in refused
    assert len(refused.splitlines()) == 1


def test_a_link_that_leads_nowhere(refusal: Callable[..., str], folder: Path) -> None:
    (folder / "loop.json").symlink_to("loop.json")
    assert "loop.json is a link to a missing file" in refusal("--session", "loop.json")


def test_a_session_that_is_not_there(refusal: Callable[..., str], folder: Path) -> None:
    assert "cannot be read as a file" in refusal("--session", "api")
    assert f"There is no file {folder}/gone.json" in refusal("--session", "gone.json")


@pytest.mark.parametrize(
    ("harness", "turns", "is_sent"),
    [("gemini-cli", [{"prompt": "hi"}], True), ("gemini-cli", [], False)],
)
def test_a_session_of_a_program_that_sends_nothing_before_is_one_in_a_trusted_folder(
    harness: str, turns: list[Any], is_sent: bool, shown: Shown, folder: Path, tmp_path: Path
) -> None:
    """What is said to have happened has; the program's own records count before that."""
    session = tmp_path / "s.json"
    session.write_text(json.dumps({"harness": harness, "cwd": str(folder), "turns": turns}), "utf-8")
    found = shown("--session", str(session))
    assert (found["stopped"] is None, "once you trust the folder" in " ".join(found["notes"])) == (is_sent, is_sent)
    home: dict[str, str | bytes | dict[str, object]] = {".gemini/trustedFolders.json": {str(folder): "DO_NOT_TRUST"}}
    lay_out(Path.home(), home, git=False)
    assert shown("--session", str(session))["stopped"] is not None
