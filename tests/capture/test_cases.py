"""``promptls verify --cases`` and ``--record`` against small programs of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.capture.conftest import Run
from tests.capture.fakes import CANARY, install, newest
from tests.folder import lay_out

SESSION: dict[str, Any] = {"cwd": "", "model": None, "env": {}, "args": [], "prompt": "hi", "steps": []}


def case(text: str = "MARK-root\n", **others: Any) -> dict[str, object]:
    """A case of Codex: AGENTS.md of the workspace, sent as ``text``, and a file that is not sent."""
    frame = f"# AGENTS.md instructions for ${{WORKSPACE}}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"
    return {
        "harness": "codex",
        "version": newest("codex"),
        "name": "root",
        "files": {"workspace/AGENTS.md": "MARK-root\n", "workspace/CLAUDE.md": "MARK-claude\n"},
        "symlinks": {},
        "git": ["workspace"],
        "http": {},
        "session": SESSION,
        "expect": {
            "sources": [{"path": "${WORKSPACE}/AGENTS.md", "role": "user"}],
            "not_loaded": ["${WORKSPACE}/CLAUDE.md"],
            "parts": [{"role": "user", "text": f"⟪…⟫{frame}"}],
        },
        **others,
    }


def test_cases_hold_have_moved_or_are_not_run(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version="0.999.0")
    moved = case()
    moved["expect"] = {**case()["expect"], "not_loaded": ["${WORKSPACE}/AGENTS.md"], "parts": []}  # type: ignore[dict-item]
    cases = {
        "codex/1-holds.json": case(),
        "codex/2-moved.json": case("MARK-another\n"),
        "codex/3-sent.json": moved,
        "codex/8-gap.json": case("MARK-r[... text of the agent left out ...]\n"),
        "codex/4-url.json": case(files={"workspace/AGENTS.md": "${HTTP}/rules.md"}),
        "codex/5-broken.json": {"harness": "codex"},
        "codex/7-old.json": case(version="0.1.0"),
        "codex/6-outside.json": case(files={"../../x": "1"}),
    }
    lay_out(place / "cases", cases, git=False)  # type: ignore[arg-type]
    code, out, err = run("verify", "--harness", "codex", "--cases", str(place / "cases"))
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "holds    1-holds"
    assert lines[1] == "moved    2-moved"
    assert "a user part was not sent like this: ⟪…⟫# AGENTS.md instructions for" in lines[2]
    assert "(rule: " in lines[2]
    assert lines[4] == "         ${WORKSPACE}/AGENTS.md was sent, which the case does not expect"
    assert lines[6] == "         it needs a web server"
    assert lines[8] == "         it is not a case: a field is missing or of another type"
    assert lines[10] == "         The case has the file ../../x, which is outside of its folder."
    assert lines[12] == "         it is one of 0.1.0"
    assert lines[13] == "holds    8-gap"
    assert lines[-1] == "codex 0.999.0 · 8 cases: 2 hold, 2 moved, 4 were not run"
    assert not (place / "x").exists()


def test_what_differs_each_time_is_not_compared(place: Path, run: Run) -> None:
    text = "Chunk ID: {}\nWall time: {} seconds\nProcess exited with code 0\n"
    install(place / "bin", "codex", version=newest("codex"))
    written = case(text.format("33cb20", "0.0000"), files={"workspace/AGENTS.md": text.format("a1", "1.5")})
    lay_out(place / "cases", {"one.json": {**written, "name": "one"}}, git=False)
    assert run("verify", "--harness", "codex", "--cases", str(place / "cases"))[0] == 0


def test_a_case_has_files_of_the_machine_links_and_directories_of_the_program(place: Path, run: Run) -> None:
    install(place / "bin", "claude-code", version=newest("claude-code"))
    memory = "${HOME}/.claude/projects/${SLUG}-workspace/memory/MEMORY.md"
    parts = [
        ("/etc/claude-code/CLAUDE.md (organization-managed policy instructions)", "MARK-managed"),
        ("${HOME}/.claude/CLAUDE.md (user's private global instructions for all projects)", "MARK-user"),
        ("${HOME}/dot/r.md (user's private global instructions for all projects)", "MARK-rule"),
        (f"{memory} (user's auto-memory, persists across conversations)", "MARK-memory"),
    ]
    text = "⟪…⟫".join(f"Contents of {label}:\n\n{mark}" for label, mark in parts)
    written = case(
        harness="claude-code",
        version=newest("claude-code"),
        files={
            "etc/claude-code/CLAUDE.md": "MARK-managed\n",
            "home/dot/u.md": "MARK-user\n",
            "home/dot/r.md": "MARK-rule\n",
            "home/.claude/rules/out.md": "MARK-out\n",
            "home/.claude/settings.json": '{"claudeMdExcludes": ["${HOME}/.claude/rules/out.md"]}',
            "home/.claude/projects/${SLUG}-workspace/memory/MEMORY.md": "MARK-memory\n",
        },
        symlinks={"home/.claude/CLAUDE.md": "${HOME}/dot/u.md", "home/.claude/rules/r.md": "${HOME}/dot/r.md"},
        expect={
            "sources": [],
            "not_loaded": ["${HOME}/.claude/rules/out.md"],
            "parts": [{"role": "user", "text": f"⟪…⟫{text}⟪…⟫"}],
        },
    )
    lay_out(place / "cases", {"one.json": written}, git=False)
    code, out, _ = run("verify", "--harness", "claude-code", "--cases", str(place / "cases"))
    if "in a namespace only" in out:
        pytest.skip("this system has no namespaces")
    assert code == 0, out


def test_a_session_is_written_as_a_case_that_holds(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    path = place / "cases" / "own.json"
    path.parent.mkdir()
    code, _, err = run("verify", "--harness", "codex", "--record", str(path))
    assert (code, err) == (0, f"The session is written as a case to {path}: read it before you keep it.\n")
    text = path.read_text("utf-8")
    written = json.loads(text)
    assert written["files"]["workspace/AGENTS.md"] == "The rules of the root.\n"
    assert written["files"]["home/.codex/AGENTS.md"] == "My own rules of Codex.\n"
    assert [each["path"] for each in written["expect"]["sources"]] == [
        "${HOME}/.codex/AGENTS.md",
        "${WORKSPACE}/AGENTS.md",
    ]
    assert CANARY not in text
    assert str(place) not in text
    assert "xxxx" not in text, "no prose of the program"
    assert run("verify", "--harness", "codex", "--cases", str(path))[0] == 0
    assert run("verify", "--harness", "codex", "--record", str(path))[2].endswith("exists; choose another name.\n")


def test_a_home_whose_name_begins_as_that_of_the_workspace(
    place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    home = (place / "home").rename(place / "project-home")
    monkeypatch.setenv("HOME", str(home))
    path = place / "own.json"
    assert run("verify", "--harness", "codex", "--record", str(path))[0] == 0
    assert "home/.codex/AGENTS.md" in json.loads(path.read_text("utf-8"))["files"]


def test_a_case_says_how_the_session_was_started(place: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place / "bin", "claude-code", version=newest("claude-code"))
    config = place / "home" / "own"
    lay_out(
        config, {"CLAUDE.md": "My rules.\n", "agents/a.md": "---\nname: a\ndescription: d\n---\nBe a.\n"}, git=False
    )
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    calls = [{"tool": "Read", "input": {"file_path": str(place / "project/pkg/a.py")}}]
    session = {"harness": "claude-code", "cwd": ".", "agent": "a", "turns": [{"prompt": "hi", "steps": [calls]}]}
    (place / "s.json").write_text(json.dumps(session), "utf-8")
    path = place / "own.json"
    code, _, err = run("verify", "--session", str(place / "s.json"), "--record", str(path))
    assert err.startswith("The session is written"), (code, err)
    written = json.loads(path.read_text("utf-8"))
    assert written["session"] == {
        "cwd": "",
        "model": written["session"]["model"],
        "agent": "a",
        "env": {"CLAUDE_CONFIG_DIR": "${HOME}/own"},
        "args": [],
        "prompt": "hi",
        "steps": [[{"tool": "Read", "input": {"file_path": "${WORKSPACE}/pkg/a.py"}}]],
    }
    assert written["files"]["home/own/CLAUDE.md"] == "My rules.\n"


def test_a_session_that_no_case_can_hold_is_not_written(place: Path, run: Run) -> None:
    install(place / "bin", "codex", version=newest("codex"))
    session = {"harness": "codex", "cwd": ".", "turns": [{"prompt": "hi"}, {"prompt": "ho"}]}
    (place / "s.json").write_text(json.dumps(session), "utf-8")
    code, _, err = run("verify", "--session", str(place / "s.json"), "--record", str(place / "own"))
    assert (code, not (place / "own.json").exists()) == (2, True)
    assert err == "promptls: A case can record only one turn, without attachments; drop --record or the extra turns.\n"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--cases", "."), "Name the harness of the cases with --harness."),
        (("--cases", ".", "--harness", "codex"), "There are no cases of codex in "),
        (("--cases", "gone", "--harness", "codex"), "There is no file or directory "),
    ],
)
def test_cases_that_are_not_there(args: tuple[str, ...], sentence: str, place: Path, run: Run) -> None:
    assert run("verify", *args)[2].startswith(f"promptls: {sentence}"), place
