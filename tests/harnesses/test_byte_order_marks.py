"""A byte order mark at the start of an instruction file: which harness sends it, and which takes it away."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses.start import noting
from tests.cases import test_cases as cases
from tests.folder import lay_out

BOM = "\ufeff"


def sent(top: Path, harness: str, name: str, text: str, *reads: str, args: tuple[str, ...] = ()) -> str:
    folder = lay_out(top / "folder", {name: text, "src/a.ts": "x"})
    session = Session(harness, str(folder), turns=noting(harness, [str(folder / each) for each in reads]), args=args)
    prompt = harnesses.preview(session, Host(home=str(top / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"}))
    segments = [each for message in prompt.messages for each in message.segments]
    return "".join(each.text for each in segments if (each.origin.path or "").endswith(name) and not each.frame)


@pytest.mark.parametrize(
    ("harness", "name", "is_sent"),
    [
        ("claude-code", "CLAUDE.md", False),
        ("cline", "AGENTS.md", False),
        ("codex", "AGENTS.md", True),
        ("continue", "AGENTS.md", True),
        ("copilot-vscode", ".github/copilot-instructions.md", False),
        ("crush", "AGENTS.md", True),
        ("cursor", "AGENTS.md", False),
        ("etcode", "AGENTS.md", True),
        ("gemini-cli", "GEMINI.md", False),
        ("kimi-cli", "AGENTS.md", True),
        ("mistral-vibe", "AGENTS.md", False),
        ("kilo-code", "AGENTS.md", False),
        ("openclaw", "AGENTS.md", True),
        ("openhands", "AGENTS.md", True),
        ("opencode", "AGENTS.md", False),
        ("pi", "AGENTS.md", False),
        ("qwen-code", "QWEN.md", False),
    ],
)
def test_in_instructions(tmp_path: Path, harness: str, name: str, is_sent: bool) -> None:
    text = sent(tmp_path, harness, name, f"{BOM}Be kind.")
    assert "Be kind." in text
    assert text.startswith(BOM) is is_sent


@pytest.mark.parametrize(("harness", "is_sent"), [("etcode", True), ("opencode", False)])
def test_in_what_a_read_brings(tmp_path: Path, harness: str, is_sent: bool) -> None:
    text = sent(tmp_path, harness, "src/AGENTS.md", f"{BOM}Be kind.", "src/a.ts")
    assert "Be kind." in text
    assert text.startswith(BOM) is is_sent


@pytest.mark.parametrize(
    ("harness", "name", "head"),
    [
        ("claude-code", ".claude/rules/x.md", "paths: src/**"),
        ("copilot-vscode", ".github/instructions/x.instructions.md", 'applyTo: "src/**"'),
        ("cursor", ".cursor/rules/x.mdc", "globs: src/**"),
    ],
)
def test_front_matter_may_stand_behind_one(tmp_path: Path, harness: str, name: str, head: str) -> None:
    text = f"{BOM}---\n{head}\n---\nBe kind."
    assert sent(tmp_path / "start", harness, name, text) == ""
    assert "Be kind." in sent(tmp_path / "read", harness, name, text, "src/a.ts")


def test_in_a_file_that_is_named(tmp_path: Path) -> None:
    args = ("--read", "CONVENTIONS.md")
    assert sent(tmp_path, "aider", "CONVENTIONS.md", f"{BOM}Be kind.", args=args) == f"{BOM}Be kind."


def test_in_a_rule_it_makes_the_front_matter_text(tmp_path: Path) -> None:
    text = f"{BOM}---\nglobs: src/**\n---\nBe kind."
    assert sent(tmp_path, "continue", ".continue/rules/x.md", text) == text


@pytest.mark.parametrize(
    "name",
    [
        "copilot-cli/skills-agents-and-hooks",
        "copilot-cli/servers-of-an-option",
        "copilot-cli/definitions-of-every-kind",
        "copilot-vscode/everything-as-sent",
        "copilot-vscode/surfaces",
        "copilot-vscode/links-and-fences-followed",
        "copilot-vscode/texts-of-a-setting",
    ],
)
def test_one_in_every_file_moves_no_place(tmp_path: Path, name: str) -> None:
    """An editor does not count it, and the JSON and the definitions that these programs read may begin with one."""
    scenario = cases.read(cases.HERE / f"{name}.txt")
    shown = []
    for mark in ("", BOM):
        (top := tmp_path / str(len(mark))).mkdir()
        folder, home = cases.lay_out(scenario, top)
        for path in (each for each in top.rglob("*.*") if each.is_file() and ".git/" not in str(each)):
            path.write_text(mark + path.read_text(encoding="utf-8"), encoding="utf-8")
        prompt = cases.preview(scenario, folder, home)
        shown.append([view(prompt, folder, home) for view in (cases.shown, cases.reasons, cases.texts)])
    assert shown[0] == shown[1]
